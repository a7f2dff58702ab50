// What a run's commands find of the credentials by which the service reads repositories, while git works with them.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import { byTurn } from "../../../fakes/model-server/script.ts";
import { call, say } from "../../../fakes/model-server/turn.ts";
import { sealingKeyOf, unseal } from "../../../src/base/sealed-text.ts";
import { createClient } from "../../../src/client/client.ts";
import type { ChosenAccessKind } from "../../../src/contract/repository-access.ts";
import { GitRemotes, type OpenedRemote } from "../../../src/service/checkouts/remotes/git-remotes.ts";
import { readKnownHosts } from "../../../src/service/checkouts/remotes/known-hosts.ts";
import { boundTo } from "../../../src/service/core/repository-access/stored-access.ts";
import { type Config, readConfig } from "../../../src/service/settings/config.ts";
import { SshServer } from "../../support/ssh-server.ts";
import { CommitFixture } from "./commit-fixture.ts";

const KEYS = { current: sealingKeyOf(Buffer.alloc(32, 7)), previous: null };
const signal = new AbortController().signal;

describe("a run's commands, while the service's git has its credentials", {
  tags: ["sandbox", "ssh"],
}, () => {
  let folder: string;
  /** The operator shows it to commands, with the App's key in it. */
  let shown: string;
  let agentSocket: string;
  let ssh: SshServer;
  let model: ModelServer;
  let at: CommitFixture;
  const processes: ChildProcess[] = [];
  const opened: OpenedRemote[] = [];
  let config: Partial<Config>;
  /** What the runs execute. */
  let command: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "access-sandbox-"));
    shown = join(folder, "shown");
    mkdirSync(shown);
    agentSocket = join(folder, "agent.sock");
    await startAgent();
    ssh = await SshServer.start();
    command = lookFor({ roots: "/", pruned: ["/usr", "/proc", "/sys", "/dev"], agentSocket });
    model = await startModelServer({ script: byTurn([call("run_command", { command }), say("Done.")]) });
    const knownHosts = readKnownHosts(await ssh.knownHosts()) ?? expect.unreachable();
    at = await CommitFixture.start(
      { secretKeys: KEYS, remotes: { knownHosts, app: null, appKeyFile: null } },
      { backend: null, issuerEntry: { ssh_url: ssh.urlTemplate } },
    );
    writeFileSync(join(shown, "hosts-of-the-operator"), await ssh.knownHosts());
    const appKey = join(shown, "app.pem");
    writeFileSync(appKey, at.service.codeHost.app.privateKey, { mode: 0o600 });
    for (const path of [folder, shown]) chmodSync(path, 0o755);
    config = { ...configured(appKey), secretKeys: KEYS };
    await at.service.restart({ config });
  });

  afterAll(async () => {
    for (const process of processes) process.kill();
    for (const remote of opened) await remote.close();
    await at.close();
    await model.close();
    await ssh.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** As `serve` reads its settings, in an environment that has an agent of ssh. */
  function configured(appKey: string): Partial<Config> {
    const { dataDir } = at.service.place.settings;
    const { app } = at.service.codeHost;
    const read = readConfig(
      { DATA_DIR: dataDir },
      {
        PATH: "/usr/bin:/bin",
        HOME: folder,
        SSH_AUTH_SOCK: agentSocket,
        BACKEND: "model",
        MODEL: "scripted-model",
        MODEL_BASE_URL: model.baseUrl,
        SANDBOX: "bubblewrap",
        SANDBOX_READ_PATHS: shown,
        SSH_KNOWN_HOSTS_FILE: join(shown, "hosts-of-the-operator"),
        GITHUB_APP_ID: app.id,
        GITHUB_APP_PRIVATE_KEY_FILE: appKey,
      },
    );
    if (!read.ok) throw new Error(read.refusal.join("\n"));
    const { backend, model: ofModel, sandbox, rates, remotes, gitEnvironment } = read.value;
    return { backend, model: ofModel, sandbox, rates, remotes, gitEnvironment };
  }

  /** An agent of ssh with an identity, as the machine of an operator may have. */
  async function startAgent(): Promise<void> {
    const agent = spawn("ssh-agent", ["-D", "-a", agentSocket], { stdio: ["ignore", "pipe", "ignore"] });
    processes.push(agent);
    await once(agent.stdout ?? expect.unreachable(), "data");
    const key = join(folder, "identity");
    const run = promisify(execFile);
    await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "agent-identity", "-f", key]);
    await run("ssh-add", ["-q", key], { env: { PATH: process.env.PATH, SSH_AUTH_SOCK: agentSocket } });
    await rm(key);
  }

  /** A claimed repository with the access, and the credential of it that git has from now on. */
  async function workWith(kind: ChosenAccessKind): Promise<string> {
    const owner = createClient({ baseUrl: at.service.url, credential: at.key.secret });
    const repository = await at.claimed();
    const { agentId } = await at.service.job(repository);
    const { public_key: publicKey = "" } = await owner.repositoryAccess.put({ agentId, body: { kind } });
    const { codeHost, place } = at.service;
    const [name, id] = [String(repository.repository), String(repository.repository_id)];
    const { path } = at.packs.repository;
    if (kind === "github_app") codeHost.app.install({ name, id, path });
    else await ssh.allow(publicKey, { name, path });
    const remotes = new GitRemotes({
      folder: join(place.settings.dataDir, "remotes"),
      environment: process.env,
      clock: at.service.clock,
      issuers: [{ ...codeHost.issuerEntry, ssh_url: ssh.urlTemplate }],
      knownHosts: readKnownHosts(await ssh.knownHosts()) ?? expect.unreachable(),
      app: { id: codeHost.app.id, key: createPrivateKey(codeHost.app.privateKey) },
    });
    const credential = kind === "github_app" ? { kind } : { kind, privateKey: await privateKeyOf(agentId) };
    const remote = await remotes.open(
      { repository: { issuer: codeHost.issuer.url, id, name }, credential },
      signal,
    );
    if (!remote.ok) throw new Error(remote.refusal.detail);
    opened.push(remote.value);
    // As git, which has it in its environment.
    processes.push(spawn("sleep", ["1000"], { env: { PATH: process.env.PATH, ...remote.value.env } }));
    return agentId;
  }

  async function privateKeyOf(agentId: string): Promise<string> {
    await at.service.stop();
    const store = await at.service.place.open();
    const stored = await store.committed.repositoryAccess.find(agentId);
    await store.close();
    await at.service.restart({ config });
    if (stored?.kind !== "deploy_key") throw new Error("There is no deploy key.");
    const key = unseal(stored.sealed, { keys: KEYS, boundTo: boundTo(agentId) });
    return key.ok ? key.value : expect.unreachable();
  }

  it("see no key, file of git, agent of ssh or token: not in files, environments, arguments or sockets", async () => {
    const { dataDir } = at.service.place.settings;
    at.packs.repository.commit({ files: { "a.txt": "x" }, day: 1, subject: "x" });
    // The key first: the service starts again to give it, and sweeps what others have left.
    const agents = [await workWith("deploy_key"), await workWith("github_app")];
    const [token = ""] = at.service.codeHost.app.tokens.map((made) => made.token);
    const header = Buffer.from(`x-access-token:${token}`).toString("base64");
    const secrets = ["remotes/remote-", "known_hosts", "app.pem", "agent.sock", "agent-identity", header];

    // Outside the sandbox the same commands find all of it: they would find it inside, too.
    const outside = lookFor({ roots: `${dataDir} ${folder}`, pruned: [], agentSocket });
    const seen = (await promisify(execFile)("sh", ["-c", outside], { maxBuffer: 100_000_000 })).stdout;
    expect(secrets.filter((secret) => !seen.includes(secret))).toEqual([]);

    const owner = createClient({ baseUrl: at.service.url, credential: at.key.secret });
    for (const agentId of agents) {
      const { runId } = await owner.runs.submit({ agentId, body: { message: `look as ${agentId}` } });
      for await (const _ of owner.runs.follow({ runId }));
      expect(await owner.runs.get({ agentId, runId })).toMatchObject({
        status: "completed",
        commit: { from: "code_host" },
      });
      const [result = ""] = model.toolResults(`look as ${agentId}`).map(({ text }) => text);
      // Its own command line names what it looks for.
      const found = result.replaceAll(command, "");
      expect(found).toContain("hosts-of-the-operator");
      expect(found).toContain("looked everywhere");
      expect(found).not.toMatch(/\[.*(truncated|left out).*\]/);
      expect([agentId, secrets.filter((secret) => found.includes(secret))]).toEqual([agentId, []]);
      expect(found).not.toContain(token);
    }
  });
});

/** Names the files that have a private key and those of git, and prints environments, arguments, git's settings and identities of the agent. */
function lookFor({
  roots,
  pruned,
  agentSocket,
}: {
  readonly roots: string;
  readonly pruned: readonly string[];
  readonly agentSocket: string;
}): string {
  const skip = pruned.map((path) => `-path ${path} -prune -o`).join(" ");
  return [
    `find ${roots} ${skip} -type f -size -64k -exec grep -lE 'PRIVATE KEY|127.0.0.1' {} + 2>/dev/null`,
    `find ${roots} ${skip} '(' -path '*/remotes/*' -o -name known_hosts -o -type s ')' -print 2>/dev/null`,
    "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'",
    "git config --list --show-origin; cat .git/config 2>/dev/null",
    `SSH_AUTH_SOCK='${agentSocket}' ssh-add -L; ssh-add -L`,
    "echo looked everywhere",
  ].join("; ");
}
