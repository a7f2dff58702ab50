// An OAuth authorization server for machines, and an MCP server that takes its tokens alone: what they publish, which grants they take,
// and in which words they refuse (RFC 8414, 9728, 6749, 7523). By https, at two names of one listener.

import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { answersMcp } from "./fake-mcp.ts";

const CLIENT_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

export type GuardedOptions = {
  /** Origins of the two; of one listener, told apart by the header Host. */
  readonly server: string;
  readonly issuer: string;
  /** The client that is registered: with a secret, or with its public key. */
  readonly client?: { readonly id: string; readonly secret?: string; readonly keys?: JSONWebKeySet };
  /** Whose ID tokens it takes, and of which repository. */
  readonly trust?: { readonly issuer: string; readonly jwksUri: string; readonly repository: string };
  readonly lifeSeconds?: number;
};

type Asked = {
  readonly form: Readonly<Record<string, string>>;
  readonly status: number;
  /** Why it was refused. */
  readonly error: string | null;
};

export class GuardedServer {
  /** Requests for a token, in order. */
  readonly asked: Asked[] = [];
  /** What was in the header Authorization of requests of the protocol. */
  readonly authorizations: (string | undefined)[] = [];
  readonly issued: string[] = [];
  /** Changes what it publishes. */
  metadata: Readonly<Record<string, unknown>> = {};
  resourceMetadata: Readonly<Record<string, unknown>> = {};
  /** In the place of the token endpoint's answers, one each. */
  readonly faults: { readonly status: number; readonly body: string }[] = [];
  readonly #good = new Set<string>();
  readonly #used = new Set<string>();
  readonly #options: GuardedOptions;
  readonly #answer = answersMcp(this.authorizations);

  constructor(options: GuardedOptions) {
    this.#options = options;
  }

  /** A token that is good. */
  give(): string {
    const token = `mcp-${randomBytes(18).toString("base64url")}`;
    this.issued.push(token);
    this.#good.add(token);
    return token;
  }

  /** The tokens that it gave are good no more. */
  revoke(): void {
    this.#good.clear();
  }

  readonly respond = (request: IncomingMessage, response: ServerResponse): void => {
    const { server, issuer } = this.#options;
    const path = request.url?.split("?", 1)[0] ?? "";
    const at = request.headers.host === new URL(server).host ? `server ${path}` : `issuer ${path}`;
    if (at === "server /.well-known/oauth-protected-resource/mcp") {
      const about = {
        resource: `${server}/mcp`,
        authorization_servers: [issuer],
        scopes_supported: ["tools"],
      };
      json(response, 200, { ...about, ...this.resourceMetadata });
    } else if (at === "server /mcp") this.#serve(request, response);
    else if (at === "issuer /.well-known/oauth-authorization-server") json(response, 200, this.#metadata());
    else if (at === "issuer /token") void this.#token(request, response);
    else json(response, 404, { error: "not_found" });
  };

  #metadata(): object {
    const { issuer } = this.#options;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ["code"],
      grant_types_supported: ["client_credentials", JWT_BEARER],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "private_key_jwt", "none"],
      token_endpoint_auth_signing_alg_values_supported: ["ES256"],
      ...this.metadata,
    };
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const [, token = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (this.#good.has(token)) {
      this.#answer(request, response);
      return;
    }
    this.authorizations.push(request.headers.authorization);
    const about = `${this.#options.server}/.well-known/oauth-protected-resource/mcp`;
    response.setHeader("www-authenticate", `Bearer resource_metadata="${about}", scope="tools"`);
    json(response, 401, { error: "invalid_token" });
  }

  async #token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
    const fault = this.faults.shift();
    const error = fault === undefined ? await this.#refusal(form, request.headers.authorization) : "fault";
    const status = fault?.status ?? (error === null ? 200 : error === "invalid_client" ? 401 : 400);
    this.asked.push({ form: Object.fromEntries(form), status, error });
    if (fault !== undefined) {
      response.writeHead(fault.status, { "content-type": "application/json" }).end(fault.body);
      return;
    }
    // As servers do that repeat what they were sent.
    if (error !== null) {
      json(response, status, { error, error_description: `refused: ${form.get("assertion") ?? ""}` });
      return;
    }
    const token = this.give();
    const { lifeSeconds = 3600 } = this.#options;
    json(response, 200, { access_token: token, token_type: "Bearer", expires_in: lifeSeconds });
  }

  /** The error of RFC 6749 §5.2. Null: the token is given. */
  async #refusal(form: URLSearchParams, authorization = ""): Promise<string | null> {
    const { server } = this.#options;
    if (form.get("resource") !== `${server}/mcp`) return "invalid_target";
    switch (form.get("grant_type")) {
      case "client_credentials":
        return (await this.#isClient(form, authorization)) ? null : "invalid_client";
      case JWT_BEARER:
        return (await this.#isTrusted(form.get("assertion") ?? "")) ? null : "invalid_grant";
      default:
        return "unsupported_grant_type";
    }
  }

  async #isClient(form: URLSearchParams, authorization: string): Promise<boolean> {
    const { client, issuer } = this.#options;
    if (client === undefined) return false;
    if (client.secret !== undefined) {
      const basic = Buffer.from(authorization.replace(/^Basic /, ""), "base64").toString("utf8");
      return basic === `${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`;
    }
    if (form.get("client_assertion_type") !== CLIENT_ASSERTION || client.keys === undefined) return false;
    const assertion = form.get("client_assertion") ?? "";
    const rules = { issuer: client.id, subject: client.id, audience: issuer, requiredClaims: ["exp", "jti"] };
    return await jwtVerify(assertion, createLocalJWKSet(client.keys), rules).then(
      () => true,
      () => false,
    );
  }

  async #isTrusted(assertion: string): Promise<boolean> {
    const { trust, issuer } = this.#options;
    if (trust === undefined || this.#used.has(assertion)) return false;
    const keys = createRemoteJWKSet(new URL(trust.jwksUri));
    const rules = { issuer: trust.issuer, audience: issuer, requiredClaims: ["exp", "jti"] };
    const found = await jwtVerify(assertion, keys, rules).catch(() => null);
    if (found === null || found.payload.repository !== trust.repository) return false;
    this.#used.add(assertion);
    return true;
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
