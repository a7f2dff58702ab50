// An OAuth authorization server in which a person signs in, and an MCP server that takes its tokens alone: what both publish, and what they
// refuse (RFC 6749, 7009, 7591, 7636, 8414, 8707, 9207, 9728, and documents of clients). By https, at two names. Its person agrees at once.

import { hash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { answersMcp } from "./fake-mcp.ts";

export type SignInOptions = {
  /** Origins of the two; of one listener, told apart by the header Host. */
  readonly server: string;
  readonly issuer: string;
  /** Access tokens are good for so long. Null: answers do not say it. Default: an hour. */
  readonly lifeSeconds?: number | null;
  /** Whether clients may be named by their documents. Default: no, they register. */
  readonly readsDocuments?: boolean;
  /** Whether registered clients get a secret, which they have to send. Default: no. */
  readonly givesSecrets?: boolean;
  /** Whether there are refresh tokens. Default: yes. */
  readonly refreshes?: boolean;
};

type Client = {
  readonly id: string;
  readonly secret: string | null;
  readonly redirectUris: readonly string[];
};

type Code = {
  readonly client: Client;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scope: string;
  readonly family: Family;
  isUsed: boolean;
};

/** All tokens of one sign-in: they end together. */
type Family = { isOver: boolean; refresh: string | null; readonly access: Set<string> };

type Asked = {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly error: string | null;
};

export class SignInServer {
  /** Requests for a token, and to end one, in order. */
  readonly asked: Asked[] = [];
  /** Requests of a browser, with why they were refused. */
  readonly sentThere: { readonly query: Readonly<Record<string, string>>; readonly error: string | null }[] =
    [];
  readonly registered: Readonly<Record<string, unknown>>[] = [];
  /** Addresses of documents that were read. */
  readonly documents: string[] = [];
  /** What was in the header Authorization of requests of the protocol. */
  readonly authorizations: (string | undefined)[] = [];
  /** Every secret that it gave. */
  readonly issued: string[] = [];
  /** Changes what it publishes. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** Changes the answer that the browser brings back. */
  answer: Readonly<Record<string, string | null>> = {};
  /** In the place of the token endpoint's answers, one each. */
  readonly faults: { readonly status: number; readonly body: string }[] = [];
  /** Waited for before a token request is answered. */
  hold: Promise<void> = Promise.resolve();
  /** Token requests that wait for it. */
  waiting = 0;
  readonly #clients = new Map<string, Client>();
  readonly #codes = new Map<string, Code>();
  readonly #families = new Set<Family>();
  /** Those that were used, to know a thief by. */
  readonly #used = new Map<string, Family>();
  readonly #options: SignInOptions;
  readonly #mcp = answersMcp(this.authorizations);

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  get resource(): string {
    return `${this.#options.server}/mcp`;
  }

  /** Access tokens that it gave are good no more; refresh tokens are. */
  forgetAccess(): void {
    for (const { access } of this.#families) access.clear();
  }

  /** Sign-ins that are good. */
  get living(): number {
    return [...this.#families].filter(({ isOver }) => !isOver).length;
  }

  /** Ends every sign-in, as a person does in the settings there. */
  endAll(): void {
    for (const family of this.#families) end(family);
  }

  readonly respond = (request: IncomingMessage, response: ServerResponse): void => {
    void this.#respond(request, response).catch((cause: unknown) => {
      json(response, 500, { error: String(cause) });
    });
  };

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { server, issuer } = this.#options;
    const url = new URL(request.url ?? "/", issuer);
    const at = `${request.headers.host === new URL(server).host ? "server" : "issuer"} ${url.pathname}`;
    switch (at) {
      case "server /.well-known/oauth-protected-resource/mcp":
        json(response, 200, {
          resource: this.resource,
          authorization_servers: [issuer],
          scopes_supported: ["tools"],
        });
        return;
      case "server /mcp":
        this.#serve(request, response);
        return;
      case "issuer /.well-known/oauth-authorization-server":
        json(response, 200, this.#metadata());
        return;
      case "issuer /register":
        this.#register(response, JSON.parse(await bodyOf(request)));
        return;
      case "issuer /authorize":
        await this.#authorize(response, url.searchParams);
        return;
      case "issuer /token":
        await this.#token(request, response);
        return;
      case "issuer /revoke":
        await this.#revoke(request, response);
        return;
      default:
        json(response, 404, { error: "not_found" });
        return;
    }
  }

  #metadata(): object {
    const { issuer, readsDocuments = false, givesSecrets = false } = this.#options;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      revocation_endpoint: `${issuer}/revoke`,
      ...(readsDocuments
        ? { client_id_metadata_document_supported: true }
        : { registration_endpoint: `${issuer}/register` }),
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: [givesSecrets ? "client_secret_basic" : "none"],
      authorization_response_iss_parameter_supported: true,
      ...this.metadata,
    };
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const [, token = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if ([...this.#families].some(({ isOver, access }) => !isOver && access.has(token))) {
      this.#mcp(request, response);
      return;
    }
    this.authorizations.push(request.headers.authorization);
    const about = `${this.#options.server}/.well-known/oauth-protected-resource/mcp`;
    response.setHeader("www-authenticate", `Bearer resource_metadata="${about}", scope="tools"`);
    json(response, 401, { error: "invalid_token" });
  }

  /** RFC 7591. */
  #register(response: ServerResponse, asked: Readonly<Record<string, unknown>>): void {
    this.registered.push(asked);
    const { redirect_uris: uris, application_type: type, token_endpoint_auth_method: method } = asked;
    const redirectUris = Array.isArray(uris) ? uris.map(String) : [];
    const mayReturn = ({ protocol, hostname }: URL) =>
      type === "native"
        ? protocol === "http:" && ["localhost", "127.0.0.1"].includes(hostname)
        : protocol === "https:";
    if (redirectUris.length === 0 || !redirectUris.every((uri) => mayReturn(new URL(uri)))) {
      json(response, 400, { error: "invalid_redirect_uri" });
      return;
    }
    if (method !== "none") {
      json(response, 400, { error: "invalid_client_metadata" });
      return;
    }
    const secret = this.#options.givesSecrets === true ? this.#issue("secret") : null;
    const client = { id: `client-${this.registered.length}`, secret, redirectUris };
    this.#clients.set(client.id, client);
    json(response, 201, {
      ...asked,
      client_id: client.id,
      ...(secret === null
        ? {}
        : {
            client_secret: secret,
            client_secret_expires_at: 0,
            token_endpoint_auth_method: "client_secret_basic",
          }),
    });
  }

  async #findClient(id: string): Promise<Client | null> {
    const known = this.#clients.get(id);
    if (known !== undefined || this.#options.readsDocuments !== true || !id.startsWith("https://"))
      return known ?? null;
    this.documents.push(id);
    const answer = await fetch(id, { redirect: "error" }).catch(() => null);
    if (answer?.status !== 200) return null;
    const { client_id, redirect_uris, token_endpoint_auth_method } = (await answer.json()) as Readonly<
      Record<string, unknown>
    >;
    if (client_id !== id || token_endpoint_auth_method !== "none" || !Array.isArray(redirect_uris))
      return null;
    const client = { id, secret: null, redirectUris: redirect_uris.map(String) };
    this.#clients.set(id, client);
    return client;
  }

  /** What cannot be trusted is said here, everything else by the way back (RFC 6749 §4.1.2.1). */
  async #authorize(response: ServerResponse, query: URLSearchParams): Promise<void> {
    const { issuer } = this.#options;
    const asked = Object.fromEntries(query);
    const client = await this.#findClient(asked.client_id ?? "");
    const redirectUri = asked.redirect_uri ?? "";
    const lost =
      client === null
        ? "invalid_client"
        : client.redirectUris.includes(redirectUri)
          ? null
          : "invalid_redirect_uri";
    if (client === null || lost !== null) {
      this.sentThere.push({ query: asked, error: lost });
      json(response, 400, { error: lost });
      return;
    }
    const challenge = asked.code_challenge ?? "";
    const isChallenge = /^[\w-]{43}$/.test(challenge) && asked.code_challenge_method === "S256";
    const scope = asked.scope ?? "";
    const error = !isChallenge
      ? "invalid_request"
      : asked.response_type !== "code"
        ? "unsupported_response_type"
        : asked.resource !== this.resource
          ? "invalid_target"
          : scope.split(" ").some((one) => !["", "tools", "offline_access"].includes(one))
            ? "invalid_scope"
            : null;
    this.sentThere.push({ query: asked, error });
    const back = new URL(redirectUri);
    const give = () => {
      const code = this.#issue("code");
      const family: Family = { isOver: false, refresh: null, access: new Set() };
      this.#codes.set(code, { client, redirectUri, challenge, scope, family, isUsed: false });
      return { code };
    };
    const answer = {
      ...(error === null ? give() : { error }),
      state: asked.state ?? "",
      iss: issuer,
      ...this.answer,
    };
    for (const [name, value] of Object.entries(answer))
      if (value !== null) back.searchParams.set(name, value);
    response.writeHead(303, { location: back.href }).end();
  }

  async #token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(await bodyOf(request)));
    const fault = this.faults.shift();
    this.waiting += 1;
    await this.hold;
    this.waiting -= 1;
    const done = fault === undefined ? this.#grant(form, request.headers.authorization) : { error: "fault" };
    this.asked.push({
      path: "/token",
      form,
      error: typeof done === "object" && "error" in done ? done.error : null,
    });
    if (fault !== undefined) {
      response.writeHead(fault.status, { "content-type": "application/json" }).end(fault.body);
      return;
    }
    // As servers do that repeat what they were sent.
    if ("error" in done) {
      const said = `refused: ${form.refresh_token ?? form.code ?? ""}`;
      json(response, done.error === "invalid_client" ? 401 : 400, {
        ...done,
        error_description: said,
      });
      return;
    }
    const { family, scope } = done;
    const { lifeSeconds = 3600, refreshes = true } = this.#options;
    const access = this.#issue("access");
    family.access.add(access);
    this.#families.add(family);
    family.refresh = refreshes ? this.#issue("refresh") : null;
    json(response, 200, {
      access_token: access,
      token_type: "Bearer",
      ...(lifeSeconds === null ? {} : { expires_in: lifeSeconds }),
      ...(family.refresh === null ? {} : { refresh_token: family.refresh }),
      ...(scope === null ? {} : { scope }),
    });
  }

  #grant(
    form: Readonly<Record<string, string>>,
    authorization: string | undefined,
  ): { readonly error: string } | { readonly family: Family; readonly scope: string | null } {
    const client = this.#clientOf(form, authorization);
    if (client === null) return { error: "invalid_client" };
    if (form.resource !== this.resource) return { error: "invalid_target" };
    switch (form.grant_type) {
      case "authorization_code": {
        const code = this.#codes.get(form.code ?? "");
        if (code === undefined) return { error: "invalid_grant" };
        // A code that comes twice was stolen: what it gave is over.
        if (code.isUsed) end(code.family);
        const isProven = hash("sha256", form.code_verifier ?? "", "base64url") === code.challenge;
        const isTheirs = code.client.id === client.id && code.redirectUri === form.redirect_uri;
        if (code.isUsed || !isProven || !isTheirs) return { error: "invalid_grant" };
        code.isUsed = true;
        return { family: code.family, scope: code.scope };
      }
      case "refresh_token": {
        const token = form.refresh_token ?? "";
        const stolen = this.#used.get(token);
        if (stolen !== undefined) end(stolen);
        const family = [...this.#families].find(({ refresh, isOver }) => !isOver && refresh === token);
        if (family === undefined) return { error: "invalid_grant" };
        this.#used.set(token, family);
        family.access.clear();
        return { family, scope: null };
      }
      default:
        return { error: "unsupported_grant_type" };
    }
  }

  #clientOf(form: Readonly<Record<string, string>>, authorization = ""): Client | null {
    const basic = Buffer.from(authorization.replace(/^Basic /, ""), "base64").toString("utf8");
    const [id = "", secret = ""] =
      basic === "" ? [form.client_id ?? ""] : basic.split(":").map(decodeURIComponent);
    const client = this.#clients.get(id);
    if (client === undefined) return null;
    return client.secret === null || client.secret === secret ? client : null;
  }

  /** RFC 7009: a refresh token ends everything of its sign-in. One that is unknown is over, too. */
  async #revoke(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(await bodyOf(request)));
    const client = this.#clientOf(form, request.headers.authorization);
    this.asked.push({ path: "/revoke", form, error: client === null ? "invalid_client" : null });
    if (client === null) {
      json(response, 401, { error: "invalid_client" });
      return;
    }
    for (const family of this.#families) {
      if (family.refresh === form.token) end(family);
      family.access.delete(form.token ?? "");
    }
    response.writeHead(200).end();
  }

  #issue(kind: string): string {
    const secret = `${kind}-${randomBytes(18).toString("base64url")}`;
    this.issued.push(secret);
    return secret;
  }
}

function end(family: Family): void {
  family.isOver = true;
  family.access.clear();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
