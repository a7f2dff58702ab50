// Programs that a repository, or an agent, sets for git to start: none is started outside of the sandbox.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, say } from "../../../fakes/model-server/turn.ts";
import { HostileFixture } from "./hostile-fixture.ts";

const ATTRIBUTES = "* filter=evil diff=evil merge=evil working-tree-encoding=UTF-16 ident text eol=crlf\n";
const HOOKS = [
  "applypatch-msg",
  "fsmonitor-watchman",
  "post-checkout",
  "post-commit",
  "post-index-change",
  "post-merge",
  "pre-commit",
  "reference-transaction",
];

let fixture: HostileFixture;
let hostile: Record<string, string>;
beforeAll(async () => {
  fixture = await HostileFixture.start();
  const { outside } = fixture;
  hostile = {
    "a.txt": "one\n$Id$\n",
    ".gitattributes": ATTRIBUTES,
    ".gitconfig": outside.configuration(),
    config: outside.configuration(),
    HEAD: "ref: refs/heads/main\n",
    "objects/keep": "",
    "refs/keep": "",
    ".lfsconfig": `[lfs]\n\turl = ${outside.marker}\n`,
    ...Object.fromEntries(
      HOOKS.flatMap((hook) => [
        [`hooks/${hook}`, outside.hook()],
        [`.githooks/${hook}`, outside.hook()],
      ]),
    ),
  };
});
afterAll(() => fixture.close());

const edit = call("edit_file", { path: "a.txt", old_text: "one", new_text: "two" });
const tour = [call("list_files"), call("search", { pattern: "one" }), call("git_log"), call("git_changes")];

describe("a repository that brings programs along", () => {
  it("has none of them started: hooks, filters, drivers, monitors", async () => {
    const sha = fixture.repository.commit({ files: hostile });
    const { run, changes } = await fixture.play(sha, [tour, edit, say("Not checked: nothing can be.")]);
    expect(run.status).toBe("completed");
    expect(changes?.files).toEqual([{ path: "a.txt", status: "modified", additions: 1, deletions: 1 }]);
    expect(changes?.patch).toContain("-one\n+two\n $Id$\n");
  });

  it.each([
    ["ext", (marker: string) => `ext::touch ${marker}`],
    ["file", () => "file:///etc"],
    ["relative", () => "../../octo/other.git"],
    ["option", (marker: string) => `--upload-pack=touch ${marker}`],
    ["ssh option", (marker: string) => `ssh://-oProxyCommand=touch%20${marker}/x`],
  ])("has no submodule fetched from a hostile URL: %s", async (_kind, urlOf) => {
    const url = urlOf(fixture.outside.marker);
    const modules = `[submodule "x"]\n\tpath = x\n\turl = ${url}\n\tupdate = !touch ${fixture.outside.marker}\n`;
    const files = { ".gitmodules": modules, x: { submodule: "1".repeat(40) }, "a.txt": "one\n" };
    const sha = fixture.repository.commit({ files });
    const { run, results, changes } = await fixture.play(sha, [
      [...tour, call("read_file", { path: "x/config" }), call("read_file", { path: "x" })],
      edit,
      say("Not checked: nothing can be."),
    ]);
    expect(run.status).toBe("completed");
    expect(results[0]).toMatch(/^\.gitmodules {2}\d+ B\na\.txt {2}4 B$/);
    expect(results.slice(4, 6).every((text) => text.startsWith("error: "))).toBe(true);
    expect(changes?.files.map(({ path }) => path)).toEqual(["a.txt"]);
    expect(fixture.cloned.filter((path) => path.includes("other"))).toEqual([]);
  });

  it.each([".git", ".GIT", "git~1"])("is refused with a clear word where it holds %s", async (name) => {
    const { repository } = fixture;
    const blob = repository.blob(fixture.outside.configuration());
    const inner = repository.tree([{ mode: "100644", name: "config", sha: blob }]);
    const tree = repository.tree([{ mode: "40000", name, sha: inner }]);
    const { run, events } = await fixture.play(repository.commitTree(tree, {}), []);
    expect(run).toMatchObject({ status: "failed", cause: "spawn_failed" });
    expect(events.at(-1)?.event).toMatchObject({
      type: "RUN_ERROR",
      message: expect.stringContaining("the commit holds malformed objects"),
    });
  });
});

describe("an agent that sets programs for git", () => {
  it("reaches no configuration that counts", { tags: ["sandbox"] }, async () => {
    const sha = fixture.repository.commit({ files: hostile });
    const program = `touch ${fixture.outside.marker}`;
    const set = (key: string) => `git config ${key} '${program}'; git config --global ${key} '${program}'`;
    const { run, results, changes } = await fixture.play(sha, [
      [".git/config", ".git", "sub/.git/config", ".GIT/hooks/post-checkout"].map((path) =>
        call("write_file", { path, content: fixture.outside.configuration() }),
      ),
      call("run_command", {
        command: ["core.fsmonitor", "core.hooksPath", "diff.external"].map(set).join("; "),
      }),
      call("run_command", { command: "rm -rf .git; echo 'gitdir: ./hooks' > .git; mv .git away; cat .git" }),
      call("run_command", { command: "cp config /git/config; echo x > /git/hooks; ls -la /git | head -3" }),
      call("run_command", {
        command: "git config -f .gitmodules submodule.x.update '!touch /x'; cp .gitconfig $HOME/; git log -1",
      }),
      edit,
      tour,
      say("Not checked: nothing can be."),
    ]);
    expect(run.status).toBe("completed");
    for (const text of results.slice(0, 4))
      expect(text).toMatch(/^error: .*git's own folder is out of reach/);
    expect(results[5]).toContain("gitdir: /git");
    expect(changes?.files.map(({ path }) => path)).toEqual(["a.txt"]);
    expect(changes?.held_back).toEqual([{ path: ".gitmodules", reason: "protected" }]);
  });

  it("hides them in repositories within, which are looked at from outside alone", {
    tags: ["sandbox"],
  }, async () => {
    const sha = fixture.repository.commit({ files: { ...hostile, vendor: { submodule: "2".repeat(40) } } });
    const nested = ["nested", "vendor", "deep/down/nested"].flatMap((folder) => [
      `git init -q ${folder}`,
      `cp config ${folder}/.git/config`,
      `cp hooks/* ${folder}/.git/hooks/`,
      `echo x > ${folder}/a.txt`,
    ]);
    const gitfiles = [
      `mkdir gitfile; echo 'gitdir: ${fixture.outside.folder}' > gitfile/.git; echo x > gitfile/a.txt`,
      "mkdir linked; ln -s ../hooks linked/.git; echo x > linked/a.txt",
      "mkdir -p bare/refs bare/objects; cp config HEAD bare/; echo x > bare/a.txt",
    ];
    const { run, results, changes } = await fixture.play(sha, [
      call("run_command", { command: [...nested, ...gitfiles].join(" && ") }),
      [...tour, call("search", { pattern: "x", path: "nested" }), call("list_files", { path: "vendor" })],
      edit,
      say("Not checked: nothing can be."),
    ]);
    expect(results[0]).toContain("exit code 0");
    expect(run.status).toBe("completed");
    const paths = changes?.files.map(({ path }) => path) ?? [];
    expect(paths).toEqual(expect.arrayContaining(["a.txt", "bare/a.txt", "bare/config"]));
    expect(paths.filter((path) => /(^|\/)(nested|vendor)\//.test(path))).toEqual([]);
    const held = changes?.held_back?.map(({ path }) => path);
    expect(held).toEqual(expect.arrayContaining(["deep/down/nested/", "nested/"]));
    expect(changes?.patch).not.toContain("fsmonitor = touch\n");
    expect(join("x", changes?.base_sha ?? "")).toBe(`x/${sha}`);
  });
});
