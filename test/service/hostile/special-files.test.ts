// What is no plain file, made by the agent's own commands: pipes, sockets, devices, files without end. Nothing waits
// for them or takes them whole, and the run's reply is not lost.

import { readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import { call, say } from "../../../fakes/model-server/turn.ts";
import { HostileFixture } from "./hostile-fixture.ts";

const TWO_GIGABYTES = 2_147_483_648;

const GIT_TIMEOUT_MS = 1_500;

let fixture: HostileFixture;
let sha: string;
beforeAll(async () => {
  fixture = await HostileFixture.start();
  const files = {
    "a.txt": "TODO one\n",
    "b.txt": "two\n",
    "src/c.txt": "three\n",
    ".gitignore": "ignored\n",
  };
  sha = fixture.repository.commit({ files });
});
afterAll(() => fixture.close());

const edit = call("edit_file", { path: "a.txt", old_text: "one", new_text: "two" });
const look = [call("list_files"), call("search", { pattern: "TODO" }), call("git_log")];

/** Processes of git that work in these folders. */
async function gitProcesses(checkouts: string): Promise<string[]> {
  const found: string[] = [];
  for (const id of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const environment = await readFile(`/proc/${id}/environ`, "latin1").catch(() => "");
    if (environment.includes(checkouts)) found.push(id);
  }
  return found;
}

describe("a tree in which a command has made special files", () => {
  it("is read, searched, edited and reported around them", { tags: ["sandbox"] }, async () => {
    const socket = "import socket; socket.socket(socket.AF_UNIX).bind('socket')";
    const command = [
      "mkfifo pipe 'src/pipe' .mailmap .gitmodules",
      "rm b.txt && mkfifo b.txt",
      `python3 -c "${socket}" || true`,
      "mknod device c 1 3 || echo no device",
      "ln -s /dev/zero zero; ln -s /dev/stdin input; ln -s pipe to-pipe",
      "mkdir locked && echo x > locked/x && chmod 000 locked",
    ].join("; ");
    const paths = ["pipe", "src/pipe", "b.txt", "socket", "device", "zero", "input", "to-pipe", "locked/x"];
    const { run, results, changes, reply } = await fixture.play(sha, [
      call("run_command", { command }),
      [...look, ...paths.map((path) => call("read_file", { path }))],
      paths.map((path) => call("edit_file", { path, old_text: "x", new_text: "y" })),
      [
        call("write_file", { path: "pipe", content: "x" }),
        call("write_file", { path: "zero", content: "x" }),
      ],
      [edit, call("delete_file", { path: "src/pipe" })],
      say("Not checked: nothing can be."),
    ]);
    expect(run.status).toBe("completed");
    expect(reply).toMatch(/nothing can be\.$/);
    expect(results[0]).toContain("no device");
    expect(results[2]).toBe("a.txt:1: TODO one");
    expect(results[3]).toContain("change");
    // The service's own user may be one to whom nothing is locked.
    const touched = results
      .slice(4, -2)
      .filter((_text, at) => !/locked/.test(paths[at % paths.length] ?? ""));
    for (const text of touched.slice(0, 2 * paths.length - 2)) expect(text).toMatch(/^error: /);
    expect(changes?.unreadable).toBeUndefined();
    const statuses = changes?.files.map(({ path, status }) => `${status} ${path}`) ?? [];
    expect(statuses.filter((line) => !line.includes("locked"))).toEqual([
      "modified a.txt",
      "deleted b.txt",
      "added input",
      "added to-pipe",
      "added zero",
    ]);
  });

  it("holds back files of 2 GB without taking them in", { tags: ["sandbox"] }, async () => {
    const before = process.memoryUsage().rss;
    const { run, results, changes } = await fixture.play(sha, [
      call("run_command", {
        command: `truncate -s ${TWO_GIGABYTES} huge.bin src/c.txt ignored && ls -s huge.bin`,
      }),
      [...look, call("read_file", { path: "huge.bin" }), call("read_file", { path: "src/c.txt" })],
      [call("edit_file", { path: "huge.bin", old_text: "x", new_text: "y" }), edit],
      say("Not checked: nothing can be."),
    ]);
    expect(run.status).toBe("completed");
    expect(results[2]).toBe("a.txt:1: TODO one");
    for (const text of results.slice(4, 7))
      expect(text).toMatch(/^error: .*2147483648 bytes|too large|at most/);
    expect(changes?.files.map(({ path }) => path)).toEqual(["a.txt"]);
    expect(changes?.held_back).toEqual(
      expect.arrayContaining([
        { path: "huge.bin", reason: "too_large" },
        { path: "src/c.txt", reason: "too_large" },
      ]),
    );
    expect(changes?.held_back).toHaveLength(2);
    expect(changes?.patch.length).toBeLessThan(1_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000);
  });
});

describe("a pipe in the place of a file that git reads", () => {
  let hasty: HostileFixture;
  beforeAll(async () => {
    hasty = await HostileFixture.start({ gitTimeoutMs: GIT_TIMEOUT_MS });
    hasty.repository.commit({
      files: { "a.txt": "TODO one\n", "src/c.txt": "three\n", ".gitignore": "ignored\n" },
    });
  });
  afterAll(() => hasty.close());
  const commit = () => hasty.repository.git(["rev-parse", "refs/heads/main"]);

  it.for([".gitignore", "src/.gitignore", ".gitattributes"])(
    "has the run end with its reply: %s",
    { tags: ["sandbox"] },
    async (path) => {
      const { run, results, changes, reply } = await hasty.play(commit(), [
        call("run_command", { command: `rm -f ${path}; mkfifo ${path}; echo made` }),
        look,
        [edit, call("read_file", { path })],
        say("Not checked: all is done."),
      ]);
      expect(run.status).toBe("completed");
      expect(reply).toBe("Not checked: all is done.");
      expect(results[1]).toMatch(
        /^error: The files could not be searched\. git ls-files took longer than the 1\.5 s|^\.gitignore/m,
      );
      expect(results[4]).toContain("+TODO two");
      expect(results[5]).toMatch(/^error: .*is not a file/);
      expect(changes).toMatchObject({ base_sha: commit(), files: [], patch: "" });
      expect(changes?.unreadable).toMatch(
        /^git [a-z-]+ took longer than the [\d.]+ s that it may\. Look for a pipe/,
      );
      expect(await gitProcesses(hasty.checkouts)).toEqual([]);
    },
  );
});

/** A blob of nothing but zeros, which takes little of the repository and none of the memory. */
async function zeros(repository: TestRepository, bytes: number): Promise<string> {
  const file = join(repository.path, "zeros");
  await writeFile(file, "");
  await truncate(file, bytes);
  // As it is stored, it is sent.
  repository.git(["config", "core.compression", "1"]);
  repository.git(["config", "core.bigFileThreshold", "1m"]);
  const sha = repository.git(["hash-object", "-w", "--no-filters", file]);
  await rm(file);
  return sha;
}

/** Plays a run at a commit of three files, each so large. */
async function playLarge(large: HostileFixture, bytes: number) {
  const blob = await zeros(large.repository, bytes);
  const entries = ["a", "b", "c"].map((name) => ({ mode: "100644", name, sha: blob }) as const);
  const huge = large.repository.commitTree(large.repository.tree(entries), {});
  const { run, events } = await large.play(huge, []);
  return { huge: huge.slice(0, 7), run, last: events.at(-1)?.event };
}

describe("a commit whose files are too large together", () => {
  const failed = { status: "failed", cause: "spawn_failed" };
  const refusal = (huge: string, sizes: string) => ({
    type: "RUN_ERROR",
    message: `Could not clone octo/hostile at ${huge}: its 3 files have ${sizes}.`,
  });

  it("is refused with its size before it is checked out, and leaves nothing", async () => {
    const narrow = await HostileFixture.start({ maxCheckoutBytes: 40_000_000 });
    const { huge, run, last } = await playLarge(narrow, 20_000_000);
    expect(run).toMatchObject(failed);
    expect(last).toMatchObject(refusal(huge, "60 MB together, this service allows 40 MB"));
    await narrow.close();
  });

  it("is refused by the service's own limit, with three files of 2 GB", {
    tags: ["long"],
    timeout: 240_000,
  }, async () => {
    const { huge, run, last } = await playLarge(fixture, TWO_GIGABYTES);
    expect(run).toMatchObject(failed);
    expect(last).toMatchObject(refusal(huge, "6,442.5 MB together, this service allows 4,000 MB"));
  });
});
