// Repositories at a code host over real ssh: the newest commit, host keys, keys without access, and where the key is while git works.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TestRepository } from "../../../../fakes/code-host/git-repository.ts";
import { systemClock } from "../../../../src/base/clock.ts";
import { systemRandom } from "../../../../src/base/ids.ts";
import { GitRemotes } from "../../../../src/service/checkouts/remotes/git-remotes.ts";
import { publishedHostKeys } from "../../../../src/service/checkouts/remotes/host-keys.ts";
import { readKnownHosts } from "../../../../src/service/checkouts/remotes/known-hosts.ts";
import {
  DEPLOY_KEY_BYTES,
  fingerprintOf,
  makeDeployKey,
} from "../../../../src/service/core/repository-access/deploy-key.ts";
import { githubIssuer } from "../../../../src/service/oidc/issuer-config.ts";
import { SshServer } from "../../../support/ssh-server.ts";

const REPOSITORY = { issuer: githubIssuer.issuer, id: "1", name: "octo/keys" };
/** What a shell and ssh's configuration would read otherwise. */
const KEYS = "it's %d keys";
const signal = new AbortController().signal;

describe("the host keys that are built in", () => {
  it("have the fingerprints that their hosts publish", () => {
    for (const { key, fingerprint } of Object.values(publishedHostKeys))
      expect(fingerprintOf(key)).toBe(fingerprint);
  });
});

describe("a repository over ssh", { tags: ["ssh"] }, () => {
  let folder: string;
  let server: SshServer;
  let repository: TestRepository;
  const key = makeDeployKey(systemRandom.bytes(DEPLOY_KEY_BYTES), "test");
  const remote = {
    repository: REPOSITORY,
    credential: { kind: "deploy_key" as const, privateKey: key.privateKey },
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "agent-service-remotes-"));
    server = await SshServer.start();
    repository = new TestRepository(folder, "octo-keys.git");
  });

  beforeEach(() => server.forgetKeys());

  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function remotes(known?: string): Promise<GitRemotes> {
    return new GitRemotes({
      folder: join(folder, KEYS),
      environment: process.env,
      issuers: [{ ...githubIssuer, ssh_url: server.urlTemplate }],
      knownHosts: readKnownHosts(known ?? (await server.knownHosts())) ?? expect.unreachable(),
      app: null,
      clock: systemClock,
    });
  }

  it("tells the newest commit and its branch, and leaves no key behind", async () => {
    const sha = repository.commit({ files: { a: "a" } });
    await server.allow(key.publicKey, { name: REPOSITORY.name, path: repository.path });
    const found = await (await remotes()).findHead(remote, signal);
    const cloneUrl = "https://github.com/octo/keys.git";
    expect(found, server.log()).toEqual({ ok: true, value: { sha, ref: "refs/heads/main", cloneUrl } });
    expect(await readdir(join(folder, KEYS))).toEqual([]);
  });

  it("refuses a host with another key than the pinned one before it shows a key", async () => {
    const pinned = await server.knownHosts();
    await server.changeHostKey();
    await server.allow(key.publicKey, { name: REPOSITORY.name, path: repository.path });
    const found = await (await remotes(pinned)).findHead(remote, signal);
    expect(found).toMatchObject({
      ok: false,
      refusal: { detail: expect.stringContaining("another host key than the pinned one"), isPassing: false },
    });
    expect(server.log()).toContain("Connection from 127.0.0.1");
    expect(server.log()).not.toContain("userauth-request");
    expect((await (await remotes()).findHead(remote, signal)).ok).toBe(true);
    expect(server.log()).toContain("userauth-request");
  });

  it("connects to no host of which no key is pinned", async () => {
    const stranger = await remotes("git.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGE=");
    expect(stranger.locate(REPOSITORY, "deploy_key")).toEqual({
      ok: false,
      refusal: `This service knows no host key of [127.0.0.1]:${server.port}. Its operator sets SSH_KNOWN_HOSTS_FILE to a file that has it.`,
    });
    expect((await stranger.findHead(remote, signal)).ok).toBe(false);
  });

  it("says what to do where the key has no access, is another repository's, or there is no commit", async () => {
    const at = await remotes();
    const none = await at.findHead(remote, signal);
    expect(none).toMatchObject({
      refusal: { detail: expect.stringContaining("does not accept the deploy key") },
    });
    await server.allow(key.publicKey, { name: "octo/other", path: repository.path });
    const other = await at.findHead(remote, signal);
    expect(other).toMatchObject({ refusal: { detail: expect.stringContaining("shows no such repository") } });
    await server.forgetKeys();
    const empty = new TestRepository(folder, "empty.git");
    await server.allow(key.publicKey, { name: REPOSITORY.name, path: empty.path });
    const bare = await at.findHead(remote, signal);
    expect(bare).toMatchObject({ refusal: { detail: expect.stringContaining("has no commit yet") } });
  });

  it("is no path to elsewhere", async () => {
    const at = await remotes();
    for (const name of [
      "octo/../etc",
      "../octo/keys",
      "octo",
      "octo/-u",
      "octo/keys?x",
      "octo/k eys",
      "octo//keys",
    ])
      expect(at.locate({ ...REPOSITORY, name }, "deploy_key").ok, name).toBe(false);
  });
});
