// Runs of a claimed private repository that no job asks for: by page, API, MCP, schedule, workflow and answer. They work on the
// newest commit of their session, else on the newest that a job sent of the default branch, else they are refused.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Claims } from "../../../fakes/issuer/claims.ts";
import { type Client, createClient } from "../../../src/client/client.ts";
import type { Run } from "../../../src/contract/runs/run.ts";
import type { Backend } from "../../../src/service/executor/backend.ts";
import { operateOn } from "../../support/account-key.ts";
import { openMcpClient, textOf } from "../../support/mcp/mcp-client.ts";
import { call } from "../../support/service-client.ts";
import type { CiJob } from "../../support/service-job.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import { WebBrowser } from "../../support/web-browser.ts";
import { CommitFixture, type Finding, readAndSay } from "./commit-fixture.ts";

/** Reads as the reader does, and ends with a question where it is told to ask. */
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
  describe("a run of a private repository that no job asks for", () => {
    let at: CommitFixture;
    let owner: Client;
    let browser: WebBrowser;
    let days = 0;

    beforeAll(async () => {
      at = await CommitFixture.start({}, { store, backend });
      owner = createClient({ baseUrl: at.service.url, credential: at.key.secret });
      browser = new WebBrowser();
      await browser.post(`${at.service.url}/sign-in`, { key: at.key.secret });
    });

    afterAll(() => at.close());

    const commit = (text: string, parents: readonly string[] = []): string => {
      days += 1;
      return at.packs.repository.commit({ files: { "a.txt": text }, parents, day: days, subject: text });
    };

    let ciRuns = 1_000;
    /** A job that states which branch is the default one, as the Action does. */
    async function jobOf(claims: Claims, defaultBranch: string | null = "main"): Promise<CiJob> {
      ciRuns += 1;
      const job = await at.service.job({ run_id: String(ciRuns), ...claims }, defaultBranch ?? undefined);
      return job;
    }

    /** A claimed repository of which no commit is known, and its agent. */
    async function claimed(): Promise<{ repository: Claims; agentId: string }> {
      const repository = await at.claimed();
      return { repository, agentId: (await jobOf(repository)).agentId };
    }

    async function send(repository: Claims, text: string, more: Claims = {}): Promise<string> {
      const sha = commit(text);
      const job = await jobOf({ ...repository, ref: "refs/heads/main", ...more, sha });
      expect((await at.send(job, sha)).status).toBe(201);
      return sha;
    }

    async function ended(agentId: string, runId: string): Promise<{ run: Run; finding: Finding | null }> {
      let text = "";
      for await (const { event } of owner.runs.follow({ runId }))
        if (event.type === "TEXT_MESSAGE_CONTENT") text += event.delta;
      const run = await owner.runs.get({ agentId, runId });
      return { run, finding: text === "" ? null : (JSON.parse(text) as Finding) };
    }

    const start = async (agentId: string, body: Parameters<Client["runs"]["submit"]>[0]["body"]) =>
      await owner.runs.submit({ agentId, body });

    it("is refused where no commit is known, on every face, and nothing is lost by it", async () => {
      const { agentId } = await claimed();
      const refusal = { status: 409, code: "commit_unknown" };
      await expect(start(agentId, { message: "read" })).rejects.toMatchObject(refusal);
      const answer = await at.service.call(`/v1/agents/${agentId}/runs`, {
        method: "POST",
        bearer: at.key.secret,
        json: { message: "read" },
      });
      expect(answer.text).toContain("Run the agent once from the repository's CI, on its default branch");

      const page = await browser.get(`${at.service.url}/agent/${agentId}`);
      expect(page.text).toContain("no job of its default branch has sent one");
      expect(page.text).not.toContain("What should the agent do?");
      const posted = await browser.post(`${at.service.url}/agent/${agentId}/runs`, {
        message: "read",
        session: "",
        key: "one",
      });
      expect([posted.status, posted.text.includes("It is not known which commit")]).toEqual([409, true]);

      const mcp = await openMcpClient(at.service.url, { bearer: at.key.secret });
      const called = await mcp.callTool({
        name: "invoke_agent",
        arguments: { agent: agentId, message: "read" },
      });
      expect([called.isError, textOf(called)]).toEqual([true, expect.stringContaining("commit_unknown")]);
      await mcp.close();

      const workflow = await putWorkflow(agentId);
      await expect(owner.workflows.execute({ id: workflow })).rejects.toMatchObject(refusal);
      expect(
        (await browser.get(`${at.service.url}/agent/${agentId}?workflow=${workflow}`)).text,
      ).not.toContain("once</button>");

      const schedule = await owner.schedules.create({ agentId, body: { prompt: "read", delay_seconds: 30 } });
      at.service.clock.advance(30_000);
      const failed = await scheduled(agentId, schedule.id);
      expect(failed).toMatchObject({
        status: "failed",
        last_error: expect.stringMatching(/^commit_unknown: .*Run the agent once/),
      });
      expect(await owner.runs.list({ agentId })).toEqual([]);
    });

    it("works on the newest that a job sent of the default branch, whatever other branches send", async () => {
      const { repository, agentId } = await claimed();
      const sha = await send(repository, "main");
      await send(repository, "side", { ref: "refs/heads/side" });
      await send(repository, "an outsider's", {
        event_name: "pull_request",
        ref: "refs/pull/7/merge",
        base_ref: "main",
      });
      const { runId } = await start(agentId, { message: "read" });
      const { run, finding } = await ended(agentId, runId);
      expect(finding).toMatchObject({ text: "main", headSha: sha });
      expect(run.commit).toEqual({ from: "default_branch", sha, ref: "refs/heads/main" });
      expect((await browser.get(`${at.service.url}/agent/${agentId}/runs/${runId}`)).text).toContain(
        `on ${sha.slice(0, 7)} of main, the newest that a job has sent`,
      );

      const page = await browser.post(`${at.service.url}/agent/${agentId}/runs`, {
        message: "read",
        session: "",
        key: "two",
      });
      const byPage = page.headers.get("location")?.split("/").at(-1) ?? "";
      expect((await ended(agentId, byPage)).finding).toMatchObject({ headSha: sha });

      const mcp = await openMcpClient(at.service.url, { bearer: at.key.secret });
      const called = await mcp.callTool({
        name: "invoke_agent",
        arguments: { agent: agentId, message: "read" },
      });
      expect(called.isError ?? false, textOf(called)).toBe(false);
      await mcp.close();

      const workflow = await putWorkflow(agentId);
      const executed = await owner.workflows.execute({ id: workflow });
      expect((await ended(agentId, executed.run_id)).finding).toMatchObject({ headSha: sha });

      const schedule = await owner.schedules.create({ agentId, body: { prompt: "read", delay_seconds: 30 } });
      at.service.clock.advance(30_000);
      const fired = await scheduled(agentId, schedule.id);
      expect(fired.status).not.toBe("failed");
      for (const one of await owner.runs.list({ agentId })) {
        const { run: listed, finding: found } = await ended(agentId, one.id);
        expect([listed.status, found?.headSha, listed.commit?.sha]).toEqual(["completed", sha, sha]);
      }
    });

    it("goes on with the commit of its session, and an answer with that of its question", async () => {
      const { repository, agentId } = await claimed();
      const first = await send(repository, "first");
      const { runId, sessionId } = await start(agentId, { message: "ask", session_key: "talk" });
      expect((await ended(agentId, runId)).finding).toMatchObject({ headSha: first });
      const second = await send(repository, "second");
      const answered = await owner.questions.answer({ runId, body: { answer: "a" } });
      const answer = await ended(agentId, answered.run_id);
      expect(answer.finding).toMatchObject({ headSha: first });
      expect(answer.run).toMatchObject({ thread_id: sessionId, commit: { from: "session", sha: first } });
      const again = await owner.questions.answer({ runId, body: { answer: "a" } });
      expect(again.run_id).toBe(answered.run_id);
      const anew = await start(agentId, { message: "read" });
      expect((await ended(agentId, anew.runId)).finding).toMatchObject({ headSha: second });
    });

    it("goes on with the head of the pull request that its session is about, as an outsider's", async () => {
      const { repository, agentId } = await claimed();
      await send(repository, "main");
      const head = commit("head");
      const job = await jobOf({ ...repository, ref: "refs/heads/main" });
      expect((await at.send(job, head, { pull_request: 7 })).status).toBe(201);
      const pull_request = { number: 7, head_sha: head, base_ref: "main" };
      const submitted = await job.submit({ message: "read", pull_request, session_key: "pull-7" });
      await job.follow((submitted.body as { run_id: string }).run_id);
      const { runId } = await start(agentId, { message: "read", session_key: "pull-7" });
      const { run, finding } = await ended(agentId, runId);
      expect(finding).toMatchObject({ headSha: head, instructions: null });
      expect(run.commit?.from).toBe("session");
    });

    it("is the same run when it is asked for again, though a newer commit was sent in the meantime", async () => {
      const { repository, agentId } = await claimed();
      const sha = await send(repository, "old");
      const ask = () => start(agentId, { message: "read", idempotency_key: "nightly" });
      const { runId } = await ask();
      await send(repository, "new");
      expect((await ask()).runId).toBe(runId);
      expect((await ended(agentId, runId)).run.commit?.sha).toBe(sha);
    });

    it("is not moved back by a job of an older CI run, nor by one that states another branch", async () => {
      const { repository, agentId } = await claimed();
      const newest = await send(repository, "newest");
      const older = commit("older");
      const rerun = await jobOf({ ...repository, ref: "refs/heads/main", sha: older, run_id: "7" });
      await at.send(rerun, older);
      const side = commit("side");
      const silent = await jobOf({ ...repository, ref: "refs/heads/main", sha: side }, null);
      await at.send(silent, side);
      const { runId } = await start(agentId, { message: "read" });
      expect((await ended(agentId, runId)).run.commit?.sha).toBe(newest);
    });

    it("takes the commit of an event that is always of the default branch, whatever the job states", async () => {
      const { repository, agentId } = await claimed();
      const sha = commit("nightly");
      const job = await jobOf({ ...repository, event_name: "schedule", ref: "refs/heads/trunk", sha }, null);
      await at.send(job, sha);
      const { runId } = await start(agentId, { message: "read" });
      expect((await ended(agentId, runId)).run.commit).toMatchObject({ sha, ref: "refs/heads/trunk" });
    });

    it("is refused once the commit is deleted, and the question and the page say so", async () => {
      const { repository, agentId } = await claimed();
      const sha = await send(repository, "old");
      const { runId } = await start(agentId, { message: "ask", session_key: "talk" });
      await ended(agentId, runId);
      await at.service.stop();
      await forgetCommit(repository, sha);
      await at.service.restart();
      owner = createClient({ baseUrl: at.service.url, credential: at.key.secret });
      const gone = { code: "commit_unknown", message: expect.stringContaining(`Commit ${sha}`) };
      await expect(owner.questions.answer({ runId, body: { answer: "a" } })).rejects.toMatchObject(gone);
      expect((await owner.questions.list()).map((one) => one.run_id)).toContain(runId);
      await browser.post(`${at.service.url}/sign-in`, { key: at.key.secret });
      for (const path of [`/agent/${agentId}`, "/"]) {
        const page = await browser.get(at.service.url + path);
        expect(page.text).toContain("is not held any more");
        expect(page.text).not.toContain(`id="answer-${runId}"`);
      }
    });

    async function putWorkflow(agentId: string): Promise<string> {
      await at.service.stop();
      const written = await operateOn(at.service.place, (operator) =>
        operator.putWorkflow({ agentId, id: null, name: "triage", prompt: "read" }),
      );
      await at.service.restart();
      owner = createClient({ baseUrl: at.service.url, credential: at.key.secret });
      browser = new WebBrowser();
      await browser.post(`${at.service.url}/sign-in`, { key: at.key.secret });
      if (!written.ok) throw new Error(written.refusal.reason);
      return written.value.id;
    }

    /** As its expiry does. Nobody serves from the store meanwhile. */
    async function forgetCommit({ repository_id: id }: Claims, sha: string): Promise<void> {
      const opened = await at.service.place.open();
      const repository = { issuer: at.service.codeHost.issuer.url, id: String(id) };
      const held = await opened.committed.packs.findHeld({ repository, tip: sha });
      if (held === null) throw new Error("The commit is not held.");
      await opened.transact((tx) => tx.packs.delete({ ids: [held.id], now: at.service.clock.now() }));
      await opened.close();
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
