// An MCP application by the protocol's own client, and its person in a browser.

import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import type { WebBrowser } from "../web-browser.ts";

const REDIRECT = "http://127.0.0.1:5555/callback";

/** What an application keeps of itself, as the client's makers mean it. */
export class Application implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { client_name: "Notebook", redirect_uris: [REDIRECT] };
  /** Where it sent its person. */
  page: URL | undefined;
  #client: ReturnType<OAuthClientProvider["clientInformation"]>;
  #tokens: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  #verifier = "";
  #found: OAuthDiscoveryState | undefined;

  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: NonNullable<Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>>) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: NonNullable<Awaited<ReturnType<OAuthClientProvider["tokens"]>>>) {
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.page = url;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
  saveDiscoveryState(found: OAuthDiscoveryState) {
    this.#found = found;
  }
  discoveryState() {
    return this.#found;
  }
}

/** As a person does: signs in with a key, and allows what is asked. Returns where the browser is sent in the end. */
export async function allow(
  browser: WebBrowser,
  { page, baseUrl, key }: { page: URL | undefined; baseUrl: string; key: string },
): Promise<URL> {
  await signIn(browser, { baseUrl, key });
  const consent = await browser.open(page?.href ?? "");
  expect(consent.answer.text).toContain("Notebook");
  const action = /action="(\/oauth\/consent\/[^"]+)"/.exec(consent.answer.text)?.[1] ?? "";
  let answer = await browser.post(baseUrl + action, { decision: "allow" });
  for (let steps = 0; steps < 10; steps += 1) {
    const to = new URL(answer.headers.get("location") ?? "", baseUrl);
    if (to.href.startsWith(REDIRECT)) return to;
    answer = await browser.get(to.href);
  }
  throw new Error("The consent led nowhere.");
}

export async function signIn(
  browser: WebBrowser,
  { baseUrl, key }: { baseUrl: string; key: string },
): Promise<void> {
  expect((await browser.post(`${baseUrl}/sign-in`, { key, to: "/" })).status).toBe(303);
}
