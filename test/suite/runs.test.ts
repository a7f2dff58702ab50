// /v1/agents/{agentID}/runs: submitted, carried out, read, listed.

import { expect, it } from "vitest";
import { runListSchema, submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import { expectValidStream } from "../support/service-streams.ts";
import { expectProblem, onEveryDeployment, readToEnd, replyOf, UNKNOWN } from "./every-deployment.ts";

onEveryDeployment("runs", (service) => {
  it("are acknowledged with their ids, twice, and end by themselves", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const json = { message: "hello" };
    const path = `/v1/agents/${agentId}/runs`;
    const answer = await service().call(path, { method: "POST", bearer: ownerKey, json });
    expect(answer.status).toBe(202);
    const { run_id: runId, session_id } = submitRunResponseSchema.parse(answer.body);
    expect(answer.headers.get("x-svc-run-id")).toBe(runId);
    expect(answer.headers.get("x-svc-session-id")).toBe(session_id);
    expect(answer.headers.get("x-svc-idempotent-replay")).toBeNull();
    const stream = await readToEnd(owner, runId);
    await expectValidStream(stream);
    expect(replyOf(stream)).toBe("You said: hello");
  });

  it("say what they are about, used and cost, never what was said after that", async () => {
    const { id, owner, agentId } = await service().accountWithAgent();
    const before = await owner.credits.get({ userId: id });
    const { runId, sessionId } = await owner.runs.submit({ agentId, body: { message: "hello" } });
    await readToEnd(owner, runId);
    const run = await owner.runs.get({ agentId, runId });
    expect(run).toMatchObject({
      id: runId,
      agent_id: agentId,
      thread_id: sessionId,
      status: "completed",
      origin: "user",
      stop_reason: "end_turn",
      tokens: 7,
      credits: expect.any(Number),
      gross_micro_usd: expect.any(Number),
      started_at: expect.any(String),
      ended_at: expect.any(String),
      last_heartbeat_at: expect.any(String),
      usage_by_role: { executor: { tokens: 7, calls: 1 } },
    });
    for (const absent of ["refunded_micro_usd", "refund_reason", "parent_run_id", "cause"]) {
      expect(run).not.toHaveProperty(absent);
    }
    expect(run).toMatchObject({ about: { request: "hello" } });
    expect(JSON.stringify(run).match(/hello/g)).toHaveLength(1);
    const { balance } = await owner.credits.get({ userId: id });
    expect(before.balance - balance).toBe("credits" in run ? run.credits : null);
    expect(before.balance - balance).toBeGreaterThan(0);
  });

  it("are given back when they fail by our fault", async () => {
    const { id, owner, agentId } = await service().accountWithAgent();
    const before = await owner.credits.get({ userId: id });
    const { runId } = await owner.runs.submit({ agentId, body: { message: "fail" } });
    const stream = await readToEnd(owner, runId);
    await expectValidStream(stream);
    expect(stream.at(-1)?.event.type).toBe("RUN_ERROR");
    const run = await owner.runs.get({ agentId, runId });
    expect(run).toMatchObject({
      status: "failed",
      cause: "backend_error",
      credits: 0,
      refund_reason: "internal_error",
    });
    expect(run).toMatchObject(
      "gross_micro_usd" in run ? { refunded_micro_usd: run.gross_micro_usd } : { gross_micro_usd: 1 },
    );
    expect((await owner.credits.get({ userId: id })).balance).toBe(before.balance);
  });

  it("take a conversation, which wins over a message", async () => {
    const { owner, agentId } = await service().accountWithAgent();
    const messages = [
      { role: "system" as const, content: "Be brief." },
      {
        role: "user" as const,
        content: "first",
        parts: [{ type: "image" as const, path: "a.png", w: 1, h: 2 }],
      },
      { role: "assistant" as const, content: "so" },
      { role: "tool" as const, content: "42", tool_call_id: "c" },
      { role: "user" as const, content: "last" },
    ];
    const { runId } = await owner.runs.submit({ agentId, body: { message: "fail", messages } });
    expect(replyOf(await readToEnd(owner, runId))).toBe("You said: last");
  });

  it.each([
    ["neither message nor messages", {}],
    ["an empty message", { message: "" }],
    ["no messages", { messages: [] }],
    ["a role that there is not", { messages: [{ role: "robot", content: "x" }] }],
    ["a message without content", { messages: [{ role: "user" }] }],
    ["a part of no known type", { messages: [{ role: "user", content: "x", parts: [{ type: "video" }] }] }],
    [
      "a part with half a pixel",
      { messages: [{ role: "user", content: "x", parts: [{ type: "image", w: 0.5 }] }] },
    ],
    ["fewer than no tokens", { message: "x", max_turn_tokens: -1 }],
    ["more tokens than there may be", { message: "x", max_turn_tokens: 5_000_001 }],
    ["half a token", { message: "x", max_turn_tokens: 0.5 }],
    ["less than a cent", { message: "x", max_cost_usd: 0.001 }],
    ["an amount as text", { message: "x", max_cost_usd: "2.50" }],
    ["no time", { message: "x", time_limit_seconds: 0 }],
  ])("are refused with %s", async (_name, json) => {
    const { ownerKey, agentId } = await service().accountWithAgent();
    const path = `/v1/agents/${agentId}/runs`;
    const answer = await service().call(path, { method: "POST", bearer: ownerKey, json });
    expectProblem(answer, [400, "invalid_request"]);
  });

  it("take any budget from none to five million tokens", async () => {
    const { owner, agentId } = await service().accountWithAgent();
    for (const max_turn_tokens of [0, 1, 5_000_000]) {
      const { runId } = await owner.runs.submit({ agentId, body: { message: "x", max_turn_tokens } });
      await readToEnd(owner, runId);
      expect((await owner.runs.get({ agentId, runId })).status).toBe("completed");
    }
  });

  it("are listed by the session that a key names", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const ids: string[] = [];
    for (const session_key of ["thread-7", "thread-8", "thread-7"]) {
      const { runId } = await owner.runs.submit({ agentId, body: { message: "hello", session_key } });
      await readToEnd(owner, runId);
      ids.push(runId);
    }
    const listed = await owner.runs.list({ agentId, query: { session_key: "thread-7" } });
    expect(listed.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
    expect(await owner.runs.list({ agentId, query: { session_key: "thread-9" } })).toEqual([]);
    const path = `/v1/agents/${agentId}/runs?session_key=thread-7&limit=1`;
    const page = await service().call(path, { bearer: ownerKey });
    const next =
      /^<http:\/\/nodes\.example(\/.*)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1] ?? "";
    const second = await service().call(next, { bearer: ownerKey });
    expect(runListSchema.parse(second.body).map(({ id }) => id)).toEqual([ids[0]]);
    const other = await service().accountWithAgent();
    expect(
      await other.owner.runs.list({ agentId: other.agentId, query: { session_key: "thread-7" } }),
    ).toEqual([]);
    const empty = await service().call(`/v1/agents/${agentId}/runs?session_key=`, { bearer: ownerKey });
    expectProblem(empty, [400, "invalid_request"]);
  });

  it("are listed newest first, page by page", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { runId } = await owner.runs.submit({ agentId, body: { message: "hello" } });
      await readToEnd(owner, runId);
      ids.unshift(runId);
    }
    expect((await owner.runs.list({ agentId })).map(({ id }) => id)).toEqual(ids);
    const after = await owner.runs.list({ agentId, query: { before: ids[1], limit: 2 } });
    expect(after.map(({ id }) => id)).toEqual(ids.slice(2, 4));
    const path = `/v1/agents/${agentId}/runs`;
    const pages: string[][] = [];
    for (let next: string | undefined = `${path}?limit=2`; next !== undefined; ) {
      const page = await service().call(next, { bearer: ownerKey });
      pages.push(runListSchema.parse(page.body).map(({ id }) => id));
      next = /^<http:\/\/nodes\.example(\/.*)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
    }
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    for (const query of ["limit=0", "limit=101", "limit=x", "limit=", "before=x", "before=%00"]) {
      const answer = await service().call(`${path}?${query}`, { bearer: ownerKey });
      expectProblem(answer, [400, "invalid_request"]);
    }
  });

  it("are their account's alone", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const stranger = await service().accountWithAgent();
    const { runId } = await owner.runs.submit({ agentId, body: { message: "hello" } });
    const routes = (agent: string, run: string, bearer?: string) => {
      const as = bearer === undefined ? {} : { bearer };
      const path = `/v1/agents/${agent}/runs`;
      return Promise.all([
        service().call(`${path}/${run}`, as),
        service().call(`${path}/${run}/cancel`, { ...as, method: "POST" }),
      ]);
    };
    const refusals = [
      [await routes(agentId, runId), 401, "unauthorized"],
      [await routes(agentId, runId, stranger.ownerKey), 403, "forbidden"],
      [await routes(agentId, UNKNOWN, ownerKey), 404, "not_found"],
      [await routes(UNKNOWN, runId, ownerKey), 404, "not_found"],
    ] as const;
    for (const [answers, status, code] of refusals) {
      for (const answer of answers) expectProblem(answer, [status, code]);
    }
    const submitted = await service().call(`/v1/agents/${agentId}/runs`, {
      method: "POST",
      bearer: stranger.ownerKey,
      json: { message: "x" },
    });
    expectProblem(submitted, [403, "forbidden"]);
  });
});
