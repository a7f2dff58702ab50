// The run's commit out of the checkouts that jobs have, and from the code host where these lack it.

import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { githubHost } from "../../../src/github/git/github-host.ts";
import { commitWords } from "../../../src/job/git/commit-place.ts";
import {
  type CommitRepository,
  openCommitRepository,
  type WantedCommit,
} from "../../../src/job/git/commit-repository.ts";
import { withJobCheckout } from "../../../src/job/git/job-checkout.ts";
import { JobCheckout } from "../../github/git/job-checkout.ts";

const TOKEN = "ghs_the-jobs-own-token";
const { signal } = new AbortController();

let job: JobCheckout;
/** On `main`, oldest first; the last is `main`. */
let history: string[];
beforeEach(async () => {
  job = await JobCheckout.make();
  const { repository } = job;
  repository.git(["config", "uploadpack.allowFilter", "true"]);
  history = [repository.git(["rev-parse", "main"])];
  for (let number = 1; number < 8; number += 1) {
    const files = { "a.txt": `${number}\n`, "deep/b.txt": "old\n" };
    history.push(repository.commit({ files, parents: history.slice(-1), day: 10 + number }));
  }
});
afterEach(async () => await job.close());

const head = () => history.at(-1) ?? "";
const inCheckout = (...args: string[]) =>
  execFileSync("git", args, { cwd: job.root, encoding: "utf8" }).trim();

/** Makes the checkout anew, by git's own transport. */
async function checkOut(...options: string[]): Promise<void> {
  await rm(job.root, { recursive: true, force: true });
  job.clone(["--no-local", ...options, `file://${job.repository.path}`]);
}

type Opened = Pick<CommitRepository, "base" | "shortfall" | "isPartial"> & {
  readonly commits: readonly string[];
};

/** Opens it, and lists the history that it has. */
async function open(
  commit: Partial<WantedCommit> = {},
  { hasHost = true, commits = 4 }: { readonly hasHost?: boolean; readonly commits?: number } = {},
): Promise<Opened> {
  const { env, root, temp } = job;
  const host = hasHost ? githubHost({ env, token: TOKEN, setSecret: () => undefined }) : null;
  const words = commitWords({ provider: "github" }, host);
  const place = { env, root, tempFolder: temp, host, repository: "octo/repo", words };
  const wanted = { sha: head(), baseRef: null, ...commit };
  return await withJobCheckout({ ...place, signal }, async (checkout, workplace) => {
    const options = {
      place,
      checkout,
      workplace,
      commit: wanted,
      commits,
      isKnown: false,
      clock: systemClock,
      signal,
    };
    const { git, base, shortfall, isPartial } = await openCommitRepository(options);
    const { stdout } = await git({ args: ["rev-list", wanted.sha], signal });
    if (!isPartial) await git({ args: ["fsck", "--connectivity-only", wanted.sha], signal });
    return { base, shortfall, isPartial, commits: stdout.toString().trim().split("\n") };
  });
}

describe("the run's commit", () => {
  it("is taken from the checkout, without a request", async () => {
    await checkOut();
    const opened = await open();
    expect(opened).toEqual({
      base: null,
      shortfall: null,
      isPartial: false,
      commits: [...history].reverse(),
    });
    expect(job.server.requests).toEqual([]);
  });

  it("gets its history from the code host, where the checkout is shallow", async () => {
    await checkOut("--depth=1");
    const before = await readFile(join(job.root, ".git/shallow"), "utf8");
    expect((await open()).commits).toEqual(history.slice(-4).reverse());
    expect(job.server.requests).not.toEqual([]);
    // The checkout itself stays as it was.
    expect(await readFile(join(job.root, ".git/shallow"), "utf8")).toBe(before);
    expect(inCheckout("rev-list", "HEAD")).toBe(head());
    expect(await readdir(job.temp)).toEqual([]);
  });

  it("is content with a shallow checkout that has as much as is wanted", async () => {
    await checkOut("--depth=4");
    expect((await open()).commits).toHaveLength(4);
    expect(job.server.requests).toEqual([]);
  });

  it("comes with what there is, where nothing can be fetched", async () => {
    await checkOut("--depth=1");
    expect(await open({}, { hasHost: false })).toMatchObject({
      commits: [head()],
      shortfall: 'Give actions/checkout "fetch-depth: 0".',
    });
    job.server.fault = { kind: "status", status: 404 };
    expect(await open()).toMatchObject({
      commits: [head()],
      shortfall: 'the job\'s token may not read the repository, it lacks "permissions: contents: read".',
    });
    job.server.fault = { kind: "status", status: 500 };
    expect((await open()).shortfall).toMatch(/^git fetch ended with 128\./);
  });

  it("is fetched, where the job has no checkout", async () => {
    await rm(job.root, { recursive: true });
    expect(await open()).toEqual({
      base: null,
      shortfall: null,
      isPartial: false,
      commits: history.slice(-4).reverse(),
    });
  });

  it("is fetched with every file, where the checkout is a partial clone", async () => {
    await checkOut("--filter=blob:none", "--sparse");
    expect(await open()).toMatchObject({ isPartial: false, commits: history.slice(-4).reverse() });
  });

  it("is known to be of a partial clone, where nothing can be fetched", async () => {
    await checkOut("--filter=blob:none");
    expect(await open({}, { hasHost: false })).toMatchObject({ isPartial: true });
  });

  it("may be another than the one that is checked out", async () => {
    await checkOut("--depth=1");
    expect((await open({ sha: history[2] ?? "" })).commits).toEqual(history.slice(0, 3).reverse());
  });

  it("is refused with the fix, where it is nowhere", async () => {
    const name = head().slice(0, 7);
    const advice =
      'Give the job "permissions: contents: read". Or: Add "uses: actions/checkout@v7" before this step. Give actions/checkout "fetch-depth: 0".';
    await checkOut("--depth=1");
    inCheckout("remote", "set-url", "origin", "https://github.example/octo/repo.git");
    const absent = "1".repeat(40);
    await expect(open({ sha: absent }, { hasHost: false })).rejects.toMatchObject({
      code: "commit_not_found",
      message:
        'The checkout does not have the run\'s commit 1111111. Add "uses: actions/checkout@v7" before this step.',
    });
    await expect(open({ sha: absent })).rejects.toMatchObject({
      code: "commit_not_found",
      message: expect.stringMatching(
        /^The checkout does not have the run's commit 1111111\. It could not be fetched: /,
      ),
    });
    inCheckout("remote", "set-url", "origin", "git@github.example:octo/other.git");
    await expect(open({ sha: absent }, { hasHost: false })).rejects.toMatchObject({
      message: expect.stringContaining("1111111: it is one of octo/other, not of octo/repo. Add"),
    });
    await rm(job.root, { recursive: true });
    await expect(open({}, { hasHost: false })).rejects.toMatchObject({
      code: "commit_not_found",
      message: `This job has no checkout to send the run's commit ${name} from. Add "uses: actions/checkout@v7" before this step.`,
    });
    job.server.fault = { kind: "status", status: 403 };
    await expect(open()).rejects.toMatchObject({
      code: "commit_not_found",
      message: `This job has no checkout to send the run's commit ${name} from. It could not be fetched: the job's token may not read the repository, it lacks "permissions: contents: read". ${advice}`,
    });
  });

  it("is not looked for in a checkout with names of another kind", async () => {
    await rm(job.root, { recursive: true });
    await mkdir(job.root);
    inCheckout("init", "--quiet", "--object-format=sha256", ".");
    inCheckout(
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@b",
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      "one",
    );
    expect((await open()).commits).toEqual(history.slice(-4).reverse());
  });

  it("is taken by nothing that the checkout configures", async () => {
    await checkOut("--depth=1");
    const script = join(job.folder, "transport.sh");
    await writeFile(script, `#!/bin/sh\n/usr/bin/env > "${job.folder}/executed"\n`, { mode: 0o755 });
    for (const [name, value] of [
      ["protocol.ext.allow", "always"],
      [`url.ext::${script} #.insteadOf`, `${job.server.url}/`],
      [`http.${job.server.url}/.proxy`, "http://127.0.0.1:1"],
      ["uploadpack.packObjectsHook", script],
    ] as const) {
      inCheckout("config", "--local", "--add", name, value);
    }
    expect((await open()).commits).toEqual(history.slice(-4).reverse());
    expect(await readdir(job.folder)).not.toContain("executed");
  });
});

describe("the commit of a pull request", () => {
  it("has the newest commit of its base, fetched with the commits down to where they parted", async () => {
    await checkOut("--depth=1");
    const opened = await open({ sha: job.headSha, baseRef: "main" }, { commits: 2 });
    expect(opened).toMatchObject({ base: head(), shortfall: null });
    expect(opened.commits).toEqual([job.headSha, history[0]]);
  });

  it("has the first parent of the code host's merge, where that is checked out", async () => {
    const { repository } = job;
    const base = history[4] ?? "";
    const merge = repository.commit({
      files: { "a.txt": "two\n", "deep/b.txt": "old\n" },
      parents: [base, job.headSha],
      day: 40,
    });
    await checkOut();
    expect(inCheckout("rev-parse", "HEAD")).toBe(merge);
    expect(await open({ sha: job.headSha, baseRef: "main" })).toMatchObject({ base });
    expect(job.server.requests).toEqual([]);
  });

  it("has the base's branch as the checkout knows it", async () => {
    await checkOut();
    inCheckout("fetch", "--quiet", "origin", "refs/pull/7/head");
    inCheckout("checkout", "--quiet", "--detach", job.headSha);
    expect(await open({ sha: job.headSha, baseRef: "main" }, { hasHost: false })).toMatchObject({
      base: head(),
    });
  });

  it("has no base, where none can be had", async () => {
    await checkOut("--depth=1");
    const other = "no such branch";
    expect(await open({ baseRef: other }, { hasHost: false })).toMatchObject({
      base: null,
      commits: [head()],
    });
    expect(await open({ baseRef: other })).toMatchObject({
      base: null,
      commits: history.slice(-4).reverse(),
    });
  });
});
