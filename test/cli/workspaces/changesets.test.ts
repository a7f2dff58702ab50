// agent-service workspaces changesets, as processes of their own against the built service.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KeyFixture } from "../../support/fixtures/key-fixture.ts";

describe("agent-service workspaces changesets", () => {
  let fixture: KeyFixture;
  let folder: string;
  let workspaceId: string;
  beforeAll(async () => {
    fixture = await KeyFixture.start();
    folder = await mkdtemp(join(tmpdir(), "changesets-"));
    workspaceId = (await fixture.client.workspaces.create({ body: { name: "website" } })).id;
  });
  afterAll(async () => {
    await fixture.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (...args: string[]) => fixture.ask("workspaces", "changesets", ...args);
  /** A copy of the current revision with this file, saved. */
  const savedCopy = async (path: string, content: string): Promise<string> => {
    const { id: workingCopyId } = await fixture.json("workspaces", "copies", "create", "website");
    const place = { workspaceId, workingCopyId };
    const { copyFiles } = fixture.client;
    const before = await copyFiles.stat({ ...place, query: { path } }).catch(() => null);
    const match = before !== null && "etag" in before ? { ifMatch: before.etag } : {};
    await copyFiles.write({ ...place, body: { path, content }, ...match });
    await fixture.json(
      "workspaces",
      "checkpoint",
      "website",
      "--copy",
      workingCopyId,
      "--message",
      content.trim(),
    );
    return workingCopyId;
  };
  const propose = async (title: string, content: string): Promise<string> => {
    const copy = await savedCopy("page.txt", content);
    const made = await fixture.json("workspaces", "changesets", "create", "website", title, "--copy", copy);
    return made.id;
  };
  const currentText = async () => {
    const { current_revision_id: revisionId } = await fixture.client.workspaces.get({ workspaceId });
    const query = { path: "page.txt" };
    return (await fixture.client.revisionFiles.read({ workspaceId, revisionId, query })).content;
  };

  it("proposes, lists, shows and accepts", async () => {
    const id = await propose("A first page", "one\n");
    expect((await ask("list", "website", "--status", "open")).stdout).toMatch(
      new RegExp(`^ID +STATUS +FILES +TITLE\n${id} +open +1 +A first page$`),
    );
    const shown = await ask("show", "website", id, "--patch");
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/^title +A first page$[\s\S]*^\+one$/m),
    ]);
    const accepted = await ask("accept", "website", id, "--evidence", "Looked at.");
    expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringMatching(/^status +accepted$/m)]);
    expect(await currentText()).toBe("one\n");
    const missing = await ask("accept", "website", id);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("--evidence")]);
  });

  it("accepts nothing on a revision that was not seen, and settles a conflict by a file, and by a side", async () => {
    const [first, second, third, fourth] = [
      await propose("First", "first\n"),
      await propose("Second", "second\n"),
      await propose("Third", "third\n"),
      await propose("Fourth", "fourth\n"),
    ];
    expect((await ask("accept", "website", first, "--evidence", "Looked at.")).code).toBe(0);
    const unseen = await ask("accept", "website", second, "--evidence", "Looked at.");
    expect([unseen.code, unseen.stdout]).toEqual([1, ""]);
    expect(unseen.stderr).toMatch(/^The service refused \(409 /);
    expect(await currentText()).toBe("first\n");

    const { current_revision_id: current } = await fixture.json("workspaces", "show", "website");
    const expecting = ["--expect", current, "--evidence", "Merged by hand."];
    const unsettled = await ask("resolve", "website", second, ...expecting);
    expect(unsettled.code).toBe(2);
    await writeFile(join(folder, "merged.txt"), "first\nsecond\n");
    const resolved = await ask(
      "resolve",
      "website",
      second,
      "--content",
      `page.txt=${join(folder, "merged.txt")}`,
      ...expecting,
    );
    expect([resolved.code, resolved.stderr]).toEqual([0, ""]);
    expect(await currentText()).toBe("first\nsecond\n");

    const now = (await fixture.json("workspaces", "show", "website")).current_revision_id;
    const more = ["--theirs", "page.txt", "--expect", now, "--evidence", "Looked at."];
    expect((await ask("resolve", "website", fourth, ...more)).code).toBe(0);
    expect(await currentText()).toBe("fourth\n");

    const rejected = await ask("reject", "website", third, "--reason", "It came too late.");
    expect([rejected.code, rejected.stdout]).toEqual([0, expect.stringMatching(/^status +rejected$/m)]);
    expect(rejected.stdout).toMatch(/^rejected +It came too late\.$/m);
  });

  it("needs one source", async () => {
    const none = await ask("create", "website", "Nothing");
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining("Give one of --copy <id> and --revision <id>."),
    ]);
  });
});
