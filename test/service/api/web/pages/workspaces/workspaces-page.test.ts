// The pages of workspaces: what their owner makes and sees, and what nobody else learns.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CoreFixture } from "../../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../../support/fixtures/start-fixture.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../../../support/service-account.ts";
import { onEveryStore } from "../../../../../support/stores/on-every-store.ts";
import { signInTo } from "../../../../../support/web-sign-in.ts";
import { WorkspaceFiles } from "../../../../../support/workspace-files.ts";

onEveryStore((kind) => {
  describe("the pages of workspaces", () => {
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
      const agent = await get(`/agent/${mine.agent.id}`);
      expect(agent.text).toContain(`Manages the workspace <a href="${path}">Site &lt;b&gt;`);
      expect(shown.headers.get("content-security-policy")).toMatch(/script-src 'none'/);
      expect(shown.text).toMatch(/git clone http\S+\/v1\/workspaces\/[0-9a-f-]{36}\.git</);
      for (const list of ["/workspaces", "/"]) {
        const { text } = await get(list);
        expect(text.split(`href="${path}"`).length - 1, list).toBe(1);
      }
      const history = await get(`${path}/history`);
      expect(history.text).toContain("New workspace");
      expect(history.text).toContain("current");
    });

    it("says what is wrong with a form, and changes nothing for another origin", async () => {
      const before = (await get("/workspaces")).text.split("/workspace/").length;
      const unnamed = await post("/workspaces", { name: " ", manager: "", key: "k" });
      expect([unnamed.status, unnamed.text.includes('role="alert"')]).toEqual([422, true]);
      const foreign = await post("/workspaces", { name: "x", manager: "", key: "x" }, "https://evil.example");
      expect(foreign.status).toBe(403);
      expect((await get("/workspaces")).text.split("/workspace/").length).toBe(before);
    });

    it("shows folders and files of what is accepted, of a revision and of a copy, and nothing of theirs as a page", async () => {
      const files = {
        "README.md": "# Hello <script>alert(1)</script>\nsecond\u202Eline\n",
        "docs/a b/ü #1&.txt": "odd",
        "docs/page.html": "<h1>no page</h1>",
        empty: "",
        "binary.dat": "a\0b",
      };
      const workspace = await WorkspaceFiles.make(fixture, { accountId: mine.id, name: "files", files });
      const base = `/workspace/${workspace.workspaceId}`;
      const root = await get(base);
      for (const name of [">docs/</a>", ">README.md</a>", ">empty</a>"]) expect(root.text).toContain(name);
      const readme = await get(`${base}/files/README.md`);
      expect(readme.text).toContain('<span id="L1"># Hello &lt;script&gt;alert(1)&lt;/script&gt;');
      expect(readme.text).toContain("second‹U+202E›line");
      const odd = `${base}/files/docs/a%20b/%C3%BC%20%231%26.txt`;
      const folder = await get(`${base}/files/docs/a%20b`);
      expect(folder.text).toContain(`href="${odd}"`);
      expect((await get(odd)).text).toContain('<span id="L1">odd');
      expect((await get(`${base}/files/empty`)).text).toContain("The file is empty.");
      expect((await get(`${base}/files/binary.dat`)).text).toContain("This is no text.");
      const page = await get(`${base}/files/docs/page.html?download`);
      expect(page.text).toBe("<h1>no page</h1>");
      expect(page.headers.get("content-type")).toBe("application/octet-stream");
      expect(page.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''page.html");
      expect(page.headers.get("content-security-policy")).toContain("sandbox");
      expect(page.headers.get("x-content-type-options")).toBe("nosniff");
      const copyId = await workspace.copy();
      await workspace.write({ kind: "copy", copyId }, { "new.txt": "unsaved" });
      expect((await get(`${base}/copies/${copyId}/files/new.txt`)).text).toContain("unsaved");
      expect((await get(`${base}/files/new.txt`)).status).toBe(404);
      expect((await get(base)).text).toContain("1 file");
      const saved = await workspace.checkpoint(copyId, "Add <new>");
      expect((await get(`${base}/revisions/${saved}/files/new.txt`)).text).toContain("unsaved");
      const revision = await get(`${base}/revisions/${saved}`);
      expect(revision.text).toContain("<h1>Add &lt;new&gt;</h1>");
      expect(revision.text.match(/<span class="good">added<\/span>/g)).toHaveLength(1);
      expect((await get(`${base}/history`)).text).not.toContain(saved);
      expect((await get(`${base}/history?all`)).text).toContain(saved);
    });

    it("shows a long folder and a long file in parts", async () => {
      const names = Array.from({ length: 620 }, (_, at) => `f${String(at).padStart(4, "0")}`);
      const files = Object.fromEntries(names.map((name) => [`many/${name}`, name]));
      const long = `${"line\n".repeat(25_000)}last`;
      const workspace = await WorkspaceFiles.make(fixture, {
        accountId: mine.id,
        name: "long",
        files: { ...files, "long.txt": long },
      });
      const base = `/workspace/${workspace.workspaceId}/files`;
      const first = (await get(`${base}/many`)).text;
      const next = /href="([^"]*\?after=[^"]*)"/.exec(first)?.[1] ?? "";
      const second = (await get(next)).text;
      const shown = [first, second].flatMap((text) =>
        [...text.matchAll(/>(f\d{4})<\/a>/g)].map(([, name]) => name),
      );
      expect(shown).toEqual(names);
      expect(second).not.toContain("?after=");
      const { text } = await get(`${base}/long.txt`);
      expect(text).toContain('id="L20000"');
      expect(text).not.toContain('id="L20001"');
      expect(text).toContain("5,001 more lines are in the download.");
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
        "/workspace/nothing",
        `${path}/revisions/${own}`,
        `${path}/revisions/${own}/files`,
        `${path}/files/none`,
        `${path}/files/%zz`,
      ])
        expect((await get(missing)).status, missing).toBe(404);
    });
  });
});
