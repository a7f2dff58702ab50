// The head of a pull request in a checkout whose own configuration works against the job.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkOutHead } from "../../../src/github/git/check-out-head.ts";
import { JobCheckout } from "./job-checkout.ts";

const TOKEN = "ghs_the-jobs-own-token";
const { signal } = new AbortController();

let job: JobCheckout;
beforeEach(async () => {
  job = await JobCheckout.make();
  job.repository.git(["config", "uploadpack.allowFilter", "true"]);
});
afterEach(async () => await job.close());

const configure = (name: string, value: string) =>
  execFileSync("git", ["config", "--local", "--add", name, value], { cwd: job.root });
const inCheckout = (...args: string[]) =>
  execFileSync("git", args, { cwd: job.root, encoding: "utf8" }).trim();

const checkOut = () =>
  checkOutHead({
    env: job.env,
    pullRequest: { number: 7, headSha: job.headSha, baseRef: "main" },
    token: TOKEN,
    setSecret: () => undefined,
    signal,
  });

describe("the head of a pull request", () => {
  it("is checked out, and the base branch is known as origin's", async () => {
    await checkOut();
    expect(await readFile(join(job.root, "a.txt"), "utf8")).toBe("two\n");
    expect(inCheckout("rev-parse", "HEAD")).toBe(job.headSha);
    expect(inCheckout("rev-parse", "refs/remotes/origin/main")).toBe(inCheckout("rev-parse", "HEAD^"));
    expect(await readdir(job.temp)).toEqual([]);
  });

  it.each([
    ["a shallow checkout", ["--depth=1"]],
    ["a shallow, partial and sparse checkout", ["--depth=1", "--filter=blob:none", "--sparse"]],
    ["a partial and sparse checkout", ["--filter=blob:none", "--sparse"]],
  ])("comes to %s", async (_name, options) => {
    await rm(job.root, { recursive: true });
    job.clone(["--no-local", ...options, `file://${job.repository.path}`]);
    await checkOut();
    expect(inCheckout("rev-parse", "HEAD")).toBe(job.headSha);
    expect(inCheckout("status", "--porcelain")).toBe("");
    expect(inCheckout("merge-base", "HEAD", "origin/main")).toBe(inCheckout("rev-parse", "origin/main"));
    expect(inCheckout("fsck", "--connectivity-only", "--no-dangling")).toBe("");
  });

  it("refuses a checkout that an earlier step has changed", async () => {
    await writeFile(join(job.root, "a.txt"), "changed\n");
    await expect(checkOut()).rejects.toMatchObject({ code: "checkout_changed" });
    await rm(join(job.root, ".git"), { recursive: true });
    await expect(checkOut()).rejects.toMatchObject({ code: "checkout_missing" });
  });

  it("executes nothing of the checkout's transports, and shows them no token", async () => {
    const script = join(job.folder, "transport.sh");
    await writeFile(script, `#!/bin/sh\n/usr/bin/env > "${job.folder}/executed"\n`, { mode: 0o755 });
    configure("protocol.ext.allow", "always");
    configure(`url.ext::${script} #.insteadOf`, `${job.server.url}/`);
    await checkOut();
    expect(inCheckout("rev-parse", "HEAD")).toBe(job.headSha);
    expect(await readdir(job.folder)).not.toContain("executed");
  });

  it("does not go through a proxy of the checkout's configuration, which would see the token", async () => {
    const proxy = createServer((_request, response) => response.writeHead(502).end());
    const seen: string[] = [];
    proxy.on("request", ({ headers }) => seen.push(String(headers.authorization)));
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    try {
      configure(`http.${job.server.url}/.proxy`, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
      await checkOut();
      expect(inCheckout("rev-parse", "HEAD")).toBe(job.headSha);
      expect(seen).toEqual([]);
    } finally {
      proxy.close();
    }
  });
});
