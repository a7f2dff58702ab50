// agent-service workspaces, as processes of their own against the built service.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KeyFixture } from "../../support/fixtures/key-fixture.ts";

const ID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/;

describe("agent-service workspaces", () => {
  let fixture: KeyFixture;
  beforeAll(async () => {
    fixture = await KeyFixture.start();
  });
  afterAll(() => fixture.close());

  it("makes, lists and shows workspaces, by id and by name", async () => {
    const made = await fixture.json("workspaces", "create", "website");
    expect(made).toMatchObject({ name: "website", storage_state: "ready" });
    expect(await fixture.json("workspaces", "show", "website")).toEqual(made);
    expect(await fixture.json("workspaces", "show", made.id)).toEqual(made);
    expect((await fixture.ask("workspaces", "list")).stdout).toMatch(
      new RegExp(`^ID +NAME +STATE +CREATED\\n${made.id} +website +ready `),
    );
    const shown = await fixture.ask("workspaces", "show", "website");
    expect(shown.stdout).toContain(`current revision  ${made.current_revision_id}`);
    expect(shown.stdout).toMatch(new RegExp(`^git +http://\\S+/v1/workspaces/${made.id}\\.git$`, "m"));
  });

  it("takes an agent of the account as manager", async () => {
    const agent = await fixture.json("agents", "create", "helper");
    const made = await fixture.json("workspaces", "create", "managed", "--manager", "helper");
    expect(made.manager_agent_id).toBe(agent.id);
  });

  it("refuses a name that no workspace has, and one that two have", async () => {
    const none = await fixture.ask("workspaces", "show", "nothing");
    expect([none.code, none.stdout]).toEqual([1, ""]);
    expect(none.stderr).toBe(
      'There is no workspace "nothing" in this account. "agent-service workspaces list" shows them.\n',
    );
    const [one, two] = [
      await fixture.json("workspaces", "create", "twice"),
      await fixture.json("workspaces", "create", "twice"),
    ];
    const both = await fixture.ask("workspaces", "copies", "list", "twice");
    expect([both.code, both.stderr]).toEqual([
      1,
      `More than one workspace is called "twice". Give the id: ${two.id}, ${one.id}.\n`,
    ]);
  });

  it("makes, lists, shows, saves and deletes copies", async () => {
    const { id, current_revision_id: current } = await fixture.json("workspaces", "create", "copied");
    const copy = await fixture.json("workspaces", "copies", "create", "copied");
    expect(copy).toMatchObject({ workspace_id: id, base_revision_id: current, is_canonical: false });
    expect(await fixture.json("workspaces", "copies", "show", "copied", copy.id)).toEqual(copy);
    const listed = await fixture.ask("workspaces", "copies", "list", "copied");
    expect(listed.stdout.split("\n")).toEqual([
      expect.stringMatching(/^ID +STATE +CHANGED +BASE +CREATED$/),
      expect.stringMatching(new RegExp(`^${copy.id} +ready +0 +${current} `)),
      expect.stringMatching(new RegExp(`^${ID.source} +ready \\(canonical\\) +0 +${current} `)),
    ]);
    const saved = await fixture.ask("workspaces", "checkpoint", "copied", "--copy", copy.id);
    expect([saved.code, saved.stdout]).toEqual([0, `Nothing has changed since revision ${current}.`]);
    const deleted = await fixture.ask("workspaces", "copies", "delete", "copied", copy.id);
    expect([deleted.code, deleted.stdout]).toEqual([0, `Deleted: copy ${copy.id}.`]);
    const gone = await fixture.ask("workspaces", "copies", "show", "copied", copy.id);
    expect([gone.code, gone.stdout]).toEqual([1, ""]);
    expect(gone.stderr).toMatch(/^The service refused \(404 not_found\): /);
  });

  it("makes a symbolic link, shows where it leads, and replaces it on its ETag alone", async () => {
    await fixture.json("workspaces", "create", "linked");
    const files = ["workspaces", "files"] as const;
    const made = await fixture.json(...files, "link", "linked", "docs/index.md", "../README.md");
    expect(made).toMatchObject({ type: "symlink", target: "../README.md" });
    const listed = await fixture.ask(...files, "ls", "linked", "--recursive");
    expect(listed.stdout).toMatch(/symlink +12 +\d+ +docs\/index\.md -> \.\.\/README\.md$/m);
    expect((await fixture.ask(...files, "cat", "linked", "docs/index.md")).stdout).toBe("../README.md");
    const again = await fixture.ask(...files, "link", "linked", "docs/index.md", "../LICENSE");
    expect([again.code, again.stdout]).toEqual([1, ""]);
    const moved = await fixture.ask(
      ...files,
      "link",
      "linked",
      "docs/index.md",
      "../LICENSE",
      "--if-match",
      made.etag,
    );
    expect(moved.stdout).toMatch(/^Linked: docs\/index\.md -> \.\.\/LICENSE, ETag \d+\.$/);
    const outside = await fixture.ask(...files, "link", "linked", "out", "/etc/passwd");
    expect([outside.code, outside.stderr]).toEqual([1, expect.stringContaining("same tree")]);
    const strange = await fixture.ask(...files, "link", "linked", "a:b", "docs");
    expect([strange.code, strange.stderr]).toEqual([1, expect.stringContaining("Windows takes no")]);
  });

  it("deletes a workspace, and says so once it is gone", async () => {
    const { id } = await fixture.json("workspaces", "create", "gone");
    const deleted = await fixture.ask("workspaces", "delete", "gone");
    expect([deleted.code, deleted.stdout, deleted.stderr]).toEqual([0, `Deleted: workspace ${id}.`, ""]);
    const shown = await fixture.ask("workspaces", "show", id);
    expect([shown.code, shown.stderr]).toEqual([1, expect.stringMatching(/^The service refused \(404 /)]);
  });

  it("deletes a revision that nothing needs, and no other", async () => {
    const { id: workspaceId } = await fixture.json("workspaces", "create", "pruned");
    const { id: workingCopyId } = await fixture.json("workspaces", "copies", "create", "pruned");
    const saved: string[] = [];
    for (const content of ["one\n", "two\n"]) {
      const body = { path: `${saved.length}.txt`, content };
      await fixture.client.copyFiles.write({ workspaceId, workingCopyId, body });
      const checkpoint = ["workspaces", "checkpoint", "pruned", "--copy", workingCopyId];
      saved.push((await fixture.json(...checkpoint)).revision_id);
    }
    const [unused = "", used = ""] = saved;
    const refused = await fixture.ask("workspaces", "revisions", "delete", "pruned", used);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^The service refused \(409 /)]);
    const deleted = await fixture.ask("workspaces", "revisions", "delete", "pruned", unused);
    expect([deleted.code, deleted.stdout]).toEqual([0, `Deleted: revision ${unused}.`]);
    const left = await fixture.json("workspaces", "revisions", "list", "pruned");
    expect(left.map(({ id }: { id: string }) => id)).not.toContain(unused);
  });

  it("lists and shows revisions", async () => {
    const { current_revision_id: current } = await fixture.json("workspaces", "create", "revised");
    const [listed] = await fixture.json("workspaces", "revisions", "list", "revised");
    expect(listed).toMatchObject({ id: current, files: 0, parent_ids: [] });
    expect(await fixture.json("workspaces", "revisions", "show", "revised", current)).toEqual(listed);
    const shown = await fixture.ask("workspaces", "revisions", "show", "revised", current);
    expect(shown.stdout).toMatch(new RegExp(`^id +${current}\ncommit +[\\da-f]{40}\ntree +`));
  });

  it("explains its commands, also those below a group of commands", async () => {
    const { code, stdout } = await fixture.ask("workspaces", "copies", "create", "--help");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: agent-service workspaces copies create \[options\] <workspace>\n/);
    const group = await fixture.ask("workspaces", "copies", "creat");
    expect([group.code, group.stderr]).toEqual([
      2,
      "Unknown command 'creat'\n(Did you mean create?)\nSee agent-service workspaces copies --help.\n",
    ]);
  });
});
