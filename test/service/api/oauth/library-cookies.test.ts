// The cookies of the authorization server: no other host or path can set them, and each request has its own.

import { afterEach, expect, it } from "vitest";
import { call } from "../../../support/service-client.ts";
import { authorizePath, makeProof, type OAuthFixture, openOAuthFixture } from "./oauth-fixture.ts";

let oauth: OAuthFixture | undefined;

afterEach(() => oauth?.close());

it("are `__Host-` cookies where the service is on https", async () => {
  oauth = await openOAuthFixture({ policy: { baseUrl: "https://agents.example" } });
  const clientId = await oauth.register();
  const path = authorizePath({ client_id: clientId, code_challenge: makeProof().challenge });
  const { headers } = await call(oauth.api.url + path);
  const lines = headers.getSetCookie();
  expect(lines.length).toBeGreaterThanOrEqual(4);
  for (const line of lines) {
    expect(line).toMatch(/^__Host-oauth_(interaction|resume)(\.sig)?\.[\w-]+=/);
    expect(line).toMatch(/; path=\/(;|$)/i);
    expect(line).toMatch(/; secure/i);
    expect(line).toMatch(/; httponly/i);
    expect(line).not.toMatch(/; domain/i);
  }
});

it("let two requests of one browser go on side by side", async () => {
  oauth = await openOAuthFixture();
  const clientId = await oauth.register();
  const browser = await oauth.browser();
  const begin = async (state: string) => {
    const path = authorizePath({ client_id: clientId, state, code_challenge: makeProof().challenge });
    const page = await browser.follow(await browser.get(path));
    return { state, action: /action="(\/oauth\/consent\/[^"]+)"/.exec(page.text)?.[1] ?? "" };
  };
  const begun = [await begin("first"), await begin("second")];
  expect(begun[0]?.action).not.toBe(begun[1]?.action);
  for (const { state, action } of begun) {
    const left = await browser.follow(await browser.post(action, { decision: "allow" }));
    const { searchParams } = new URL(left.headers.get("location") ?? "");
    expect([searchParams.get("state"), searchParams.has("code")]).toEqual([state, true]);
  }
});
