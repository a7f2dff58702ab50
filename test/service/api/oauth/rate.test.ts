// Every address of the authorization server counts what one address asks, and says when to come back.

import { afterEach, expect, it } from "vitest";
import { type OAuthFixture, openOAuthFixture } from "./oauth-fixture.ts";

let oauth: OAuthFixture;

afterEach(() => oauth.close());

it.each([
  ["POST", "/oauth/token"],
  ["POST", "/oauth/revoke"],
  ["POST", "/oauth/register"],
  ["POST", "/oauth/device_authorization"],
  ["GET", "/oauth/authorize"],
  ["GET", "/oauth/authorize/an-interaction"],
])("%s %s", async (method, path) => {
  oauth = await openOAuthFixture({ addressRatePerMinute: 2 });
  const ask = () => oauth.ask(path, method === "GET" ? {} : { method, form: { client_id: "unknown" } });
  const answers = [await ask(), await ask(), await ask()];
  expect(answers.slice(0, 2).map(({ status }) => status)).not.toContain(429);
  expect(answers[2]).toMatchObject({ status: 429, body: { error: "temporarily_unavailable" } });
  expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(0);
  oauth.fixture.clock.advance(60_000);
  expect((await ask()).status).not.toBe(429);
});
