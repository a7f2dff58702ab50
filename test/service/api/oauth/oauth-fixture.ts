// An application and an account's owner before the authorization server: the pages are asked as a browser would, with a jar
// of cookies, and never by a script.

import { createHash, randomBytes } from "node:crypto";
import type { AnyFace } from "../../../../src/service/api/http/any-face.ts";
import type { FaceParts } from "../../../../src/service/api/http/face.ts";
import { type DocumentAccess, documentFetcher } from "../../../../src/service/api/oauth/client-document.ts";
import { oauthApp } from "../../../../src/service/api/oauth/oauth-app.ts";
import { oauthFacePaths } from "../../../../src/service/api/oauth/paths.ts";
import { faces } from "../../../../src/service/faces/faces.ts";
import type { CoreFixture, CoreFixtureOptions } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";
import { type Answer, type Call, call } from "../../../support/service-client.ts";
import { signInTo } from "../../../support/web-sign-in.ts";

export const REDIRECT = "http://127.0.0.1:5555/callback";

export type Tokens = {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
};

export type OAuthFixture = {
  readonly fixture: CoreFixture;
  readonly api: HttpApi;
  readonly account: TestAccount;
  /** Where the service says it is. */
  readonly issuer: string;
  ask(path: string, options?: Call): Promise<Answer>;
  /** Registers a public client. */
  register(redirectUris?: readonly string[]): Promise<string>;
  browser(accountId?: string): Promise<Browser>;
  close(): Promise<void>;
};

export type OAuthFixtureOptions = CoreFixtureOptions & {
  /** How documents of clients are fetched. Default: as the service does. */
  readonly documents?: DocumentAccess;
};

export async function openOAuthFixture(options: OAuthFixtureOptions = {}): Promise<OAuthFixture> {
  const fixture = await startFixture({ level: "core", ...options });
  const account = await makeAccount(fixture);
  const api = await openHttpApi(fixture, facesWith(options.documents));
  const ask = (path: string, given?: Call) => call(api.url + path, given);
  return {
    fixture,
    api,
    account,
    issuer: fixture.core.policy.baseUrl,
    ask,
    register: async (redirectUris = [REDIRECT]) => {
      // Registrations are few a minute.
      fixture.clock.advance(12_000);
      const json = { redirect_uris: redirectUris, client_name: "Test application" };
      const { body } = await ask("/oauth/register", { method: "POST", json });
      return (body as { client_id: string }).client_id;
    },
    browser: async (accountId = account.id) => {
      const { cookie } = await signInTo(fixture.core, accountId);
      return new Browser(api.url, fixture.core.policy.baseUrl, cookie);
    },
    close: () => api.close(),
  };
}

function facesWith(documents: DocumentAccess | undefined): readonly AnyFace[] {
  if (documents === undefined) return faces;
  const fetchDocument = documentFetcher(documents);
  const load = async () => (parts: FaceParts) => oauthApp(parts, fetchDocument);
  return faces.map((face) => ("paths" in face && face.paths === oauthFacePaths ? { ...face, load } : face));
}

/** Keeps cookies as a browser does, and says of a form where it comes from. */
export class Browser {
  readonly #url: string;
  readonly #issuer: string;
  readonly #jar = new Map<string, string>();

  constructor(url: string, issuer: string, cookie: string) {
    this.#url = url;
    this.#issuer = issuer;
    this.#keep(cookie);
  }

  async get(path: string): Promise<Answer> {
    return await this.#ask(path, {});
  }

  async post(path: string, form: Readonly<Record<string, string>>): Promise<Answer> {
    return await this.#ask(path, { method: "POST", form, headers: { "sec-fetch-site": "same-origin" } });
  }

  /** Follows redirects within the service; the last answer, or the redirect that leaves it. */
  async follow(first: Answer): Promise<Answer> {
    let answer = first;
    for (let hops = 0; hops < 10; hops += 1) {
      const location = answer.headers.get("location");
      if (location === null) return answer;
      const path = location.startsWith(this.#issuer) ? location.slice(this.#issuer.length) : location;
      if (!path.startsWith("/")) return answer;
      answer = await this.get(path);
    }
    throw new Error("Too many redirects.");
  }

  get cookies(): ReadonlyMap<string, string> {
    return this.#jar;
  }

  async #ask(path: string, options: Call): Promise<Answer> {
    const cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await call(this.#url + path, { ...options, headers: { ...options.headers, cookie } });
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    return answer;
  }

  #keep(line: string): void {
    const [pair = ""] = line.split(";");
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    if (value === "" || /expires=Thu, 01 Jan 1970/i.test(line)) this.#jar.delete(name);
    else this.#jar.set(name, value);
  }
}

export type Proof = { readonly verifier: string; readonly challenge: string };

export function makeProof(): Proof {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** The address of an authorization request. A parameter that is null is left out. */
export function authorizePath(
  parameters: Readonly<Record<string, string | null>> & {
    readonly client_id: string;
    readonly code_challenge: string;
  },
): string {
  const all = {
    response_type: "code",
    redirect_uri: REDIRECT,
    code_challenge_method: "S256",
    state: "st",
    scope: "runs:read runs:write",
    ...parameters,
  };
  const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null);
  return `/oauth/authorize?${new URLSearchParams(given)}`;
}

export type Authorized = { readonly code: string; readonly verifier: string; readonly location: URL };

/** The owner allows what is asked. */
export async function authorize(
  { browser }: { browser: Browser },
  parameters: Readonly<Record<string, string | null>> & { readonly client_id: string },
): Promise<Authorized> {
  const { verifier, challenge } = makeProof();
  const path = authorizePath({ code_challenge: challenge, ...parameters });
  const page = await browser.follow(await browser.get(path));
  const action = /action="(\/oauth\/consent\/[^"]+)"/.exec(page.text)?.[1];
  if (action === undefined) throw new Error(`There is no form: ${page.status} ${page.text}`);
  const left = await browser.follow(await browser.post(action, { decision: "allow" }));
  const location = new URL(left.headers.get("location") ?? "");
  return { code: location.searchParams.get("code") ?? "", verifier, location };
}

/** The form that redeems a code. */
export function redemption(clientId: string, { code, verifier }: Pick<Authorized, "code" | "verifier">) {
  return {
    grant_type: "authorization_code",
    client_id: clientId,
    redirect_uri: REDIRECT,
    code,
    code_verifier: verifier,
  };
}

export function refreshing(clientId: string, token: string) {
  return { grant_type: "refresh_token", client_id: clientId, refresh_token: token };
}

/** Signs an application in. */
export async function signInApplication(
  oauth: OAuthFixture,
  parameters: Readonly<Record<string, string | null>> = {},
): Promise<Tokens & { readonly clientId: string }> {
  const clientId = await oauth.register();
  const browser = await oauth.browser();
  const authorized = await authorize({ browser }, { client_id: clientId, ...parameters });
  const answer = await oauth.ask("/oauth/token", { method: "POST", form: redemption(clientId, authorized) });
  if (answer.status !== 200) throw new Error(`No tokens: ${answer.text}`);
  return { ...(answer.body as Tokens), clientId };
}
