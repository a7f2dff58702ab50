// Links that lead out of the repository, in every form: nothing behind them is read, shown, changed or deleted.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, say } from "../../../fakes/model-server/turn.ts";
import { HostileFixture } from "./hostile-fixture.ts";

let fixture: HostileFixture;
let sha: string;

/** Paths of the repository that lead to the secret, or to its folder. */
let leaks: { files: readonly string[]; folders: readonly string[] };

beforeAll(async () => {
  fixture = await HostileFixture.start();
  const { folder } = fixture.outside;
  const up = `${"../".repeat(20)}${folder.slice(1)}`;
  const files = {
    "ok.txt": "TODO mine\n",
    "AGENTS.md": { link: join(folder, "secret.txt") },
    absolute: { link: join(folder, "secret.txt") },
    relative: { link: `${up}/secret.txt` },
    "chain-1": { link: "chain-2" },
    "chain-2": { link: "deep/chain-3" },
    "deep/chain-3": { link: "../absolute" },
    folder: { link: folder },
    "folder-up": { link: up },
    "folder-chain": { link: "folder" },
    loop: { link: "loop" },
    environ: { link: "/proc/self/environ" },
    nowhere: { link: join(folder, "made-by-the-run") },
    "deep/out": { link: "../folder" },
    ".gitignore": { link: join(folder, "secret.txt") },
    ".gitattributes": { link: join(folder, "secret.txt") },
    ".mailmap": { link: join(folder, "secret.txt") },
  };
  sha = fixture.repository.commit({ files });
  leaks = {
    files: ["absolute", "relative", "chain-1", "deep/chain-3", "AGENTS.md", "environ", "loop", "nowhere"],
    folders: ["folder", "folder-up", "folder-chain", "deep/out"],
  };
});
afterAll(() => fixture.close());

describe("a repository of links that lead out", () => {
  it("shows nothing of what is behind them, whatever the tool", { tags: ["sandbox"] }, async () => {
    const inside = [...leaks.files, ...leaks.folders.map((path) => `${path}/secret.txt`)];
    const { run, results, changes, reply } = await fixture.play(sha, [
      [call("list_files"), call("search", { pattern: "TODO|canary" }), call("git_log"), call("git_changes")],
      leaks.folders.flatMap((folder) => [
        call("list_files", { path: folder }),
        call("search", { pattern: "TODO", path: folder }),
      ]),
      inside.map((path) => call("read_file", { path })),
      call("run_command", {
        command: `cat ${inside.join(" ")}; ls -l folder/ folder-up/; git log -p; git grep -I TODO`,
      }),
      [say("Nothing to be seen.")],
    ]);
    expect(run.status).toBe("completed");
    expect(reply).toBe("Nothing to be seen.");
    const [listed = "", found = ""] = results;
    expect(listed.split("\n")).toEqual(
      expect.arrayContaining(["ok.txt  10 B", "folder  link", "chain-1  link"]),
    );
    expect(listed).not.toContain("secret.txt");
    expect(found).toBe("ok.txt:1: TODO mine");
    const ofFolders = results.slice(4, 4 + 2 * leaks.folders.length);
    for (const text of ofFolders) expect(text).toMatch(/^[a-z/-]+ {2}link$|^\[nothing found: /);
    const read = results.slice(4 + ofFolders.length, -1);
    expect(read).toHaveLength(inside.length);
    for (const text of read) expect(text).toMatch(/^error: /);
    expect(results.at(-1)).toContain("No such file");
    expect(fixture.systemPrompt()).not.toMatch(/AGENTS\.md says/);
    expect(changes).toBeNull();
  });

  it("changes nothing behind them, and its patch holds what was changed before them", {
    tags: ["sandbox"],
  }, async () => {
    const { folder } = fixture.outside;
    const inside = [...leaks.files, ...leaks.folders.map((path) => `${path}/secret.txt`)];
    const { run, results, changes } = await fixture.play(sha, [
      inside.flatMap((path) => [
        call("write_file", { path, content: "pwned\n" }),
        call("edit_file", { path, old_text: "TODO", new_text: "pwned" }),
      ]),
      leaks.folders.map((path) => call("delete_file", { path: `${path}/secret.txt` })),
      [
        call("write_file", { path: "folder/made-by-the-run", content: "pwned\n" }),
        call("edit_file", { path: "ok.txt", old_text: "TODO mine", new_text: "done" }),
        call("delete_file", { path: "absolute" }),
      ],
      // A folder of the tree becomes a link to the outside, and a file a link that was not there before.
      call("run_command", {
        command: `rm -r deep && ln -s ${folder} deep && ln -s ${folder}/secret.txt new-link; ls`,
      }),
      [call("read_file", { path: "new-link" }), call("search", { pattern: "TODO|canary" })],
      [say("Not checked: nothing can be.")],
    ]);
    expect(run.status).toBe("completed");
    const refused = results.slice(0, 2 * inside.length + leaks.folders.length);
    for (const text of refused) expect(text).toMatch(/^error: /);
    expect(results.at(-2)).toMatch(/^error: .*leads out of the repository|no file/);
    expect(results.at(-1)).toMatch(/^\[nothing found: no line of \d+ files/);
    expect(changes?.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      "deleted absolute",
      "added deep",
      "deleted deep/chain-3",
      "deleted deep/out",
      "added new-link",
      "modified ok.txt",
    ]);
    expect(changes?.held_back).toBeUndefined();
    expect(fixture.applied(sha, changes?.patch ?? "").split("\n")).toHaveLength(6);
  });
});
