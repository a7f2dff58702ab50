// Runs of a claimed private repository that no job asks for, with each of the ways to its newest commit that an owner may choose.

import { execFileSync } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Claims } from "../../../fakes/issuer/claims.ts";
import { sealingKeyOf } from "../../../src/base/sealed-text.ts";
import { type Client, createClient } from "../../../src/client/client.ts";
import type { Run } from "../../../src/contract/runs/run.ts";
import { noKnownHosts, readKnownHosts } from "../../../src/service/checkouts/remotes/known-hosts.ts";
import type { Backend } from "../../../src/service/executor/backend.ts";
import { makeTestKey, operateOn } from "../../support/account-key.ts";
import { openMcpClient, textOf } from "../../support/mcp/mcp-client.ts";
import { runCommand } from "../../support/run/run-command.ts";
import { call } from "../../support/service-client.ts";
import { SshServer } from "../../support/ssh-server.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import { sqliteStore } from "../../support/stores/stores.ts";
import { WebBrowser } from "../../support/web-browser.ts";
import { CommitFixture, type Finding, readAndSay } from "./commit-fixture.ts";

const KEYS = { current: sealingKeyOf(Buffer.alloc(32, 7)), previous: null };
const OTHER_KEYS = { current: sealingKeyOf(Buffer.alloc(32, 8)), previous: null };

const backend: Backend = {
  name: "reader",
  needsCheckout: true,
  run: async (task, checkout) => {
    await readAndSay(task, checkout);
    if (task.messages.at(-1)?.content !== "ask") return { stopReason: "end_turn" };
    await task.emit({ type: "CUSTOM", name: "question", value: { question: "Which one?", choices: ["a"] } });
    return { stopReason: "question" };
  },
};

onEveryStore((store) => {
  describe("a private repository that the service reads by its owner's choice", { tags: ["ssh"] }, () => {
    let at: CommitFixture;
    let ssh: SshServer;
    let programs: RecordedPrograms;
    let owner: Client;
    let browser: WebBrowser;
    let days = 0;

    beforeAll(async () => {
      ssh = await SshServer.start();
      programs = await RecordedPrograms.make();
      const gitEnvironment = { PATH: `${programs.folder}:${process.env.PATH}` };
      const knownHosts = readKnownHosts(await ssh.knownHosts()) ?? expect.unreachable();
      at = await CommitFixture.start(
        { secretKeys: KEYS, gitEnvironment, remotes: { knownHosts, app: null, appKeyFile: null } },
        { store, backend, issuerEntry: { ssh_url: ssh.urlTemplate } },
      );
      // The App is the code host's, which the fixture makes.
      const { id, privateKey } = at.service.codeHost.app;
      const app = { id, key: createPrivateKey(privateKey) };
      Object.assign(at.config, { remotes: { knownHosts, app, appKeyFile: null } });
      await at.service.restart({ config: at.config });
      await signIn();
    });

    afterAll(async () => {
      await at.close();
      await ssh.close();
      await programs.remove();
    });

    async function signIn(): Promise<void> {
      owner = createClient({ baseUrl: at.service.url, credential: at.key.secret });
      browser = new WebBrowser();
      await browser.post(`${at.service.url}/sign-in`, { key: at.key.secret });
    }

    const commit = (text: string): string => {
      days += 1;
      return at.packs.repository.commit({ files: { "a.txt": text }, day: days, subject: text });
    };

    /** A claimed repository of which no job has sent a commit, its agent, and its name at the code host. */
    async function claimed(): Promise<{ repository: Claims; agentId: string; name: string }> {
      const repository = await at.claimed();
      const { agentId } = await at.service.job(repository);
      return { repository, agentId, name: String(repository.repository) };
    }

    /** By a deploy key that was added at the code host. */
    async function opened(): Promise<{
      agentId: string;
      name: string;
      publicKey: string;
      repository: Claims;
    }> {
      const made = await claimed();
      const { agentId } = made;
      const { public_key: publicKey = "" } = await owner.repositoryAccess.put({
        agentId,
        body: { kind: "deploy_key" },
      });
      await ssh.allow(publicKey, { name: made.name, path: at.packs.repository.path });
      return { ...made, publicKey };
    }

    /** By the operator's App, which the owner has installed. */
    async function installed(): Promise<{ agentId: string; name: string; repository: Claims }> {
      const made = await claimed();
      await owner.repositoryAccess.put({ agentId: made.agentId, body: { kind: "github_app" } });
      const { path } = at.packs.repository;
      at.service.codeHost.app.install({ name: made.name, id: String(made.repository.repository_id), path });
      return made;
    }

    async function ended(agentId: string, runId: string): Promise<{ run: Run; finding: Finding }> {
      let text = "";
      for await (const { event } of owner.runs.follow({ runId }))
        if (event.type === "TEXT_MESSAGE_CONTENT") text += event.delta;
        else if (event.type === "RUN_ERROR") text = JSON.stringify({ error: event.message });
      const run = await owner.runs.get({ agentId, runId });
      return { run, finding: JSON.parse(text) as Finding };
    }

    /** How a repository's commits get to the service: `open` does what its owner has to, `publish` what a push of theirs does. */
    type Way = {
      readonly name: string;
      readonly from: string;
      readonly text: string;
      open(): Promise<{ agentId: string; repository: Claims }>;
      publish(repository: Claims, text: string): Promise<string>;
    };
    let ciRuns = 1_000;
    const ways: readonly Way[] = [
      {
        name: "what a job sends",
        from: "default_branch",
        text: "the newest that a job has sent",
        open: claimed,
        publish: async (repository, text) => {
          const sha = commit(text);
          ciRuns += 1;
          const claims = { ...repository, ref: "refs/heads/main", sha, run_id: String(ciRuns) };
          expect((await at.send(await at.service.job(claims, "main"), sha)).status).toBe(201);
          return sha;
        },
      },
      {
        name: "a deploy key",
        from: "code_host",
        text: "the newest at the code host",
        open: opened,
        publish: async (_repository, text) => commit(text),
      },
      {
        name: "the App's token",
        from: "code_host",
        text: "the newest at the code host",
        open: installed,
        publish: async (_repository, text) => commit(text),
      },
    ];

    const config = () => at.config;

    it("is chosen by its owner alone: by page and command, with the public key to copy", async () => {
      const { agentId } = await claimed();
      await at.service.stop();
      const { accountId } = at.key;
      const ai = await makeTestKey(at.service.place, { owner: { accountId }, callerClass: "ai_client" });
      await at.service.restart();
      await signIn();
      const client = createClient({ baseUrl: at.service.url, credential: ai.secret });
      const body = { kind: "deploy_key" as const };
      await expect(client.repositoryAccess.put({ agentId, body })).rejects.toMatchObject({ status: 403 });
      await expect(client.repositoryAccess.delete({ agentId })).rejects.toMatchObject({ status: 403 });
      const pageUrl = `${at.service.url}/agent/${agentId}`;
      expect((await browser.get(`${pageUrl}/settings`)).text).toContain("Make a deploy key");
      const posted = await browser.post(`${pageUrl}/access`, { use: "deploy_key" });
      expect(posted.status).toBe(303);
      const access = await client.repositoryAccess.get({ agentId });
      expect(access).toMatchObject({
        kind: "deploy_key",
        public_key: expect.stringMatching(/^ssh-ed25519 AAAA/),
        fingerprint: expect.stringMatching(/^SHA256:/),
      });
      const page = (await browser.get(`${pageUrl}/settings`)).text;
      expect(page).toContain(access.public_key);
      expect(page).toContain("Deploy keys, Add deploy key");
      expect(page).not.toContain("PRIVATE KEY");
      const again = await command(["agents", "access", agentId, "--use", "deploy_key", "--json"]);
      expect(JSON.parse(again)).toEqual(access);
      expect(await command(["agents", "access", agentId])).toContain(access.public_key);
      expect(await command(["agents", "access", agentId, "--remove"])).toContain("none");
      expect(await owner.repositoryAccess.get({ agentId })).toEqual({ agent_id: agentId, kind: "none" });
      const anew = await owner.repositoryAccess.put({ agentId, body });
      expect(anew.public_key).not.toBe(access.public_key);
    });

    it("shows its key nowhere: not to the run, nor in logs, events, arguments, answers or the store", async () => {
      const { agentId } = await opened();
      commit("secret");
      const { runId } = await owner.runs.submit({ agentId, body: { message: "read" } });
      await ended(agentId, runId);
      const seen = await programs.arguments();
      expect(seen).toContain("IdentitiesOnly=yes");
      expect(seen).not.toContain("PRIVATE KEY");
      const events = await call(`${at.service.url}/v1/agents/${agentId}/runs/${runId}`, {
        bearer: at.key.secret,
      });
      const { dataDir } = at.service.place.settings;
      expect(await readdir(join(dataDir, "remotes"))).toEqual([]);
      await at.service.stop();
      const rows = await at.service.place.open();
      const stored = await rows.committed.repositoryAccess.find(agentId);
      await rows.close();
      await at.service.restart();
      await signIn();
      const sealed = stored?.kind === "deploy_key" ? stored.sealed : "";
      expect(sealed).toMatch(new RegExp(`^v1\\.${KEYS.current.id}\\.`));
      for (const text of [at.service.logText(), events.text, JSON.stringify(stored), ssh.log()]) {
        expect(text).not.toContain("PRIVATE KEY");
        expect(text).not.toContain("b3BlbnNzaC1rZXktdjEA");
      }
      expect(at.service.logText()).not.toContain(sealed);
    });

    it("says so on a service that lacks the key that sealed it, and refuses a new one without any", async () => {
      const { agentId } = await opened();
      const other = await claimed();
      commit("restored");
      await at.service.restart({ config: { ...config(), secretKeys: OTHER_KEYS } });
      await signIn();
      const fault = expect.stringContaining(`sealed by another RUN_SECRETS_KEY (${KEYS.current.id})`);
      expect(await owner.repositoryAccess.get({ agentId })).toMatchObject({ kind: "deploy_key", fault });
      await expect(owner.runs.submit({ agentId, body: { message: "read" } })).rejects.toMatchObject({
        code: "commit_unreachable",
        message: fault,
      });
      await at.service.restart({ config: { ...config(), secretKeys: null } });
      await signIn();
      await expect(
        owner.repositoryAccess.put({ agentId: other.agentId, body: { kind: "deploy_key" } }),
      ).rejects.toMatchObject({
        code: "repository_access_unavailable",
        message: expect.stringContaining("sets RUN_SECRETS_KEY"),
      });
      const changed = { current: OTHER_KEYS.current, previous: KEYS.current };
      await at.service.restart({ config: { ...config(), secretKeys: changed } });
      await at.service.restart({ config: { ...config(), secretKeys: OTHER_KEYS } });
      await signIn();
      const { runId } = await owner.runs.submit({ agentId, body: { message: "read" } });
      expect((await ended(agentId, runId)).finding.text).toBe("restored");
      await at.service.restart({ config: config() });
      await signIn();
    });

    it("is gone with its agent, a release of the claim, and retirement", async () => {
      for (const end of ["delete", "release", "retire"] as const) {
        const { agentId } = await opened();
        if (end === "delete") await owner.agents.delete({ agentId });
        if (end === "retire") await owner.agents.retire({ agentId });
        await at.service.stop();
        if (end === "release")
          await operateOn(at.service.place, (operator) => operator.releaseClaim(agentId));
        const rows = await at.service.place.open();
        expect([end, await rows.committed.repositoryAccess.find(agentId)]).toEqual([end, null]);
        await rows.close();
        await at.service.restart();
        await signIn();
      }
    });

    // The rest has no SQL of its own, and is the same on every store.
    if (store !== sqliteStore) return;

    it.each(ways)(
      "is worked on by $name: by page, command, API, MCP, schedule, workflow and answer",
      async (way) => {
        const { agentId, repository } = await way.open();
        const sha = await way.publish(repository, "newest");
        const { runId } = await owner.runs.submit({ agentId, body: { message: "ask", session_key: "talk" } });
        const { run, finding } = await ended(agentId, runId);
        expect(finding, ssh.log()).toMatchObject({ text: "newest", headSha: sha });
        expect(run.commit).toEqual({ from: way.from, sha, ref: "refs/heads/main" });
        expect((await browser.get(`${at.service.url}/agent/${agentId}/runs/${runId}`)).text).toContain(
          `on ${sha.slice(0, 7)} of main, ${way.text}`,
        );
        const next = await way.publish(repository, "next");
        const answered = await owner.questions.answer({ runId, body: { answer: "a" } });
        expect((await ended(agentId, answered.run_id)).finding).toMatchObject({ headSha: sha });

        const page = await browser.post(`${at.service.url}/agent/${agentId}/runs`, {
          message: "read",
          session: "",
          key: "one",
        });
        const byPage = page.headers.get("location")?.split("/").at(-1) ?? "";
        expect((await ended(agentId, byPage)).finding).toMatchObject({ headSha: next });

        const byCommand = JSON.parse(await command(["runs", "submit", agentId, "read", "--json"]));
        expect((await ended(agentId, byCommand.run_id)).finding).toMatchObject({ headSha: next });

        const mcp = await openMcpClient(at.service.url, { bearer: at.key.secret });
        const called = await mcp.callTool({
          name: "invoke_agent",
          arguments: { agent: agentId, message: "read" },
        });
        expect(called.isError ?? false, textOf(called)).toBe(false);
        await mcp.close();

        await at.service.stop();
        const written = await operateOn(at.service.place, (operator) =>
          operator.putWorkflow({ agentId, id: null, name: "triage", prompt: "read" }),
        );
        await at.service.restart();
        await signIn();
        const id = written.ok ? written.value.id : expect.unreachable();
        const executed = await owner.workflows.execute({ id });
        expect((await ended(agentId, executed.run_id)).finding).toMatchObject({ headSha: next });

        const schedule = await owner.schedules.create({
          agentId,
          body: { prompt: "read", delay_seconds: 30 },
        });
        at.service.clock.advance(30_000);
        const fired = await scheduled(agentId, schedule.id);
        expect(fired.status, JSON.stringify(fired)).not.toBe("failed");
        for (const one of await owner.runs.list({ agentId }))
          expect((await ended(agentId, one.id)).run.status).toBe("completed");
      },
    );

    it("is refused where no way to its commits is there", async () => {
      const { agentId } = await claimed();
      commit("unknown");
      await expect(owner.runs.submit({ agentId, body: { message: "read" } })).rejects.toMatchObject({
        status: 409,
        code: "commit_unknown",
      });
    });

    it("is refused with what to do where the key was not added, and nothing is lost by it", async () => {
      const { agentId } = await claimed();
      commit("unreachable");
      await owner.repositoryAccess.put({ agentId, body: { kind: "deploy_key" } });
      const refusal = { status: 409, code: "commit_unreachable" };
      const submitted = owner.runs.submit({ agentId, body: { message: "read", idempotency_key: "k" } });
      await expect(submitted).rejects.toMatchObject({
        ...refusal,
        message: expect.stringContaining("add the public key that the agent's settings show"),
      });
      const posted = await browser.post(`${at.service.url}/agent/${agentId}/runs`, {
        message: "read",
        session: "",
        key: "one",
      });
      expect([posted.status, posted.text.includes("does not accept the deploy key")]).toEqual([409, true]);
      const schedule = await owner.schedules.create({ agentId, body: { prompt: "read", delay_seconds: 30 } });
      at.service.clock.advance(30_000);
      expect(await scheduled(agentId, schedule.id)).toMatchObject({
        status: "failed",
        last_error: expect.stringMatching(/^commit_unreachable: /),
      });
      expect(await owner.runs.list({ agentId })).toEqual([]);
    });

    it("works on what a job has sent without asking for its bytes again", async () => {
      const { agentId, repository } = await opened();
      const sha = commit("sent");
      const job = await at.service.job({ ...repository, ref: "refs/heads/main", sha });
      expect((await at.send(job, sha)).status).toBe(201);
      await ssh.forgetKeys();
      await expect(owner.runs.submit({ agentId, body: { message: "read" } })).rejects.toMatchObject({
        code: "commit_unreachable",
      });
      const { public_key: publicKey = "" } = await owner.repositoryAccess.get({ agentId });
      await ssh.allow(publicKey, { name: String(repository.repository), path: at.packs.repository.path });
      const before = uploads();
      const { runId } = await owner.runs.submit({ agentId, body: { message: "read" } });
      expect((await ended(agentId, runId)).finding.headSha).toBe(sha);
      expect(uploads() - before).toBe(1);
    });

    it("is read by tokens of the App that are limited to it, revoked after each use, and shown nowhere", async () => {
      const { agentId, name, repository } = await installed();
      const { app } = at.service.codeHost;
      commit("by token");
      const before = app.tokens.length;
      const { runId } = await owner.runs.submit({ agentId, body: { message: "read" } });
      expect((await ended(agentId, runId)).finding.text).toBe("by token");
      const made = app.tokens.slice(before);
      const id = Number(repository.repository_id);
      expect(made.map(({ repositoryIds, isRevoked }) => [repositoryIds, isRevoked])).toEqual([
        [[id], true],
        [[id], true],
      ]);
      const seen = await programs.arguments();
      expect(seen).toContain("ls-remote");
      const run = await call(`${at.service.url}/v1/agents/${agentId}/runs/${runId}`, {
        bearer: at.key.secret,
      });
      for (const { token } of made)
        for (const text of [seen, at.service.logText(), run.text])
          for (const form of [token, Buffer.from(`x-access-token:${token}`).toString("base64")])
            expect(text).not.toContain(form);
      expect(at.service.logText()).not.toContain("PRIVATE KEY");

      app.install({ name, id: "99999", path: at.packs.repository.path });
      const unreachable = (text: string) => ({
        code: "commit_unreachable",
        message: expect.stringContaining(text),
      });
      const ask = () => owner.runs.submit({ agentId, body: { message: "read" } });
      await expect(ask()).rejects.toMatchObject(unreachable("may not read this repository"));
      app.uninstall(name);
      await expect(ask()).rejects.toMatchObject(unreachable("is not installed on the repository"));
      const remotes = { knownHosts: noKnownHosts, app: null, appKeyFile: null };
      await at.service.restart({ config: { ...config(), remotes } });
      await signIn();
      await expect(ask()).rejects.toMatchObject(unreachable("has no GitHub App"));
      await at.service.restart({ config: config() });
      await signIn();
    });

    const uploads = () => ssh.log().split("Starting session: forced-command").length;

    async function command(args: readonly string[]): Promise<string> {
      const account = { AGENT_SERVICE_URL: at.service.url, AGENT_SERVICE_KEY: at.key.secret };
      const { code, stdout, stderr } = await runCommand(args, account);
      expect(code, stderr).toBe(0);
      return stdout;
    }

    /** Once its firing is over. */
    async function scheduled(agentId: string, scheduleId: string) {
      for (;;) {
        const now = await owner.schedules.get({ agentId, scheduleId });
        if (now.status !== "pending" && now.status !== "firing") return now;
        await call(`${at.service.url}/livez`);
      }
    }
  });
});

/** Stands in the place of git and ssh, and writes down the arguments of each that is started. */
class RecordedPrograms {
  readonly folder: string;
  readonly #log: string;

  static async make(): Promise<RecordedPrograms> {
    return new RecordedPrograms(await mkdtemp(join(tmpdir(), "agent-service-programs-")));
  }

  private constructor(folder: string) {
    this.folder = folder;
    this.#log = join(folder, "log");
    writeFileSync(this.#log, "");
    for (const name of ["git", "ssh"]) {
      const real = execFileSync("which", [name], { encoding: "utf8" }).trim();
      const script = `#!/bin/sh\nprintf '%s\\n' "$0 $*" >>'${this.#log}'\nexec '${real}' "$@"\n`;
      writeFileSync(join(folder, name), script, { mode: 0o755 });
    }
  }

  async arguments(): Promise<string> {
    return await readFile(this.#log, "utf8");
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
