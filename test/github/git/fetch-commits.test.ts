// The bounds of a fetch into the job's checkout.

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { readCheckout } from "../../../src/base/git/found-checkout.ts";
import { fetchCommits } from "../../../src/github/git/fetch-commits.ts";
import { type GitServer, startGitServer } from "../../service/checkouts/git-server.ts";

const { signal } = new AbortController();

let folder: string;
let root: string;
let server: GitServer;
let headSha: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fetch-commits-"));
  root = join(folder, "checkout");
  await mkdir(join(folder, "home"));
  const repository = new TestRepository(folder, "octo/repo.git");
  const base = repository.commit({ files: { "a.txt": "one\n" } });
  headSha = repository.commit({ files: { "a.txt": "two\n" }, parents: [base], day: 1 });
  repository.updateRef("refs/heads/topic", headSha);
  repository.updateRef("refs/heads/main", base);
  execFileSync("git", ["clone", "--quiet", "--single-branch", "--branch", "main", repository.path, root]);
  server = await startGitServer(folder);
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

describe("a fetch into the checkout", () => {
  it("ends once it has stored more than it may, and removes what it left unfinished", async () => {
    const environment = { PATH: process.env.PATH };
    const found = await readCheckout({ root, home: join(folder, "home"), environment }, signal);
    if (found === null) throw new Error("There is no checkout.");
    const packs = join(found.objects, "pack");
    await writeFile(join(packs, "tmp_pack_before"), "");
    const sleeps: number[] = [];
    const fetched = fetchCommits({
      env: { ...environment, GITHUB_SERVER_URL: server.url, GITHUB_REPOSITORY: "octo/repo" },
      token: "",
      setSecret: () => undefined,
      signal,
      found,
      home: join(folder, "home"),
      fetchFolder: join(folder, "fetch.git"),
      wanted: [headSha],
      depth: 1,
      limits: {
        maxBytes: 1_000,
        timeoutFactor: 1,
        clock: {
          ...systemClock,
          // The first look finds what git has written by then.
          sleep: async (ms) => {
            sleeps.push(ms);
            await writeFile(join(packs, "tmp_pack_ours"), Buffer.alloc(1_001));
          },
        },
      },
    });
    await expect(fetched).rejects.toMatchObject({
      code: "git_output_too_large",
      message: "git fetch took more than the 0.001 MB that it may.",
    });
    expect(sleeps).toEqual([250]);
    expect((await readdir(packs)).filter((name) => name.startsWith("tmp_"))).toEqual(["tmp_pack_before"]);
  });
});
