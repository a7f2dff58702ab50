// /v1/agents/{agentID}/schedules over the socket, for both caller classes.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { problemSchema } from "../../../../src/contract/problem.ts";
import { scheduleListSchema, scheduleSchema } from "../../../../src/contract/schedule.ts";
import { exchangeToken } from "../../../../src/service/core/exchange-token.ts";
import { plant, readSchedule } from "../../../support/schedules.ts";
import { scriptedBackend } from "../../../support/scripted-backend.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../support/service-account.ts";
import type { Answer, Call } from "../../../support/service-client.ts";
import { CoreBed } from "../../../support/service-core.ts";
import { storeKinds } from "../../../support/stores.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

for (const kind of storeKinds) {
  describe.skipIf(kind.isSkipped)(`schedules on ${kind.name}`, () => {
    let bed: CoreBed;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let mine: TestAccount;
    let theirs: TestAccount;

    beforeAll(async () => {
      bed = await CoreBed.start({ kind, backend: scriptedBackend(async () => {}) });
      api = await openCaller(bed);
      mine = await makeAccount(bed);
      theirs = await makeAccount(bed);
    });

    afterAll(() => api.close());

    const path = (rest = "", account = mine) => `/v1/agents/${account.agent.id}/schedules${rest}`;
    const create = (json: unknown, bearer = mine.owner) => api.send(path(), { method: "POST", bearer, json });
    const made = async (json: unknown, bearer = mine.owner) => {
      const answer = await create(json, bearer);
      expect(answer.status, answer.text).toBe(201);
      return scheduleSchema.parse(answer.body);
    };
    const confirm = (id: string, bearer = mine.owner) =>
      api.send(path(`/${id}/confirm`), { method: "POST", bearer });
    const cancel = (id: string, bearer = mine.owner) =>
      api.send(path(`/${id}`), { method: "DELETE", bearer });
    const inMs = (ms: number) => new Date(bed.clock.now() + ms).toISOString();
    const later = { prompt: "Look around.", delay_seconds: 3600 };

    it("lets the owner schedule a run for a delay, pending at once", async () => {
      const schedule = await made({ ...later, metadata: { ticket: 7, tags: ["a"] } });
      expect(schedule).toEqual({
        id: schedule.id,
        agent_id: mine.agent.id,
        kind: "once",
        status: "pending",
        prompt: "Look around.",
        fire_at: inMs(3_600_000),
        metadata: { ticket: 7, tags: ["a"] },
        attempts: 0,
        created_at: inMs(0),
      });
      expect((await api.send(path(`/${schedule.id}`), { bearer: mine.owner })).body).toEqual(schedule);
    });

    it("takes a time in UTC, however it says so, from now on", async () => {
      const at = inMs(5_000);
      expect((await made({ prompt: "p", fire_at: at })).fire_at).toBe(at);
      expect((await made({ prompt: "p", fire_at: at.replace("Z", "+00:00") })).fire_at).toBe(at);
      expect((await made({ prompt: "p", fire_at: inMs(0) })).status).toBe("pending");
      expect((await made({ prompt: "p", fire_at: "2099-12-31T23:59:59Z" })).status).toBe("pending");
      const past = await create({ prompt: "p", fire_at: inMs(-1) });
      expectProblem(past, 400, "invalid_request");
      expect(past.text).toContain(inMs(-1));
    });

    it.each<[string, unknown]>([
      ["no time", { prompt: "p" }],
      ["two times", { prompt: "p", fire_at: "2099-01-01T00:00:00Z", delay_seconds: 1 }],
      ["no prompt", { delay_seconds: 1 }],
      ["an empty prompt", { prompt: "", delay_seconds: 1 }],
      ["a prompt with a NUL", { prompt: "a\0b", delay_seconds: 1 }],
      ["no delay", { prompt: "p", delay_seconds: 0 }],
      ["a negative delay", { prompt: "p", delay_seconds: -1 }],
      ["half a second", { prompt: "p", delay_seconds: 0.5 }],
      ["a delay in words", { prompt: "p", delay_seconds: "60" }],
      ["more than a year", { prompt: "p", delay_seconds: 31_536_001 }],
      ["a local time", { prompt: "p", fire_at: "2099-01-01T00:00:00" }],
      ["another zone's time", { prompt: "p", fire_at: "2099-01-01T00:00:00+02:00" }],
      ["a day that is none", { prompt: "p", fire_at: "2099-02-30T00:00:00Z" }],
      ["metadata that is a list", { prompt: "p", delay_seconds: 1, metadata: [] }],
      ["too much metadata", { prompt: "p", delay_seconds: 1, metadata: { a: "é".repeat(8_200) } }],
      ["an empty session", { prompt: "p", delay_seconds: 1, session_id: "" }],
    ])("refuses %s", async (_name, body) => {
      expectProblem(await create(body), 400, "invalid_request");
    });

    it("pins a session of the agent, and finds no other", async () => {
      const sessionOf = async ({ agent }: TestAccount) => {
        const id = bed.core.random.uuid(bed.clock.now());
        const session = { id, agentId: agent.id, createdAt: bed.clock.now() };
        await bed.store.transact((tx) => tx.insertSession(session));
        return id;
      };
      const own = await sessionOf(mine);
      expect((await made({ ...later, session_id: own })).thread_id).toBe(own);
      for (const session_id of [await sessionOf(theirs), UNKNOWN, "x"]) {
        expectProblem(await create({ ...later, session_id }), 404, "not_found");
      }
    });

    it("lists an agent's schedules, newest first, and no other's", async () => {
      const { agent, owner } = await makeAccount(bed);
      const list = async () => {
        const answer = await api.send(`/v1/agents/${agent.id}/schedules`, { bearer: owner });
        expect(answer.status).toBe(200);
        return scheduleListSchema.parse(answer.body).map(({ id }) => id);
      };
      expect(await list()).toEqual([]);
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        ids.unshift(await plant(bed, { agentId: agent.id, fireAt: bed.clock.now() + 1_000 }));
        bed.clock.advance(1);
      }
      expect(await list()).toEqual(ids);
    });

    it("waits for the owner with what an AI client schedules", async () => {
      const schedule = await made(later, mine.aiClient);
      expect(schedule).toMatchObject({
        status: "awaiting_confirmation",
        confirm_url: `http://service.example/confirm/${schedule.id}`,
      });
      const refused = await confirm(schedule.id, mine.aiClient);
      expectProblem(refused, 403, "owner_needed");
      expect(problemSchema.parse(refused.body).error).toContain(
        `http://service.example/confirm/${schedule.id}`,
      );
      expect((await readSchedule(bed, schedule.id)).status).toBe("awaiting_confirmation");

      const answer = await confirm(schedule.id);
      expect(answer.status).toBe(200);
      const confirmed = scheduleSchema.parse(answer.body);
      expect(confirmed).toMatchObject({ status: "pending", confirmed_at: inMs(0) });
      expect(answer.text).not.toContain("confirm_url");
      bed.clock.advance(1_000);
      const again = await confirm(schedule.id);
      expect([again.status, again.body]).toEqual([200, answer.body]);
      expectProblem(await confirm(schedule.id, mine.aiClient), 403, "owner_needed");
    });

    it("confirms up to its time, and not after", async () => {
      const [first, second] = [await made(later, mine.aiClient), await made(later, mine.aiClient)];
      bed.clock.advance(3_600_000);
      expect((await confirm(first.id)).status).toBe(200);
      bed.clock.advance(1);
      expectProblem(await confirm(second.id), 409, "schedule_not_confirmable");
      expect((await readSchedule(bed, second.id)).status).toBe("awaiting_confirmation");
    });

    it("stays as it is when the owner confirms what was confirmed, in every state", async () => {
      for (const status of ["pending", "firing", "cancelled"] as const) {
        const id = await plant(bed, { agentId: mine.agent.id, status, confirmedAt: 1_000 });
        const answer = await confirm(id);
        expect([answer.status, scheduleSchema.parse(answer.body).status]).toEqual([200, status]);
      }
    });

    it("refuses to confirm what needs no confirmation", async () => {
      for (const status of ["pending", "firing", "dispatched", "done", "cancelled", "failed"] as const) {
        const id = await plant(bed, { agentId: mine.agent.id, status });
        expectProblem(await confirm(id), 409, "schedule_not_confirmable");
      }
    });

    it("refuses to schedule for, or confirm for, an agent that its owner has ended", async () => {
      const { agent, owner, aiClient } = await makeAccount(bed);
      const send = (rest: string, options: Call) =>
        api.send(`/v1/agents/${agent.id}/schedules${rest}`, options);
      const waiting = await send("", { method: "POST", bearer: aiClient, json: later });
      const { id } = scheduleSchema.parse(waiting.body);
      await bed.store.transact((tx) => tx.updateAgent(agent.id, { retiredAt: bed.clock.now() }));
      expectProblem(await send(`/${id}/confirm`, { method: "POST", bearer: owner }), 409, "agent_ending");
      expectProblem(await send("", { method: "POST", bearer: owner, json: later }), 403, "forbidden");
    });

    it("cancels what was not fired, once, for either caller", async () => {
      const waiting = await made(later, mine.aiClient);
      const pending = await made(later);
      for (const [id, bearer] of [
        [waiting.id, mine.owner],
        [pending.id, mine.aiClient],
      ] as const) {
        const answer = await cancel(id, bearer);
        expect(answer.status).toBe(200);
        expect(scheduleSchema.parse(answer.body)).toMatchObject({ id, status: "cancelled" });
        expectProblem(await cancel(id), 404, "not_found");
      }
      expectProblem(await confirm(waiting.id), 409, "schedule_not_confirmable");
      for (const status of ["firing", "dispatched", "done", "failed"] as const) {
        const id = await plant(bed, { agentId: mine.agent.id, status });
        expectProblem(await cancel(id), 404, "not_found");
        expect((await readSchedule(bed, id)).status).toBe(status);
      }
    });

    it("is open to the agent's account alone", async () => {
      const { id } = await made(later);
      const foreign = await plant(bed, { agentId: theirs.agent.id });
      const exchange = await exchangeToken(bed.core, { subjectToken: "job", requestId: "r" });
      const exchanged = exchange.ok ? exchange.value.accessToken : "";
      const calls: readonly [string, Call][] = [
        ["", { method: "POST", json: later }],
        ["", {}],
        [`/${id}`, {}],
        [`/${id}/confirm`, { method: "POST" }],
        [`/${id}`, { method: "DELETE" }],
      ];
      for (const [rest, options] of calls) {
        expectProblem(await api.send(path(rest), options), 401, "unauthorized");
        expectProblem(await api.send(path(rest), { ...options, bearer: theirs.owner }), 403, "forbidden");
        expectProblem(await api.send(path(rest), { ...options, bearer: exchanged }), 403, "forbidden");
        const nowhere = `/v1/agents/${UNKNOWN}/schedules${rest}`;
        expectProblem(await api.send(nowhere, { ...options, bearer: mine.owner }), 404, "not_found");
        for (const other of rest === "" ? [] : [foreign, UNKNOWN, "x"]) {
          const answer = await api.send(path(rest.replace(id, other)), { ...options, bearer: mine.owner });
          expectProblem(answer, 404, "not_found");
        }
      }
      expect((await readSchedule(bed, id)).status).toBe("pending");
    });

    it("has a page at the confirmation link that says how, and not what", async () => {
      const { id } = await made({ ...later, prompt: "A secret plan." }, mine.aiClient);
      const answer = await api.send(`/confirm/${id}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toContain("text/html");
      expect(answer.text).toContain(`/schedules/${id}/confirm`);
      expect(answer.text).not.toContain("A secret plan.");
      expect((await api.send("/confirm/%3Cscript%3E")).text).not.toContain("<script>");
    });
  });
}

function expectProblem(answer: Answer, status: number, code: string): void {
  expect([answer.status, problemSchema.parse(answer.body).code], answer.text).toEqual([status, code]);
}
