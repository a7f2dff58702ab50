// The pages of workspaces: what their owner makes and sees, and what nobody else learns.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CoreFixture } from "../../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../../support/fixtures/start-fixture.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../../../support/service-account.ts";
import { storeKinds } from "../../../../../support/stores/stores.ts";
import { signInTo } from "../../../../../support/web-sign-in.ts";

for (const kind of storeKinds) {
  describe.skipIf(kind.isSkipped)(`the pages of workspaces on ${kind.name}`, () => {
    let fixture: CoreFixture;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let mine: TestAccount;
    let cookie: string;

    beforeAll(async () => {
      fixture = await startFixture({ level: "core", store: kind });
      api = await openCaller(fixture);
      mine = await makeAccount(fixture);
      ({ cookie } = await signInTo(fixture.core, mine.id));
    });

    afterAll(() => api.close());

    const get = (path: string, headers: Readonly<Record<string, string>> = { cookie }) =>
      api.send(path, { headers });
    const post = (path: string, form: Readonly<Record<string, string>>, origin?: string) =>
      api.send(path, {
        method: "POST",
        form,
        headers: { cookie, origin: origin ?? fixture.core.policy.baseUrl },
      });
    const make = async (name: string, key = name) => {
      const made = await post("/workspaces", { name, manager: mine.agent.id, key });
      expect(made.status, made.text).toBe(303);
      return made.headers.get("location") ?? "";
    };

    it("makes one by a form, once however often it is sent, and shows it", async () => {
      const path = await make("Site <b>&amp;</b>");
      expect(await make("Site <b>&amp;</b>")).toBe(path);
      const shown = await get(path);
      expect(shown.status).toBe(200);
      expect(shown.text).toContain("<h1>Site &lt;b&gt;&amp;amp;&lt;/b&gt;</h1>");
      expect(shown.text).toContain(`/agent/${mine.agent.id}`);
      expect(shown.headers.get("content-security-policy")).toMatch(/script-src 'none'/);
      for (const list of ["/workspaces", "/"]) {
        const { text } = await get(list);
        expect(text.split(`href="${path}"`).length - 1, list).toBe(1);
      }
      const history = await get(`${path}/history`);
      expect(history.text).toContain("New workspace");
      expect(history.text).toContain("current");
    });

    it("says what is wrong with a form, and changes nothing for another origin", async () => {
      const before = (await get("/workspaces")).text.split("/workspaces/").length;
      const unnamed = await post("/workspaces", { name: " ", manager: "", key: "k" });
      expect([unnamed.status, unnamed.text.includes('role="alert"')]).toEqual([422, true]);
      const foreign = await post("/workspaces", { name: "x", manager: "", key: "x" }, "https://evil.example");
      expect(foreign.status).toBe(403);
      expect((await get("/workspaces")).text.split("/workspaces/").length).toBe(before);
    });

    it("is not there for anybody else", async () => {
      const path = await make("mine");
      const theirs = await makeAccount(fixture);
      const { cookie: other } = await signInTo(fixture.core, theirs.id);
      const revision = /revisions\/([0-9a-f-]{36})/.exec((await get(path)).text)?.[1] ?? "";
      expect(revision).not.toBe("");
      for (const page of [
        path,
        `${path}/files`,
        `${path}/history`,
        `${path}/revisions/${revision}`,
        `${path}/revisions/${revision}/files`,
      ]) {
        expect((await get(page)).status, page).toBe(200);
        const refused = await get(page, { cookie: other });
        expect(refused.status, page).toBe(404);
        expect(refused.text).not.toContain("mine");
        const anonymous = await get(page, {});
        expect(anonymous.headers.get("location")).toBe(`/sign-in?to=${encodeURIComponent(page)}`);
      }
      const own = /revisions\/([0-9a-f-]{36})/.exec((await get(await make("another"))).text)?.[1] ?? "";
      for (const missing of [
        `/workspaces/nothing`,
        `${path}/revisions/${own}`,
        `${path}/revisions/${own}/files`,
        `${path}/files/none`,
        `${path}/files/%zz`,
      ])
        expect((await get(missing)).status, missing).toBe(404);
    });
  });
}
