// The head of a pull request in a checkout whose own configuration works against the job.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import { checkOutHead } from "../../../src/github/git/check-out-head.ts";
import { type GitServer, startGitServer } from "../../service/checkouts/git-server.ts";

const TOKEN = "ghs_the-jobs-own-token";
const { signal } = new AbortController();

let folder: string;
let root: string;
let server: GitServer;
let headSha: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "check-out-head-"));
  root = join(folder, "checkout");
  await mkdir(join(folder, "temp"));
  const repository = new TestRepository(folder, "octo/repo.git");
  repository.git(["config", "uploadpack.allowFilter", "true"]);
  const base = repository.commit({ files: { "a.txt": "one\n", "deep/b.txt": "old\n" } });
  headSha = repository.commit({
    files: { "a.txt": "two\n", "deep/b.txt": "old\n" },
    parents: [base],
    day: 1,
  });
  repository.updateRef("refs/heads/main", base);
  repository.updateRef("refs/pull/7/head", headSha);
  execFileSync("git", ["clone", "--quiet", "--branch", "main", repository.path, root]);
  server = await startGitServer(folder);
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const configure = (name: string, value: string) =>
  execFileSync("git", ["config", "--local", "--add", name, value], { cwd: root });
const inCheckout = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

const checkOut = () =>
  checkOutHead({
    env: {
      PATH: process.env.PATH,
      GITHUB_WORKSPACE: root,
      GITHUB_SERVER_URL: server.url,
      GITHUB_REPOSITORY: "octo/repo",
      RUNNER_TEMP: join(folder, "temp"),
    },
    pullRequest: { number: 7, headSha, baseRef: "main" },
    token: TOKEN,
    setSecret: () => undefined,
    signal,
  });

describe("the head of a pull request", () => {
  it("is checked out, and the base branch is known as origin's", async () => {
    await checkOut();
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("two\n");
    expect(inCheckout("rev-parse", "HEAD")).toBe(headSha);
    expect(inCheckout("rev-parse", "refs/remotes/origin/main")).toBe(inCheckout("rev-parse", "HEAD^"));
    expect(await readdir(join(folder, "temp"))).toEqual([]);
  });

  it.each([
    ["a shallow checkout", ["--depth=1"]],
    ["a shallow, partial and sparse checkout", ["--depth=1", "--filter=blob:none", "--sparse"]],
    ["a partial and sparse checkout", ["--filter=blob:none", "--sparse"]],
  ])("comes to %s", async (_name, options) => {
    await rm(root, { recursive: true });
    const url = `file://${join(folder, "octo/repo.git")}`;
    execFileSync("git", ["clone", "--quiet", "--no-local", "--branch", "main", ...options, url, root]);
    await checkOut();
    expect(inCheckout("rev-parse", "HEAD")).toBe(headSha);
    expect(inCheckout("status", "--porcelain")).toBe("");
    expect(inCheckout("merge-base", "HEAD", "origin/main")).toBe(inCheckout("rev-parse", "origin/main"));
    expect(inCheckout("fsck", "--connectivity-only", "--no-dangling")).toBe("");
  });

  it("refuses a checkout that an earlier step has changed", async () => {
    await writeFile(join(root, "a.txt"), "changed\n");
    await expect(checkOut()).rejects.toMatchObject({ code: "checkout_changed" });
    await rm(join(root, ".git"), { recursive: true });
    await expect(checkOut()).rejects.toMatchObject({ code: "checkout_missing" });
  });

  it("executes nothing of the checkout's transports, and shows them no token", async () => {
    const script = join(folder, "transport.sh");
    await writeFile(script, `#!/bin/sh\n/usr/bin/env > "${folder}/executed"\n`, { mode: 0o755 });
    configure("protocol.ext.allow", "always");
    configure(`url.ext::${script} #.insteadOf`, `${server.url}/`);
    await checkOut();
    expect(inCheckout("rev-parse", "HEAD")).toBe(headSha);
    expect(await readdir(folder)).not.toContain("executed");
  });

  it("does not go through a proxy of the checkout's configuration, which would see the token", async () => {
    const proxy = createServer((_request, response) => response.writeHead(502).end());
    const seen: string[] = [];
    proxy.on("request", ({ headers }) => seen.push(String(headers.authorization)));
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    try {
      configure(`http.${server.url}/.proxy`, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
      await checkOut();
      expect(inCheckout("rev-parse", "HEAD")).toBe(headSha);
      expect(seen).toEqual([]);
    } finally {
      proxy.close();
    }
  });
});
