// The pages of changesets: what its owner sees before deciding, and that nothing else is decided than what was shown.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CoreFixture } from "../../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../../support/fixtures/start-fixture.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../../../support/service-account.ts";
import { onEveryStore } from "../../../../../support/stores/on-every-store.ts";
import { signInTo } from "../../../../../support/web-sign-in.ts";
import { type Files, WorkspaceFiles } from "../../../../../support/workspace-files.ts";

onEveryStore((kind) => {
  describe("the pages of changesets", () => {
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
    const post = (path: string, form: Readonly<Record<string, string>>, as = cookie) =>
      api.send(path, {
        method: "POST",
        form,
        headers: { cookie: as, origin: fixture.core.policy.baseUrl },
      });
    const make = (files: Files) => WorkspaceFiles.make(fixture, { accountId: mine.id, name: "w", files });
    /** A copy in which files were written, proposed. */
    const propose = async (workspace: WorkspaceFiles, files: Files) => {
      const copyId = await workspace.copy();
      await workspace.replace({ kind: "copy", copyId }, files);
      await workspace.checkpoint(copyId, "Work");
      return await workspace.propose(copyId, `Change ${Object.keys(files).join(", ")}`);
    };
    const formOf = (text: string) =>
      Object.fromEntries(
        ["key", "expected_current_revision"].map((name) => [
          name,
          new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? "",
        ]),
      );
    const current = async (workspace: WorkspaceFiles, path: string) => {
      const { text, status } = await get(`/workspace/${workspace.workspaceId}/files/${path}?download`);
      return status === 200 ? text : null;
    };

    it("shows the diff as text, accepts with evidence, and then says so", async () => {
      const workspace = await make({ "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" });
      const id = await propose(workspace, { "a.txt": "one\n<b>2</b>\nthree\n", "new.txt": "new\n" });
      const path = `/workspace/${workspace.workspaceId}/changesets/${id}`;
      expect((await get(`/workspace/${workspace.workspaceId}`)).text).toContain(`href="${path}"`);
      const shown = await get(path);
      expect(shown.text).toMatch(/<div class="added" data-new="2"><code>.*&lt;b&gt;2&lt;\/b&gt;.*<\/code>/);
      expect(shown.text).toMatch(/<div class="removed" data-old="2"><code>.*two.*<\/code>/);
      expect((await get(`${path}/patch`)).text).toContain("+<b>2</b>");
      const form = formOf(shown.text);
      const empty = await post(`${path}/accept`, { ...form, evidence: "  " });
      expect([empty.status, empty.text.includes('role="alert"')]).toEqual([409, true]);
      expect(await current(workspace, "new.txt")).toBe(null);
      const accepted = await post(`${path}/accept`, { ...form, evidence: "I read it.\r\nTwice." });
      expect([accepted.status, accepted.headers.get("location")], accepted.text).toEqual([303, path]);
      expect(await current(workspace, "a.txt")).toBe("one\n<b>2</b>\nthree\n");
      const after = (await get(path)).text;
      expect(after).toContain("This was accepted");
      expect(after).toContain("I read it.\nTwice.");
      expect(after).not.toContain("<textarea");
      const twice = await post(`${path}/reject`, { key: "later" });
      expect([twice.status, twice.text.includes("is accepted already")]).toEqual([409, true]);
    });

    it("has the changes on the card of the approval that an AI client asked for, and approves exactly them", async () => {
      const workspace = await make({ "a.txt": "one\ntwo\n" });
      const ids = [
        await propose(workspace, { "a.txt": "one\n<b>2</b>\n" }),
        await propose(workspace, { "b.txt": "b\n" }),
      ];
      const { workspaceId } = workspace;
      const { text } = await get(`/workspace/${workspaceId}/changesets/${ids[0]}`);
      const expected = formOf(text).expected_current_revision;
      const links: string[] = [];
      for (const id of ids) {
        const asked = await api.send(`/v1/workspaces/${workspaceId}/changesets/${id}/accept`, {
          method: "POST",
          bearer: mine.aiClient,
          json: { expected_current_revision: expected, validation_evidence: "Tests <pass>." },
        });
        const { approve_url: url } = asked.body as { approve_url: string };
        links.push(new URL(url).pathname);
      }
      const list = (await get("/approvals")).text;
      for (const link of links) {
        const card = list.slice(list.indexOf(`<h2><a href="${link}">`));
        expect(card.slice(0, card.indexOf("</form>"))).toContain("Tests &lt;pass&gt;.");
        expect(card).toContain(`action="${link}"`);
        expect(card).toContain("<dt>Costs</dt><dd>no credits</dd>");
      }
      expect(list).toMatch(/<div class="added" data-new="2"><code>.*&lt;b&gt;2&lt;\/b&gt;.*<\/code>/);
      const anchors = [...list.matchAll(/ id="([^"]+-file-1)"/g)].map(([, anchor]) => anchor);
      expect(anchors.toSorted()).toEqual(ids.map((id) => `${id}-file-1`).toSorted());
      const decided = await post(links[0] ?? "", { decision: "approve" });
      expect(decided.status, decided.text).toBe(303);
      expect(await current(workspace, "a.txt")).toBe("one\n<b>2</b>\n");
      const after = (await get(links[0] ?? "")).text;
      expect(after).toContain("This is approved.");
      // What was decided is on the changeset's page.
      expect(after).not.toContain('class="diffs"');
    });

    it("accepts nothing on top of what was not shown", async () => {
      const workspace = await make({ "a.txt": "a\n", "b.txt": "b\n" });
      const [one, other] = [
        await propose(workspace, { "a.txt": "A\n" }),
        await propose(workspace, { "b.txt": "B\n" }),
      ];
      const base = `/workspace/${workspace.workspaceId}/changesets`;
      const old = formOf((await get(`${base}/${other}`)).text);
      const first = formOf((await get(`${base}/${one}`)).text);
      expect((await post(`${base}/${one}/accept`, { ...first, evidence: "ok" })).status).toBe(303);
      const moved = await post(`${base}/${other}/accept`, { ...old, evidence: "ok" });
      expect(moved.status).toBe(409);
      expect(moved.text).toContain("The current revision is");
      expect(await current(workspace, "b.txt")).toBe("b\n");
      // The page that refused it has the revision that is accepted now.
      const again = await post(`${base}/${other}/accept`, { ...formOf(moved.text), evidence: "ok" });
      expect(again.status, again.text).toBe(303);
      expect([await current(workspace, "a.txt"), await current(workspace, "b.txt")]).toEqual(["A\n", "B\n"]);
    });

    it("resolves each conflict by a side or by a text", async () => {
      const workspace = await make({ "x.txt": "x\r\n", "y.txt": "y\n", "z.txt": "z\n" });
      const [one, other] = [
        await propose(workspace, { "x.txt": "X1\r\n", "y.txt": "Y1\n", "z.txt": "Z1\n" }),
        await propose(workspace, { "x.txt": "X2\r\n", "y.txt": "Y2\n", "z.txt": "Z2\n" }),
      ];
      const base = `/workspace/${workspace.workspaceId}/changesets`;
      const first = formOf((await get(`${base}/${one}`)).text);
      await post(`${base}/${one}/accept`, { ...first, evidence: "ok" });
      const path = `${base}/${other}`;
      const shown = (await get(path)).text;
      expect(shown).toContain("<h2>3 conflicts</h2>");
      expect(shown).toMatch(/<textarea[^>]*>\n(?:&lt;){7} ours\nY1\n={7}\nY2\n(?:&gt;){7} theirs/);
      expect(shown).not.toContain(`${path}/accept`);
      const form = {
        ...formOf(shown),
        evidence: "Read both.",
        path_0: "x.txt",
        take_0: "content",
        eol_0: "crlf",
        content_0: "X1\r\nX2\r\n",
        path_1: "y.txt",
        take_1: "ours",
        path_2: "z.txt",
        take_2: "theirs",
      };
      const marked = await post(`${path}/resolve`, {
        ...form,
        content_0: "<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n",
      });
      expect(marked.text).toContain("conflict markers");
      const { take_1: _, ...unchosen } = form;
      expect((await post(`${path}/resolve`, unchosen)).text).toContain("Choose what y.txt is to be.");
      const { path_2: __, ...open } = form;
      expect((await post(`${path}/resolve`, open)).status).toBe(409);
      const resolved = await post(`${path}/resolve`, form);
      expect([resolved.status, resolved.headers.get("location")], resolved.text).toEqual([303, path]);
      expect([
        await current(workspace, "x.txt"),
        await current(workspace, "y.txt"),
        await current(workspace, "z.txt"),
      ]).toEqual(["X1\r\nX2\r\n", "Y1\n", "Z2\n"]);
    });

    it("takes a fresh proof to accept, none to reject, and is the owner's alone", async () => {
      const workspace = await make({ "a.txt": "a\n" });
      const id = await propose(workspace, { "a.txt": "A\n" });
      const path = `/workspace/${workspace.workspaceId}/changesets/${id}`;
      const form = formOf((await get(path)).text);
      const theirs = await makeAccount(fixture);
      const { cookie: other } = await signInTo(fixture.core, theirs.id);
      for (const page of [path, `${path}/patch`])
        expect((await get(page, { cookie: other })).status).toBe(404);
      expect((await post(`${path}/accept`, { ...form, evidence: "ok" }, other)).status).toBe(404);
      fixture.clock.advance(10 * 60_000);
      const late = await post(`${path}/accept`, { ...form, evidence: "ok" });
      expect([late.status, late.headers.get("location")]).toEqual([
        303,
        `/sign-in?to=${encodeURIComponent(path)}&again=1`,
      ]);
      const rejected = await post(`${path}/reject`, { key: "r", reason: "Not <now>." });
      expect(rejected.status).toBe(303);
      const after = (await get(path)).text;
      expect(after).toContain("This was rejected");
      expect(after).toContain("Not &lt;now&gt;.");
      expect(await current(workspace, "a.txt")).toBe("a\n");
      ({ cookie } = await signInTo(fixture.core, mine.id));
    });
  });
});
