// The packs of a job, received as git itself receives them: whatever a service holds, what comes to it is whole.

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import type { Git } from "../../../src/base/git/git.ts";
import type { HeldCommit } from "../../../src/contract/ci/commits.ts";
import { jobGit } from "../../../src/job/git/job-git.ts";
import { estimateBytes, packCommits } from "../../../src/job/git/pack-commits.ts";
import { selectCommits } from "../../../src/job/git/select-commits.ts";
import { amount } from "../../support/run/long.ts";

const { signal } = new AbortController();

let folder: string;
let repository: TestRepository;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pack-commits-"));
  repository = new TestRepository(folder, "repository.git");
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

/** Files of which one changes with each commit. */
const filesAt = (number: number) => ({
  "README.md": "# Read me\n".repeat(50),
  [`src/${number % 7}.txt`]: `${number}\n`.repeat(40),
  "src/deep/counter.txt": `${number}\n`,
});

/** A straight history, oldest first. */
function makeHistory(commits: number, from: readonly string[] = []): string[] {
  const made: string[] = [...from];
  for (let number = from.length; number < from.length + commits; number += 1) {
    const parents = made.slice(-1);
    made.push(repository.commit({ files: filesAt(number), parents, day: number, subject: `${number}` }));
  }
  return made;
}

type Sent = {
  readonly bytes: number;
  readonly objects: number;
  readonly commits: number;
  readonly tips: readonly string[];
};

/** A service, as far as packs go: git's own check of what comes, and what is held afterwards. */
class Receiver {
  readonly path = join(folder, "received.git");
  readonly tips: string[] = [];

  static async open(format = "sha1"): Promise<Receiver> {
    const receiver = new Receiver();
    await mkdir(receiver.path);
    receiver.run(["init", "--quiet", "--bare", `--object-format=${format}`, "."]);
    return receiver;
  }

  run(args: readonly string[], input: Buffer | string = ""): string {
    return execFileSync("git", ["-c", "gc.auto=0", ...args], {
      cwd: this.path,
      input,
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
      stdio: ["pipe", "pipe", "pipe"],
    })
      .toString()
      .trim();
  }

  /** The commits that are held and of which a parent is not. */
  async ends(): Promise<string[]> {
    await rm(join(this.path, "shallow"), { force: true });
    const list = this.run(["cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)"]);
    const commits = [...list.matchAll(/^commit (\w+)$/gm)].map(([, commit = ""]) => commit);
    if (commits.length === 0) return [];
    const contents = this.run(["cat-file", "--batch"], `${commits.join("\n")}\n`);
    const held = new Set(commits);
    return contents
      .split(/^(?=[0-9a-f]{40,64} commit \d+$)/m)
      .filter((text) => [...text.matchAll(/^parent (\w+)$/gm)].some(([, parent = ""]) => !held.has(parent)))
      .map((text) => text.split(" ")[0] ?? "");
  }

  /** What the service would answer to a job. */
  async have(): Promise<HeldCommit[]> {
    const ends = await this.ends();
    return this.tips.map((sha) => ({ sha, shallow: ends }));
  }

  /** Takes a pack with all of git's checks of objects, and finds everything down to where the history ends. */
  async take(sha: string, pack: Buffer): Promise<void> {
    await rm(join(this.path, "shallow"), { force: true });
    this.run(["index-pack", "--fsck-objects", "--fix-thin", "--stdin"], pack);
    await writeFile(join(this.path, "shallow"), (await this.ends()).map((end) => `${end}\n`).join(""));
    this.tips.unshift(sha);
    this.run(["update-ref", `refs/held/${this.tips.length}`, sha]);
    this.run(["fsck", "--connectivity-only", "--no-dangling"]);
  }

  history(sha: string): string[] {
    return this.run(["rev-list", sha]).split("\n");
  }
}

type SendOptions = {
  readonly sha: string;
  readonly commits: number;
  readonly have?: readonly HeldCommit[];
  readonly against?: string;
  readonly maxBytes?: number;
  readonly gitFolder?: string;
};

function sender(gitFolder: string): Git {
  return jobGit({ env: { PATH: process.env.PATH }, home: folder, gitFolder, treeFolder: null });
}

async function send(receiver: Receiver, options: SendOptions): Promise<Sent | null> {
  const { sha, commits, against = null, maxBytes = 10_000_000, gitFolder = repository.path } = options;
  const have = options.have ?? (await receiver.have());
  const git = sender(gitFolder);
  const path = join(folder, "sent.pack");
  const selection = await selectCommits({ git, sha, against, commits, have, signal });
  const pack = await packCommits({ git, gitFolder, selection, path, maxBytes, signal });
  if (pack === null) return null;
  expect((await stat(path)).size).toBe(pack.bytes);
  await receiver.take(sha, await readFile(path));
  return { ...pack, commits: selection.sent.length, tips: selection.tips };
}

describe("the pack of a commit", () => {
  it("has the commit with as much history as is wanted, and no more", async () => {
    const history = makeHistory(9);
    const receiver = await Receiver.open();
    const head = history.at(-1) ?? "";
    const sent = await send(receiver, { sha: head, commits: 4 });
    expect(sent).toMatchObject({ commits: 4, tips: [] });
    expect(receiver.history(head)).toEqual(history.slice(-4).reverse());
    expect(receiver.run(["show", `${head}:src/deep/counter.txt`])).toBe("8");
  });

  it("has all of a history that is shorter", async () => {
    const history = makeHistory(3);
    const receiver = await Receiver.open();
    expect(await send(receiver, { sha: history[2] ?? "", commits: 50 })).toMatchObject({ commits: 3 });
    expect(await receiver.ends()).toEqual([]);
  });

  it("has only what is new, where the service holds an earlier commit", async () => {
    const history = makeHistory(60);
    const receiver = await Receiver.open();
    const whole = await send(receiver, { sha: history[57] ?? "", commits: 50 });
    const next = await send(receiver, { sha: history[58] ?? "", commits: 50 });
    // The commit, two trees that lead to two files, and these.
    expect(next).toMatchObject({ commits: 1, objects: 6, tips: [history[57]] });
    expect(next?.bytes).toBeLessThan(1_000);
    expect(whole?.bytes).toBeGreaterThan(10 * (next?.bytes ?? 0));
    expect(receiver.history(history[58] ?? "")).toHaveLength(51);
  });

  it("completes a history of which the service holds the newest commit alone", async () => {
    const history = makeHistory(8);
    const receiver = await Receiver.open();
    await send(receiver, { sha: history[6] ?? "", commits: 1 });
    const sent = await send(receiver, { sha: history[7] ?? "", commits: 5 });
    expect(sent).toMatchObject({ commits: 4 });
    expect(receiver.history(history[7] ?? "")).toEqual(history.slice(-5).reverse());
  });

  it("has the commit itself, where the service holds it as an older one of another", async () => {
    const history = makeHistory(8);
    const receiver = await Receiver.open();
    await send(receiver, { sha: history[7] ?? "", commits: 5 });
    const sent = await send(receiver, { sha: history[5] ?? "", commits: 2 });
    expect(sent).toMatchObject({ commits: 1, objects: 6 });
  });

  it("builds on a commit of another branch", async () => {
    const main = makeHistory(12);
    const receiver = await Receiver.open();
    await send(receiver, { sha: main[11] ?? "", commits: 6 });
    const [fork = ""] = main.slice(8);
    const topic = repository.commit({
      files: { ...filesAt(8), "new.txt": "new\n" },
      parents: [fork],
      day: 20,
    });
    const sent = await send(receiver, { sha: topic, commits: 6 });
    // Two commits are older than what the service holds.
    expect(sent).toMatchObject({ commits: 3, tips: [main[11]] });
    expect(receiver.history(topic)).toEqual([topic, ...main.slice(4, 9).reverse()]);
  });

  it("follows both sides of a merge", async () => {
    const main = makeHistory(5);
    const side = repository.commit({ files: { "side.txt": "side\n" }, parents: [main[1] ?? ""], day: 6 });
    const merge = repository.commit({
      files: { ...filesAt(4), "side.txt": "side\n" },
      parents: [main[4] ?? "", side],
      day: 7,
    });
    const receiver = await Receiver.open();
    await send(receiver, { sha: side, commits: 1 });
    expect(await send(receiver, { sha: merge, commits: 50 })).toMatchObject({ commits: 6 });
    expect(receiver.history(merge)).toHaveLength(7);
  });

  it("leads to where it parted from what it is compared with, however old that is", async () => {
    const main = makeHistory(40);
    const [fork = ""] = main.slice(3);
    let topic = fork;
    for (let at = 0; at < 12; at += 1) {
      topic = repository.commit({ files: { "topic.txt": `${at}\n` }, parents: [topic], day: 50 + at });
    }
    const base = main.at(-1) ?? "";
    const receiver = await Receiver.open();
    await send(receiver, { sha: base, against: topic, commits: 5 });
    await send(receiver, { sha: topic, against: base, commits: 5 });
    expect(receiver.run(["merge-base", topic, base])).toBe(fork);
  });

  it("pays no heed to what the service claims to hold and nobody knows", async () => {
    const history = makeHistory(5);
    const head = history.at(-1) ?? "";
    const tree = repository.git(["rev-parse", `${head}^{tree}`]);
    const have = [
      { sha: "f".repeat(40), shallow: [] },
      { sha: "0".repeat(40), shallow: ["f".repeat(40)] },
      { sha: tree, shallow: [] },
      { sha: "e".repeat(64), shallow: [head] },
    ];
    const receiver = await Receiver.open();
    expect(await send(receiver, { sha: head, commits: 3, have })).toMatchObject({ commits: 3, tips: [] });
    expect(receiver.history(head)).toHaveLength(3);
  });

  it("is not made where it would be too large, and its size is told", async () => {
    const noise = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * at * 7919) % 251));
    const sha = repository.commit({ files: { "large.bin": noise } });
    const git = sender(repository.path);
    const receiver = await Receiver.open();
    expect(await send(receiver, { sha, commits: 1, maxBytes: 400 })).toBeNull();
    const selection = await selectCommits({ git, sha, against: null, commits: 1, have: [], signal });
    expect(await estimateBytes({ git, gitFolder: repository.path, selection, signal })).toBeGreaterThan(400);
  });

  it("leaves the end of the sender's own history as it was", async () => {
    const history = makeHistory(6);
    const shallow = `${history[2]}\n`;
    await writeFile(join(repository.path, "shallow"), shallow);
    const receiver = await Receiver.open();
    expect(await send(receiver, { sha: history[5] ?? "", commits: 2 })).toMatchObject({ commits: 2 });
    expect(await readFile(join(repository.path, "shallow"), "utf8")).toBe(shallow);
    expect(await send(receiver, { sha: history[5] ?? "", commits: 50 })).toMatchObject({ commits: 3 });
  });

  it.each([1, 2, 50])(
    "ends where a shallow clone ends, whatever the service holds (%i wanted)",
    async (commits) => {
      const history = makeHistory(7);
      const [head = "", before = ""] = [...history].reverse();
      repository.updateRef("refs/heads/main", head);
      const clone = join(folder, "shallow.git");
      const source = `file://${repository.path}`;
      execFileSync("git", ["clone", "--quiet", "--bare", "--depth=2", source, clone]);
      const receiver = await Receiver.open();
      await send(receiver, { sha: history[2] ?? "", commits: 2 });
      const sent = Math.min(commits, 2);
      expect(await send(receiver, { sha: head, commits, gitFolder: clone })).toMatchObject({
        commits: sent,
        tips: [],
      });
      expect(receiver.history(head)).toEqual([head, before].slice(0, sent));
    },
  );

  it("has names of SHA-256, where the repository has", async () => {
    const path = join(folder, "sha256.git");
    const run = (args: readonly string[], input = "") =>
      execFileSync("git", args, { cwd: path, input, env: { ...identity, PATH: process.env.PATH } })
        .toString()
        .trim();
    await mkdir(path);
    run(["init", "--quiet", "--bare", "--object-format=sha256", "."]);
    const blob = run(["hash-object", "-w", "--stdin"], "hello\n");
    const tree = run(["mktree"], `100644 blob ${blob}\thello.txt\n`);
    const first = run(["commit-tree", tree, "-m", "first"]);
    const second = run(["commit-tree", tree, "-p", first, "-m", "second"]);
    const receiver = await Receiver.open("sha256");
    expect(await send(receiver, { sha: first, commits: 5, gitFolder: path })).toMatchObject({
      commits: 1,
      objects: 3,
    });
    expect(await send(receiver, { sha: second, commits: 5, gitFolder: path })).toMatchObject({ objects: 1 });
  });
});

describe("the packs of a repository's jobs, in any order", () => {
  it.each(Array.from({ length: amount({ short: 3, long: 30 }) }, (_, at) => at + 1))(
    "are whole (history %i)",
    async (seed) => {
      const random = randomNumbers(seed);
      const commits: string[] = [];
      for (let at = 0; at < 40; at += 1) {
        const parents = new Set<string>();
        for (let count = random(3); count >= 0 && at > 0; count -= 1) {
          parents.add(commits[Math.max(0, at - 1 - random(6))] ?? "");
        }
        // Files come back as they were: an object may be held by a commit that is not.
        commits.push(
          repository.commit({
            files: filesAt(random(12)),
            parents: [...parents],
            day: random(30),
            subject: `${at}`,
          }),
        );
      }
      const receiver = await Receiver.open();
      for (let job = 0; job < 8; job += 1) {
        const sha = commits[random(commits.length)] ?? "";
        const against = random(3) === 0 ? { against: commits[random(commits.length)] ?? "" } : {};
        const have = (await receiver.have()).filter(() => random(4) > 0);
        const sent = await send(receiver, { sha, commits: 1 + random(9), have, ...against });
        expect(sent?.objects).toBeGreaterThan(0);
      }
    },
  );
});

const identity = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
};

/** Whole numbers below a limit, the same for each seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state % below;
  };
}
