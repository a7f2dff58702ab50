// /v1/approvals, write grants and questions: what an AI client may not do waits for the owner, on both databases.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeJob } from "../../../../../fakes/records.ts";
import { makeSecretToken } from "../../../../../src/base/secret-token.ts";
import {
  type Approval,
  approvalListSchema,
  approvalSchema,
} from "../../../../../src/contract/approvals/approval.ts";
import { type ApiScope, apiScopes } from "../../../../../src/contract/oauth/scopes.ts";
import { questionListSchema } from "../../../../../src/contract/questions.ts";
import { scheduleSchema } from "../../../../../src/contract/schedules/schedule.ts";
import { grantCredits } from "../../../../../src/service/core/accounts/keys.ts";
import { releaseClaim } from "../../../../../src/service/core/agent-endings/release-claim.ts";
import { putWorkflow } from "../../../../../src/service/core/workflows/workflows.ts";
import {
  authorizeWrite,
  type WriteRequest,
} from "../../../../../src/service/core/write-grants/authorize-write.ts";
import type { Backend } from "../../../../../src/service/executor/backend.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { readSchedule } from "../../../../support/schedules.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../../support/service-account.ts";
import type { Answer } from "../../../../support/service-client.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

/** A server that the repository names. */
const unnamed = { origin: "repository", isNamed: false, job: null } as const;
const DAY_MS = 24 * 60 * 60 * 1000;
const asking: Backend = {
  name: "scripted",
  needsCheckout: false,
  run: async (task) => {
    if (!task.mayAsk || !task.messages.some(({ content }) => content.includes("ask"))) {
      return { stopReason: "end_turn" };
    }
    await task.emit({
      type: "CUSTOM",
      name: "question",
      value: { question: "Which one?", choices: ["a", "b"] },
    });
    return { stopReason: "question" };
  },
};

onEveryStore((kind) => {
  describe("approvals", () => {
    let fixture: CoreFixture;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let mine: TestAccount;
    let theirs: TestAccount;

    beforeAll(async () => {
      fixture = await startFixture({ level: "core", store: kind, backend: asking });
      api = await openCaller(fixture);
      mine = await makeAccount(fixture);
      await grantCredits(fixture.core, { accountId: mine.id, credits: 10_000 });
      theirs = await makeAccount(fixture);
    });

    afterAll(() => api.close());

    const post = (path: string, bearer: string, json?: unknown) =>
      api.send(path, { method: "POST", bearer, ...(json === undefined ? {} : { json }) });
    const list = async (query = "?status=pending", bearer = mine.owner) =>
      approvalListSchema.parse((await api.send(`/v1/approvals${query}`, { bearer })).body);
    const read = async (id: string) =>
      approvalSchema.parse((await api.send(`/v1/approvals/${id}`, { bearer: mine.owner })).body);
    const approve = (id: string, bearer = mine.owner) => post(`/v1/approvals/${id}/approve`, bearer);
    const deny = (id: string, bearer = mine.owner) => post(`/v1/approvals/${id}/deny`, bearer);
    const schedule = async (prompt = "Look around.") =>
      scheduleSchema.parse(
        (await post(`/v1/agents/${mine.agent.id}/schedules`, mine.aiClient, { prompt, delay_seconds: 3600 }))
          .body,
      );
    const workflow = async (prompt = "Report.") => {
      const put = { agentId: mine.agent.id, id: null, name: "weekly", prompt };
      const written = await putWorkflow(fixture.core, put);
      if (!written.ok) throw new Error(written.refusal.reason);
      return written.value.id;
    };
    const approvalOf = (answer: Answer) => {
      const { approve_url } = answer.body as { approve_url: string };
      return approve_url.split("/").at(-1) ?? "";
    };
    const accessToken = async (...scopes: ApiScope[]) => {
      const { text, hash } = makeSecretToken("svc_at_", randomBytes(32));
      const now = fixture.clock.now();
      await fixture.store.transact((tx) =>
        tx.credentials.insert({
          kind: "access_token",
          id: fixture.core.random.uuid(now),
          hash,
          accountId: mine.id,
          personId: mine.personId,
          clientId: "https://app.example/client.json",
          scopes: scopes.length === 0 ? apiScopes : scopes,
          resource: "https://agents.example/mcp",
          grantId: "grant-1",
          createdAt: now,
          lastUsedAt: null,
          expiresAt: now + DAY_MS,
          revokedAt: null,
        }),
      );
      return text;
    };
    const requestWrite = async (server: string, runId = "run-1") => {
      const request = { runId, agentId: mine.agent.id, server, tool: "create_issue", ...unnamed };
      const verdict = await authorizeWrite(fixture.core, request);
      return verdict.isAllowed ? null : (verdict.approval?.id ?? "none");
    };

    it("keeps the answer for a schedule, and puts it before the owner with what it is", async () => {
      const { id, ...made } = await schedule("Tidy up.");
      expect(made).toMatchObject({
        status: "awaiting_confirmation",
        confirm_url: expect.stringContaining(`/confirm/${id}`),
        approve_url: expect.stringContaining(`/approve/${id}`),
      });
      expect(await read(id)).toMatchObject({
        kind: "confirm_schedule",
        status: "pending",
        prompt: "Tidy up.",
        schedule_id: id,
        requested_by: { type: "ai_client", name: "ai_client" },
      });
      expect((await list("?status=pending", mine.aiClient)).map((one) => one.id)).toContain(id);
      const approved = await approve(id);
      expect(approved.body).toMatchObject({ status: "approved", decided_by: "owner" });
      expect(await readSchedule(fixture, id)).toMatchObject({ status: "pending" });
      expect((await approve(id)).status).toBe(200);
      expectProblem(await deny(id), 409, "approval_decided");
    });

    it("lets an AI client deny, which cancels the schedule, and never approve", async () => {
      const { id } = await schedule();
      const refused = await approve(id, mine.aiClient);
      expectProblem(refused, 403, "owner_needed");
      expect(refused.text).toContain(`/approve/${id}`);
      expect((await read(id)).status).toBe("pending");
      const denied = await deny(id, mine.aiClient);
      expect(denied.body).toMatchObject({ status: "denied", decided_by: "ai_client" });
      expect((await deny(id)).status).toBe(200);
      expect((await readSchedule(fixture, id)).status).toBe("cancelled");
      expectProblem(await approve(id), 409, "approval_decided");
    });

    it("refuses each owner's act to a key of an AI client and to an access token", async () => {
      const token = await accessToken();
      const { id } = await schedule();
      const workflowId = await workflow();
      const agent = `/v1/agents/${mine.agent.id}`;
      const acts = [
        ["POST", `/v1/approvals/${id}/approve`],
        ["POST", `${agent}/schedules/${id}/confirm`],
        ["POST", `/v1/workflows/${workflowId}/activate`],
        ["POST", `/v1/workflows/${workflowId}/executions`],
        ["PUT", `${agent}/write-grants/issues`],
        ["PUT", `${agent}/write-grants/*`],
        ["DELETE", `${agent}/write-grants/issues`],
      ] as const;
      for (const bearer of [mine.aiClient, token]) {
        for (const [method, path] of acts) {
          const answer = await api.send(path, { method, bearer });
          expect([path, answer.status]).toEqual([path, 403]);
          expectProblem(answer, 403, "owner_needed");
        }
      }
      expect((await read(id)).status).toBe("pending");
      expect((await deny(id, token)).body).toMatchObject({ status: "denied", decided_by: "ai_client" });
      const narrow = await accessToken("runs:read");
      expectProblem(await deny(id, narrow), 403, "insufficient_scope");
    });

    it("is over where the schedule was confirmed or cancelled another way, or its time has passed", async () => {
      const [confirmed, cancelled, late] = [await schedule(), await schedule(), await schedule()];
      const path = (id: string) => `/v1/agents/${mine.agent.id}/schedules/${id}`;
      await post(`${path(confirmed.id)}/confirm`, mine.owner);
      await api.send(path(cancelled.id), { method: "DELETE", bearer: mine.aiClient });
      expect((await read(confirmed.id)).status).toBe("resolved_elsewhere");
      expect((await read(cancelled.id)).status).toBe("resolved_elsewhere");
      fixture.clock.advance(3_600_000);
      expect((await read(late.id)).status).toBe("pending");
      fixture.clock.advance(1);
      expect((await read(late.id)).status).toBe("expired");
      expect((await list("?status=expired")).map(({ id }) => id)).toContain(late.id);
      expectProblem(await approve(late.id), 409, "approval_decided");
      expect((await readSchedule(fixture, late.id)).status).toBe("awaiting_confirmation");
    });

    it("activates the version that was requested, though there is a newer one", async () => {
      const id = await workflow("First.");
      const first = await post(`/v1/workflows/${id}/activate`, mine.aiClient);
      expectProblem(first, 403, "owner_needed");
      expect(first.text).toContain(`/agent/${mine.agent.id}?workflow=${id}`);
      const again = await post(`/v1/workflows/${id}/activate`, mine.aiClient, { version: 1 });
      expect(approvalOf(again)).toBe(approvalOf(first));
      await putWorkflow(fixture.core, { agentId: mine.agent.id, id, name: "weekly", prompt: "Second." });
      const approval = approvalOf(first);
      expect(await read(approval)).toMatchObject({ kind: "activate_workflow", version: 1, prompt: "First." });
      expect((await approve(approval)).status).toBe(200);
      expect(await fixture.store.committed.workflows.find(id)).toMatchObject({
        activeVersion: 1,
        version: 2,
      });
    });

    it("runs what an AI client wanted to run of an inactive workflow, once", async () => {
      const id = await workflow("Look.");
      const refused = await post(`/v1/workflows/${id}/executions`, mine.aiClient, { input: "Week 11" });
      expectProblem(refused, 403, "owner_needed");
      const approval = approvalOf(refused);
      expect(await read(approval)).toMatchObject({ kind: "run_workflow", input: "Week 11", prompt: "Look." });
      const [one, two] = await Promise.all([approve(approval), approve(approval)]);
      expect([one.status, two.status]).toEqual([200, 200]);
      const { run_id: runId } = one.body as Extract<Approval, { kind: "run_workflow" }>;
      expect((two.body as typeof one.body & { run_id: string }).run_id).toBe(runId);
      const input = await fixture.store.committed.runs.findInput(runId ?? "");
      expect(input?.workflow).toMatchObject({ id, version: 1, input: "Week 11" });
      const runs = await fixture.place.query(
        `select id from runs where agent_id = '${mine.agent.id}' and origin = 'user'`,
      );
      expect(runs).toHaveLength(1);
    });

    it("is one approval for one server, whoever asks, and grants until the owner revokes", async () => {
      const ids = await Promise.all([requestWrite("issues"), requestWrite("issues", "run-2")]);
      expect(new Set(ids).size).toBe(1);
      const [id = ""] = ids;
      expect(await read(id ?? "")).toMatchObject({
        kind: "grant_writes",
        server: "issues",
        tool: "create_issue",
      });
      expect((await approve(id ?? "")).status).toBe(200);
      expect(await requestWrite("issues")).toBeNull();
      expect(await requestWrite("other")).not.toBeNull();
      const grants = `/v1/agents/${mine.agent.id}/write-grants`;
      expect((await api.send(grants, { bearer: mine.aiClient })).body).toMatchObject([{ server: "issues" }]);
      for (const method of ["PUT", "DELETE"]) {
        expectProblem(
          await api.send(`${grants}/issues`, { method, bearer: mine.aiClient }),
          403,
          "owner_needed",
        );
      }
      expect((await api.send(`${grants}/issues`, { method: "DELETE", bearer: mine.owner })).body).toEqual([]);
      expect(await requestWrite("issues")).not.toBeNull();
      const every = await api.send(`${grants}/*`, { method: "PUT", bearer: mine.owner });
      expect(every.body).toMatchObject([{ server: "*" }]);
      expect(await requestWrite("anything")).toBeNull();
      const waiting = (await list()).filter((one) => one.kind === "grant_writes");
      expect(waiting).toEqual([]);
      await api.send(`${grants}/*`, { method: "DELETE", bearer: mine.owner });
      expectProblem(
        await api.send(`${grants}/a%20b`, { method: "PUT", bearer: mine.owner }),
        400,
        "invalid_request",
      );
    });

    it("needs no grant for a tool that the operator, or a job that only writers start, names by its name", async () => {
      const request = { runId: "run-1", agentId: mine.agent.id, server: "named", tool: "create_issue" };
      const verdict = async (named: Pick<WriteRequest, "origin" | "isNamed" | "job">) =>
        (await authorizeWrite(fixture.core, { ...request, ...named })).isAllowed;
      const pushed = makeJob({ event: "push" });
      expect(await verdict({ origin: "operator", isNamed: true, job: null })).toBe(true);
      expect(await verdict({ origin: "workflow", isNamed: true, job: pushed })).toBe(true);
      for (const named of [
        { origin: "operator", isNamed: false, job: pushed },
        { origin: "workflow", isNamed: false, job: pushed },
        { origin: "workflow", isNamed: true, job: makeJob({ event: "pull_request" }) },
        { origin: "workflow", isNamed: true, job: makeJob({ event: "issue_comment" }) },
        // An AI client could have submitted it.
        { origin: "workflow", isNamed: true, job: null },
        { origin: "repository", isNamed: true, job: pushed },
      ] as const) {
        expect(await verdict(named), JSON.stringify(named)).toBe(false);
      }
      const unowned = { ...mine.agent, id: fixture.core.random.uuid(fixture.clock.now()), accountId: null };
      await fixture.store.transact((tx) => tx.agents.insert(unowned));
      const refused = await authorizeWrite(fixture.core, {
        ...request,
        agentId: unowned.id,
        origin: "operator",
        isNamed: true,
        job: null,
      });
      expect(refused).toEqual({ isAllowed: false, approval: null });
    });

    it("answers the same request with the denial for a day, and then asks again", async () => {
      const id = (await requestWrite("tracker")) ?? "";
      await deny(id);
      expect(await requestWrite("tracker")).toBe(id);
      fixture.clock.advance(DAY_MS);
      const next = (await requestWrite("tracker")) ?? "";
      expect(next).not.toBe(id);
      fixture.clock.advance(8 * DAY_MS);
      expect((await read(next)).status).toBe("expired");
      expect(await requestWrite("tracker")).not.toBe(next);
    });

    it("makes one decision of two at the same time", async () => {
      const { id } = await schedule();
      const answers = await Promise.all([approve(id), deny(id)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const { status } = await read(id);
      expect((await readSchedule(fixture, id)).status).toBe(status === "approved" ? "pending" : "cancelled");
    });

    it("keeps other accounts out, and jobs", async () => {
      const { id } = await schedule();
      for (const rest of ["", "/approve", "/deny"]) {
        const method = rest === "" ? "GET" : "POST";
        const answer = await api.send(`/v1/approvals/${id}${rest}`, { method, bearer: theirs.owner });
        expectProblem(answer, 403, "forbidden");
      }
      expect(await list("", theirs.owner)).toEqual([]);
      expectProblem(await approve("0198d2c4-5b7a-7c31-9e42-6d1f0a8b3c55"), 404, "not_found");
      expect((await read(id)).status).toBe("pending");
    });

    it("lists page by page, of one agent", async () => {
      const first = await api.send(`/v1/approvals?limit=2&agent_id=${mine.agent.id}`, { bearer: mine.owner });
      expect(approvalListSchema.parse(first.body)).toHaveLength(2);
      const link = /<([^>]+)>/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
      const { pathname, search } = new URL(link);
      const second = await api.send(pathname + search, { bearer: mine.owner });
      const ids = [first, second].flatMap(({ body }) => approvalListSchema.parse(body).map(({ id }) => id));
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.toSorted().toReversed()).toEqual(ids);
    });

    it("ends with what the agent's owner had: the agent is given back, or retired", async () => {
      const account = await makeAccount(fixture);
      const repository = {
        provider: "github",
        issuer: "https://issuer.example",
        id: "9",
        ownerId: "7",
        name: "octo/nine",
        visibility: "public",
      } as const;
      const agent = { ...account.agent, id: fixture.core.random.uuid(fixture.clock.now()), repository };
      await fixture.store.transact((tx) => tx.agents.insert(agent));
      const request = { runId: "run-1", agentId: agent.id, server: "issues", tool: "t", ...unnamed };
      await authorizeWrite(fixture.core, request);
      await fixture.store.transact((tx) => tx.writeGrants.put(agent.id, { server: "a", grantedAt: 1 }));
      expect(await list("?status=pending", account.owner)).toHaveLength(1);
      await releaseClaim(fixture.core, { agentId: agent.id, requestId: "r" });
      expect(await list("?status=pending", account.owner)).toEqual([]);
      expect(await fixture.store.committed.writeGrants.list(agent.id)).toEqual([]);
      expect(await authorizeWrite(fixture.core, request)).toEqual({ isAllowed: false, approval: null });
    });

    it("allows no writes by what another account has granted that has claimed the agent since", async () => {
      const submitted = await post(`/v1/agents/${mine.agent.id}/runs`, mine.owner, { message: "Go on." });
      const { run_id: runId } = submitted.body as { run_id: string };
      const request = { runId, agentId: mine.agent.id, server: "granted", tool: "t", ...unnamed };
      await fixture.store.transact((tx) =>
        tx.writeGrants.put(mine.agent.id, { server: "granted", grantedAt: 1 }),
      );
      expect(await authorizeWrite(fixture.core, request)).toEqual({ isAllowed: true });
      const other = await makeAccount(fixture);
      await fixture.store.transact((tx) => tx.agents.update(mine.agent.id, { accountId: other.id }));
      expect(await authorizeWrite(fixture.core, request)).toEqual({ isAllowed: false, approval: null });
      const named = { ...request, origin: "operator", isNamed: true } as const;
      expect(await authorizeWrite(fixture.core, named)).toEqual({ isAllowed: false, approval: null });
      expect(await list("?status=pending", other.owner)).toEqual([]);
      await fixture.store.transact((tx) => tx.agents.update(mine.agent.id, { accountId: mine.id }));
      await fixture.store.transact((tx) => tx.writeGrants.deleteAll(mine.agent.id));
    });

    it("lists a run's question until it is answered, by an AI client, too; the answer may be a question again", async () => {
      const submitted = await post(`/v1/agents/${mine.agent.id}/runs`, mine.owner, {
        message: "ask me",
        session_key: "k",
      });
      fixture.executor.start();
      const { run_id: runId, session_id: sessionId } = submitted.body as {
        run_id: string;
        session_id: string;
      };
      await fixture.ended(runId);
      const questions = async (bearer = mine.aiClient) =>
        questionListSchema.parse((await api.send("/v1/questions", { bearer })).body);
      expect(await questions()).toMatchObject([
        { run_id: runId, session_id: sessionId, question: "Which one?", choices: ["a", "b"] },
      ]);
      expect(await questions(theirs.owner)).toEqual([]);
      const answer = (text: string, bearer = mine.aiClient) =>
        post(`/v1/questions/${runId}/answer`, bearer, { answer: text });
      expectProblem(await answer("a", theirs.owner), 403, "forbidden");
      const [answered, repeated] = [await answer("a, and ask on"), await answer("a, and ask on")];
      expect(answered.status).toBe(202);
      expect(repeated.body).toEqual(answered.body);
      const next = (answered.body as { run_id: string; session_id: string }) ?? {};
      expect(next.session_id).toBe(sessionId);
      expectProblem(await answer("b"), 409, "question_answered");
      await fixture.ended(next.run_id);
      expect((await questions()).map(({ run_id }) => run_id)).toEqual([next.run_id]);
      fixture.clock.advance(2 * DAY_MS);
      expectProblem(await answer("b"), 409, "question_answered");
    });
  });
});

function expectProblem(answer: Answer, status: number, code: string): void {
  expect([answer.status, (answer.body as { code?: string })?.code], answer.text).toEqual([status, code]);
}
