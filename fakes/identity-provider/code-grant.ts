// The two endpoints of the authorization code grant, as strict as a provider's: the client's redirect address, PKCE by
// S256, a code for one use, the client's secret.

import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "../code-host/server.ts";

export const CLIENT_ID = "agent-service";
export const CLIENT_SECRET = "client-secret-0123456789";

export type Authorized = { readonly nonce: string | null; readonly scope: string };

type Pending = Authorized & { readonly redirectUri: string; readonly challenge: string };

export class CodeGrant {
  readonly #codes = new Map<string, Pending>();

  /** Its person agrees at once: leads back with a code. */
  authorize(url: URL, response: ServerResponse): void {
    const given = (name: string) => url.searchParams.get(name) ?? "";
    const redirectUri = given("redirect_uri");
    const isRight =
      given("client_id") === CLIENT_ID &&
      given("response_type") === "code" &&
      given("code_challenge_method") === "S256" &&
      /\/sign-in\/callback\/(oidc|github)$/.test(redirectUri);
    if (!isRight) {
      response.writeHead(400).end("The request is not as the client was registered.");
      return;
    }
    const code = randomBytes(16).toString("hex");
    this.#codes.set(code, {
      redirectUri,
      challenge: given("code_challenge"),
      nonce: url.searchParams.get("nonce"),
      scope: given("scope"),
    });
    const back = new URL(redirectUri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", given("state"));
    response.writeHead(302, { location: back.href }).end();
  }

  /** What a code was issued for, once; null where the request is wrong. */
  async redeem(request: IncomingMessage): Promise<Authorized | null> {
    const form = new URLSearchParams((await readBody(request)).toString());
    const code = form.get("code") ?? "";
    const pending = this.#codes.get(code);
    this.#codes.delete(code);
    if (pending === undefined || !isClient(request, form)) return null;
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isSame = pending.challenge === challenge && pending.redirectUri === form.get("redirect_uri");
    return isSame ? pending : null;
  }
}

function isClient(request: IncomingMessage, form: URLSearchParams): boolean {
  const basic = `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString("base64")}`;
  return (
    request.headers.authorization === basic ||
    (form.get("client_id") === CLIENT_ID && form.get("client_secret") === CLIENT_SECRET)
  );
}
