// What every page meets: who is signed in, where a request comes from, what a page may load.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";
import { call } from "../../../support/service-client.ts";
import { ownerOf, signInTo } from "../../../support/web-sign-in.ts";

const ACCOUNT = "01890000-0000-7000-8000-000000000001";

describe("the pages", () => {
  let core: CoreFixture;
  let api: HttpApi;

  beforeAll(async () => {
    core = await startFixture({ level: "core" });
    api = await openHttpApi(core);
  });

  afterAll(() => api.close());

  const signIn = () => signInTo(core.core, ACCOUNT);

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    call(api.url + path, { headers });

  const signOut = (headers: Readonly<Record<string, string>>) =>
    call(`${api.url}/sign-out`, { method: "POST", headers });

  const sessions = async () =>
    (
      await core.store.committed.webSessions.list({
        personId: await ownerOf(core.core, ACCOUNT),
        now: core.clock.now(),
      })
    ).length;

  it("change nothing for a page of another origin, or for whoever does not say where they come from", async () => {
    const { cookie } = await signIn();
    const origin = "https://evil.example";
    const foreign: readonly Readonly<Record<string, string>>[] = [
      {},
      { origin },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "cross-site", origin: core.core.policy.baseUrl },
    ];
    for (const from of foreign) {
      const answer = await signOut({ cookie, ...from });
      expect([from, answer.status]).toEqual([from, 403]);
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    expect(await sessions()).toBe(1);
    const answer = await signOut({ cookie, origin: core.core.policy.baseUrl });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sign-in"]);
    expect(answer.headers.get("set-cookie")).toMatch(/^session=; Max-Age=0/);
    expect(await sessions()).toBe(0);
  });

  it("know a browser by its cookie alone, until its session ends", async () => {
    const { secret } = await signIn();
    const header = async (headers: Readonly<Record<string, string>>) =>
      /Sign out|Sign in/.exec((await get("/sign-out", headers)).text)?.[0];
    expect(await header({ cookie: `session=${secret}` })).toBe("Sign out");
    expect(await header({})).toBe("Sign in");
    expect(await header({ cookie: `session=${secret.slice(0, -1)}` })).toBe("Sign in");
    expect(await header({ cookie: `__Host-session=${secret}` })).toBe("Sign in");
    expect(await header({ authorization: `Bearer ${secret}` })).toBe("Sign in");
    const bearer = await get("/v1/agents", { authorization: `Bearer ${secret}` });
    expect([bearer.status, bearer.body]).toMatchObject([401, { code: "unauthorized" }]);
    core.clock.advance(13 * 24 * 3_600_000);
    expect(await header({ cookie: `session=${secret}` })).toBe("Sign out");
    core.clock.advance(13 * 24 * 3_600_000);
    expect(await header({ cookie: `session=${secret}` })).toBe("Sign out");
    core.clock.advance(14 * 24 * 3_600_000);
    expect(await header({ cookie: `session=${secret}` })).toBe("Sign in");
  });

  it("load their own style and scripts, by addresses that never change what they are", async () => {
    const answer = await get("/sign-out");
    expect(answer.status).toBe(404);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(answer.headers.get("x-request-id")).not.toBeNull();
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    expect(answer.text).not.toMatch(/<style|style="|<script(?! type="module" src=")|\son\w+="/);
    const [, path = ""] = /href="(\/assets\/[^"]+\.css)"/.exec(answer.text) ?? [];
    const style = await get(path);
    expect([style.status, style.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
    expect(style.headers.get("cache-control")).toContain("immutable");
    expect((await get("/assets/style.000000000000.css")).status).toBe(404);
    expect((await get("/assets/..%2f..%2fpackage.json")).status).toBe(404);
  });

  it("are not loaded before somebody asks for one, and refuse whoever asks too often", async () => {
    const busy = await startFixture({ level: "service", config: { addressRatePerMinute: 3 } });
    try {
      const statuses = [];
      for (let asked = 0; asked < 5; asked += 1) statuses.push((await busy.call("/sign-out")).status);
      expect(statuses).toEqual([404, 404, 404, 429, 429]);
      expect((await busy.call("/sign-out")).headers.get("retry-after")).not.toBeNull();
    } finally {
      await busy.close();
    }
  });
});
