// Files of a repository at a commit, read through the API of a code host on loopback.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../../fakes/code-host/code-host.ts";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import { openTransport } from "../../../src/action/transport.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { createGitHubProvider } from "../../../src/ci/github.ts";
import { openCodeHost } from "../../../src/github/code-host.ts";

const UNUSUAL = "docs/50% of #1 {a}:b?/Größe & more.md";

describe("a file of the repository", () => {
  let folder: string;
  let codeHost: CodeHost;
  let ref: string;
  const transport = openTransport();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "repository-file-"));
    const repository = new TestRepository(folder, "octo/repo.git");
    ref = repository.commit({ files: { [UNUSUAL]: "Unusual\n", "large.md": "x".repeat(2_000) } });
    codeHost = await startCodeHost({ repositories: { "octo/repo": repository.path } });
  });
  afterAll(async () => {
    transport.close();
    await codeHost.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function read(path: string, token?: string) {
    const { env, githubToken } = await codeHost.job();
    const { job } = createGitHubProvider({
      env,
      transport: transport.send,
      clock: systemClock,
      random: Math.random,
    });
    const { signal } = new AbortController();
    const access = { env, job, token: token ?? githubToken, transport: transport.send, signal };
    return await openCodeHost(access).readFile({ path, ref, maxBytes: 1_000 });
  }

  it("is read whatever characters its path has", async () => {
    expect(await read(UNUSUAL)).toEqual({ type: "file", text: "Unusual\n" });
  });

  it("is not read where it is missing, a folder or too large", async () => {
    expect(await read("none.md")).toEqual({ type: "missing" });
    expect(await read("docs")).toEqual({ type: "not_a_file" });
    expect(await read("large.md")).toEqual({ type: "too_large" });
  });

  it("is not read with a wrong token, or without one", async () => {
    const refused = { name: "GitHubError", code: "code_host_refused", status: 401 };
    await expect(read("large.md", "ghs_wrong")).rejects.toMatchObject(refused);
    await expect(read("large.md", "")).rejects.toMatchObject(refused);
  });
});
