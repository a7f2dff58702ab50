// What git gets of the job, and what its complaints are taken for.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GitError } from "../../../src/base/git/git.ts";
import type { GitTransport } from "../../../src/base/git/hardening.ts";
import { codeHostMessage, type GitFailure, gitFailureOf } from "../../../src/job/git/git-failure.ts";
import { jobGit, transportOf } from "../../../src/job/git/job-git.ts";

const { signal } = new AbortController();

describe("the job's git", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "job-git-"));
    const script = '#!/bin/sh\necho "$@"\n/usr/bin/env\n';
    await writeFile(join(folder, "git"), script, { mode: 0o755 });
  });
  afterEach(async () => await rm(folder, { recursive: true }));

  const run = async (env: Record<string, string>) => {
    const git = jobGit({ env: { PATH: folder, ...env }, home: folder, gitFolder: folder, treeFolder: null });
    const { stdout } = await git({ args: ["version"], signal });
    const [args = "", ...lines] = stdout.toString().trim().split("\n");
    return {
      args,
      env: new Map(lines.map((line) => [line.split("=")[0] ?? "", line.replace(/^[^=]*=/, "")])),
    };
  };

  it("passes on proxies and certificates, and no other variable of the job", async () => {
    const way = {
      https_proxy: "http://proxy.test:3128",
      HTTPS_PROXY: "http://proxy.test:3128",
      http_proxy: "http://proxy.test:3128",
      no_proxy: "localhost",
      SSL_CERT_FILE: "/etc/ca.pem",
      GIT_SSL_CAINFO: "/etc/ca.pem",
    };
    const foreign = {
      "INPUT_GITHUB-TOKEN": "ghs_secret",
      GIT_SSH_COMMAND: "evil",
      GIT_EXTERNAL_DIFF: "evil",
      GIT_CONFIG_PARAMETERS: "'core.hooksPath=/evil'",
      LD_PRELOAD: "/evil.so",
    };
    const seen = await run({ ...way, ...foreign });
    for (const [name, value] of Object.entries(way)) expect(seen.env.get(name)).toBe(value);
    for (const name of Object.keys(foreign)) expect(seen.env.has(name)).toBe(false);
    expect(seen.env.get("GIT_CONFIG_GLOBAL")).toBe("/dev/null");
    expect(seen.env.get("GIT_TERMINAL_PROMPT")).toBe("0");
    expect(seen.args).toContain("-c core.hooksPath=/dev/null -c core.fsmonitor=false");
  });

  it("reaches no server in a call that names no transport, and by that one alone in a call that does", async () => {
    const git = jobGit({ env: { PATH: folder }, home: folder, gitFolder: folder, treeFolder: null });
    const allowed = async (call: { readonly transport?: GitTransport }) =>
      /^GIT_ALLOW_PROTOCOL=(.*)$/m.exec(
        (await git({ args: ["fetch"], signal, ...call })).stdout.toString(),
      )?.[1];
    expect(await allowed({})).toBe("none");
    const transport = (serverUrl: string) => ({ transport: transportOf({ serverUrl }) });
    expect(await allowed(transport("https://github.example"))).toBe("https");
    expect(await allowed(transport("http://127.0.0.1:1"))).toBe("http");
  });
});

describe("a failure of git", () => {
  const of = (stderr: string) =>
    new GitError({ code: "git_failed", message: "git push ended with 1.", stderr });

  it.each<[GitFailure, string]>([
    [
      "protected",
      "remote: error: GH006: Protected branch update failed for refs/heads/main.\n ! [remote rejected] a -> main (protected branch hook declined)",
    ],
    [
      "protected",
      "remote: error: GH013: Repository rule violations found for refs/heads/main.\n ! [remote rejected] a -> main (push declined due to repository rule violations)",
    ],
    [
      "workflow_refused",
      " ! [remote rejected] a -> main (refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission)",
    ],
    ["moved", " ! [rejected] a -> main (stale info)"],
    ["moved", " ! [remote rejected] a -> main (cannot lock ref 'refs/heads/main': is at b but expected c)"],
    ["refused", " ! [remote rejected] a -> main (pre-receive hook declined)"],
    [
      "not_permitted",
      "remote: Permission to octo/x.git denied to github-actions[bot].\nfatal: unable to access 'https://github.com/octo/x.git/': The requested URL returned error: 403",
    ],
    [
      "not_authenticated",
      "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    ],
    [
      "not_found",
      "remote: Repository not found.\nfatal: repository 'https://github.com/octo/x.git/' not found",
    ],
    ["commit_missing", "fatal: remote error: upload-pack: not our ref 1111"],
    [
      "unavailable",
      "fatal: unable to access 'https://github.com/octo/x.git/': Could not resolve host: github.com",
    ],
    ["unavailable", "error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502"],
  ])("is %s: %s", (failure, stderr) => {
    expect(gitFailureOf(of(stderr))).toBe(failure);
  });

  it("has the code host's own message, in one safe line", () => {
    const text =
      'remote: error: GH006: Protected\u202E branch.\nremote: \nremote: - Required status check "ci".\n';
    expect(codeHostMessage(of(text))).toBe('GH006: Protected‹U+202E› branch. - Required status check "ci".');
    expect(codeHostMessage(of(" ! [remote rejected] a -> main (pre-receive hook declined)"))).toBe(
      "pre-receive hook declined",
    );
    expect(codeHostMessage(of("fatal: no network"))).toBe("");
  });
});
