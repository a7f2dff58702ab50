// /v1/agents/{agentID}/schedules, for both caller classes: made, confirmed, cancelled, fired once.

import { expect, it } from "vitest";
import type { Client, CreateScheduleRequest } from "../../src/client/client.ts";
import { type Schedule, scheduleSchema } from "../../src/contract/schedules/schedule.ts";
import { expectProblem, onEveryDeployment, readToEnd, UNKNOWN, untilAtWork } from "./every-deployment.ts";

onEveryDeployment("schedules", (service) => {
  type Address = { agentId: string; bearer: string };
  const path = (agentId: string, rest = "") => `/v1/agents/${agentId}/schedules${rest}`;
  const create = ({ agentId, bearer }: Address, json: unknown) =>
    service().call(path(agentId), { method: "POST", bearer, json });
  const confirm = ({ agentId, bearer }: Address, id: string) =>
    service().call(path(agentId, `/${id}/confirm`), { method: "POST", bearer });
  const cancel = ({ agentId, bearer }: Address, id: string) =>
    service().call(path(agentId, `/${id}`), { method: "DELETE", bearer });
  const later = { prompt: "Look around.", delay_seconds: 3600 };

  /** Reads a schedule until it is so. */
  const until = async (
    client: Client,
    schedule: Schedule,
    isSo: (schedule: Schedule) => boolean,
  ): Promise<Schedule> => {
    for (;;) {
      const now = await client.schedules.get({ agentId: schedule.agent_id, scheduleId: schedule.id });
      if (isSo(now)) return now;
    }
  };
  /** A session with one run that has ended, and what its next run is. */
  const openSession = async (client: Client, agentId: string) => {
    const { runId, sessionId } = await client.runs.submit({ agentId, body: { message: "hello" } });
    const events = await readToEnd(client, runId);
    const after = { run_id: runId, seq: events.length };
    const nextRun = async (): Promise<string> => {
      for await (const item of client.sessions.follow({ sessionId, after })) {
        if (item.type === "run" && item.run.id !== runId) return item.run.id;
      }
      throw new Error("The session ended.");
    };
    return { sessionId, nextRun };
  };

  it("are pending at once where the owner makes them", async () => {
    const { owner, ai, agentId } = await service().accountWithAgent();
    const body = { ...later, metadata: { ticket: 7, tags: ["a"] } };
    const schedule = await owner.schedules.create({ agentId, body });
    expect(schedule).toMatchObject({
      agent_id: agentId,
      kind: "once",
      status: "pending",
      prompt: "Look around.",
      metadata: { ticket: 7, tags: ["a"] },
      attempts: 0,
    });
    for (const absent of ["confirm_url", "confirmed_at", "last_fired_at", "last_error"]) {
      expect(schedule).not.toHaveProperty(absent);
    }
    expect(Date.parse(schedule.fire_at) - Date.parse(schedule.created_at)).toBe(3_600_000);
    expect(await ai.schedules.get({ agentId, scheduleId: schedule.id })).toEqual(schedule);
  });

  it("take a time in UTC, from now on", async () => {
    const { owner, ownerKey: bearer, agentId } = await service().accountWithAgent();
    const body: CreateScheduleRequest = { prompt: "p", fire_at: "2099-12-31T23:59:59Z" };
    expect(Date.parse((await owner.schedules.create({ agentId, body })).fire_at)).toBe(
      Date.parse("2099-12-31T23:59:59Z"),
    );
    const past = await create({ agentId, bearer }, { prompt: "p", fire_at: "2001-01-01T00:00:00Z" });
    expectProblem(past, [400, "invalid_request"]);
  });

  it.each<[string, unknown]>([
    ["no time", { prompt: "p" }],
    ["two times", { prompt: "p", fire_at: "2099-01-01T00:00:00Z", delay_seconds: 1 }],
    ["no prompt", { delay_seconds: 1 }],
    ["an empty prompt", { prompt: "", delay_seconds: 1 }],
    ["no delay", { prompt: "p", delay_seconds: 0 }],
    ["a prompt with a NUL", { prompt: "a\0b", delay_seconds: 1 }],
    ["a negative delay", { prompt: "p", delay_seconds: -1 }],
    ["half a second", { prompt: "p", delay_seconds: 0.5 }],
    ["a delay in words", { prompt: "p", delay_seconds: "60" }],
    ["more than a year", { prompt: "p", delay_seconds: 31_536_001 }],
    ["a local time", { prompt: "p", fire_at: "2099-01-01T00:00:00" }],
    ["a day that is none", { prompt: "p", fire_at: "2099-02-30T00:00:00Z" }],
    ["too much metadata", { prompt: "p", delay_seconds: 1, metadata: { a: "é".repeat(8_200) } }],
    ["an empty session", { prompt: "p", delay_seconds: 1, session_id: "" }],
    ["another zone's time", { prompt: "p", fire_at: "2099-01-01T00:00:00+02:00" }],
    ["metadata that is a list", { prompt: "p", delay_seconds: 1, metadata: [] }],
  ])("are refused with %s", async (_name, json) => {
    const { ownerKey: bearer, agentId } = await service().accountWithAgent();
    expectProblem(await create({ agentId, bearer }, json), [400, "invalid_request"]);
  });

  it("pin a session of the agent, and find no other", async () => {
    const { owner, ownerKey: bearer, agentId } = await service().accountWithAgent();
    const stranger = await service().accountWithAgent();
    const sessionOf = async (client: Client, id: string) =>
      (await client.runs.submit({ agentId: id, body: { message: "hello" } })).sessionId;
    const own = await sessionOf(owner, agentId);
    const pinned = await owner.schedules.create({ agentId, body: { ...later, session_id: own } });
    expect(pinned.thread_id).toBe(own);
    for (const session_id of [await sessionOf(stranger.owner, stranger.agentId), UNKNOWN, "x"]) {
      expectProblem(await create({ agentId, bearer }, { ...later, session_id }), [404, "not_found"]);
    }
  });

  it("become one run in their session, and are done when it has ended", async () => {
    const { owner, agentId } = await service().accountWithAgent();
    const { sessionId, nextRun } = await openSession(owner, agentId);
    const body = { prompt: "hello again", delay_seconds: 1, session_id: sessionId };
    const made = await owner.schedules.create({ agentId, body });
    expect(made.thread_id).toBe(sessionId);
    const runId = await nextRun();
    await readToEnd(owner, runId);
    expect(await owner.runs.get({ agentId, runId })).toMatchObject({
      origin: "schedule",
      thread_id: sessionId,
    });
    const done = await owner.schedules.get({ agentId, scheduleId: made.id });
    expect(done).toMatchObject({ status: "done", attempts: 1, last_fired_at: expect.any(String) });
    const scheduled = (await owner.runs.list({ agentId })).filter(({ origin }) => origin === "schedule");
    expect(scheduled.map(({ id }) => id)).toEqual([runId]);
  });

  it("fire once each, also when many are due at once", async () => {
    const { owner, agentId } = await service().accountWithAgent();
    // Long enough for twenty requests to arrive before it.
    const fire_at = new Date(Date.now() + 3_000).toISOString();
    const made = await Promise.all(
      Array.from({ length: 20 }, () =>
        owner.schedules.create({ agentId, body: { prompt: "hello", fire_at } }),
      ),
    );
    for (const schedule of made) {
      const done = await until(owner, schedule, ({ status }) => status === "done");
      expect(done).toMatchObject({ attempts: 1 });
    }
    expect(await owner.runs.list({ agentId })).toHaveLength(20);
  });

  it("say why they did not fire, and how often they tried", async () => {
    const { owner, agentId } = await service().accountWithAgent("registered_free");
    const { runId } = await owner.runs.submit({ agentId, body: { message: "wait" } });
    await untilAtWork(owner, runId);
    const body = { prompt: "hello", delay_seconds: 1 };
    const [busy, { id: retired }] = [
      await owner.schedules.create({ agentId, body }),
      await owner.agents.create({ body: { name: "retired" } }),
    ];
    const late = await owner.schedules.create({ agentId: retired, body });
    await owner.agents.retire({ agentId: retired });
    expect(await until(owner, busy, ({ attempts }) => attempts > 0)).toMatchObject({ attempts: 1 });
    const put = await until(owner, busy, ({ status }) => status === "pending");
    expect(put).toMatchObject({ last_error: expect.stringMatching(/^concurrency_reached: /) });
    expect(await until(owner, late, ({ status }) => status === "failed")).toMatchObject({
      attempts: 1,
      last_error: expect.stringMatching(/^agent_retired: /),
    });
    await owner.agents.stop({ agentId });
  });

  it("wait for the owner where an AI client makes them", async () => {
    const { owner, ai, ownerKey, aiKey, agentId } = await service().accountWithAgent();
    const made = await ai.schedules.create({ agentId, body: later });
    const confirm_url = `http://nodes.example/confirm/${made.id}`;
    expect(made).toMatchObject({ status: "awaiting_confirmation", confirm_url });
    const refused = await confirm({ agentId, bearer: aiKey }, made.id);
    expectProblem(refused, [403, "owner_needed"]);
    expect(refused.text).toContain(confirm_url);
    const answer = await confirm({ agentId, bearer: ownerKey }, made.id);
    expect(answer.status).toBe(200);
    const confirmed = scheduleSchema.parse(answer.body);
    expect(confirmed).toMatchObject({ status: "pending", confirmed_at: expect.any(String) });
    expect(answer.text).not.toContain("confirm_url");
    expect(await owner.schedules.confirm({ agentId, scheduleId: made.id })).toEqual(confirmed);
    expectProblem(await confirm({ agentId, bearer: aiKey }, made.id), [403, "owner_needed"]);
  });

  it("never fire unconfirmed, and can not be confirmed after their time", async () => {
    const { owner, ai, ownerKey: bearer, agentId } = await service().accountWithAgent();
    const body = { prompt: "hello", delay_seconds: 1 };
    const unconfirmed = await ai.schedules.create({ agentId, body });
    // Due together with the owner's own, which is done by then.
    const own = await owner.schedules.create({ agentId, body });
    await until(owner, own, ({ status }) => status === "done");
    expectProblem(await confirm({ agentId, bearer }, unconfirmed.id), [409, "schedule_not_confirmable"]);
    const still = await owner.schedules.get({ agentId, scheduleId: unconfirmed.id });
    expect(still).toEqual(unconfirmed);
    expect(await owner.runs.list({ agentId })).toHaveLength(1);
  });

  it("need no confirmation that are the owner's own, or were cancelled, or whose agent was retired", async () => {
    const { owner, ai, ownerKey: bearer, agentId } = await service().accountWithAgent();
    const own = await owner.schedules.create({ agentId, body: later });
    expectProblem(await confirm({ agentId, bearer }, own.id), [409, "schedule_not_confirmable"]);
    const cancelled = await ai.schedules.create({ agentId, body: later });
    await owner.schedules.cancel({ agentId, scheduleId: cancelled.id });
    expectProblem(await confirm({ agentId, bearer }, cancelled.id), [409, "schedule_not_confirmable"]);
    const waiting = await ai.schedules.create({ agentId, body: later });
    await owner.agents.retire({ agentId });
    expectProblem(await confirm({ agentId, bearer }, waiting.id), [409, "agent_ending"]);
    expectProblem(await create({ agentId, bearer }, later), [403, "forbidden"]);
  });

  it("are cancelled once, by either caller, and not after they fired", async () => {
    const { owner, ai, ownerKey, aiKey, agentId } = await service().accountWithAgent();
    const [waiting, pending] = [
      await ai.schedules.create({ agentId, body: later }),
      await owner.schedules.create({ agentId, body: later }),
    ];
    for (const [{ id }, bearer] of [
      [waiting, ownerKey],
      [pending, aiKey],
    ] as const) {
      const answer = await cancel({ agentId, bearer }, id);
      expect([answer.status, scheduleSchema.parse(answer.body)]).toMatchObject([
        200,
        { id, status: "cancelled" },
      ]);
      expectProblem(await cancel({ agentId, bearer }, id), [404, "not_found"]);
    }
    const fired = await owner.schedules.create({ agentId, body: { prompt: "hello", delay_seconds: 1 } });
    await until(owner, fired, ({ status }) => status === "done");
    expectProblem(await cancel({ agentId, bearer: ownerKey }, fired.id), [404, "not_found"]);
    expect(await owner.runs.list({ agentId })).toHaveLength(1);
  });

  it("are listed newest first, each agent's own", async () => {
    const { owner, agentId } = await service().accountWithAgent();
    const { id: other } = await owner.agents.create({ body: { name: "other" } });
    await owner.schedules.create({ agentId: other, body: later });
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.unshift((await owner.schedules.create({ agentId, body: later })).id);
    }
    expect((await owner.schedules.list({ agentId })).map(({ id }) => id)).toEqual(ids);
  });

  it("are open to the agent's account alone", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const stranger = await service().accountWithAgent();
    const foreign = await stranger.owner.schedules.create({ agentId: stranger.agentId, body: later });
    const { id } = await owner.schedules.create({ agentId, body: later });
    const routes = (agent: string, schedule: string, bearer?: string) => {
      const as = bearer === undefined ? {} : { bearer };
      return Promise.all([
        service().call(path(agent, `/${schedule}`), as),
        service().call(path(agent, `/${schedule}/confirm`), { ...as, method: "POST" }),
        service().call(path(agent, `/${schedule}`), { ...as, method: "DELETE" }),
      ]);
    };
    const refusals = [
      [await routes(agentId, id), 401, "unauthorized"],
      [await routes(agentId, id, stranger.ownerKey), 403, "forbidden"],
      [await routes(agentId, foreign.id, ownerKey), 404, "not_found"],
      [await routes(agentId, UNKNOWN, ownerKey), 404, "not_found"],
      [await routes(UNKNOWN, id, ownerKey), 404, "not_found"],
    ] as const;
    for (const [answers, status, code] of refusals) {
      for (const answer of answers) expectProblem(answer, [status, code]);
    }
    const job = await service().job();
    for (const bearer of [stranger.ownerKey, job.bearer]) {
      expectProblem(await create({ agentId, bearer }, later), [403, "forbidden"]);
      for (const answer of await routes(agentId, id, bearer)) expectProblem(answer, [403, "forbidden"]);
    }
    expect((await owner.schedules.get({ agentId, scheduleId: id })).status).toBe("pending");
  });
});
