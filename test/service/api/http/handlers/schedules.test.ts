// /v1/agents/{agentID}/schedules to the millisecond and in every state: test/suite has the rest, on every deployment.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { problemSchema } from "../../../../../src/contract/problems/problem.ts";
import { scheduleSchema } from "../../../../../src/contract/schedules/schedule.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { plant, readSchedule } from "../../../../support/schedules.ts";
import { scriptedBackend } from "../../../../support/scripted-backend.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../../support/service-account.ts";
import type { Answer, Call } from "../../../../support/service-client.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

onEveryStore((kind) => {
  describe("schedules", () => {
    let fixture: CoreFixture;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let mine: TestAccount;

    beforeAll(async () => {
      fixture = await startFixture({ level: "core", store: kind, backend: scriptedBackend(async () => {}) });
      api = await openCaller(fixture);
      mine = await makeAccount(fixture);
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
    const inMs = (ms: number) => new Date(fixture.clock.now() + ms).toISOString();
    const later = { prompt: "Look around.", delay_seconds: 3600 };

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

    it("confirms up to its time, and not after", async () => {
      const [first, second] = [await made(later, mine.aiClient), await made(later, mine.aiClient)];
      fixture.clock.advance(3_600_000);
      expect((await confirm(first.id)).status).toBe(200);
      fixture.clock.advance(1);
      expectProblem(await confirm(second.id), 409, "schedule_not_confirmable");
      expect((await readSchedule(fixture, second.id)).status).toBe("awaiting_confirmation");
    });

    it("stays as it is when the owner confirms what was confirmed, in every state", async () => {
      for (const status of ["pending", "firing", "cancelled"] as const) {
        const id = await plant(fixture, { agentId: mine.agent.id, status, confirmedAt: 1_000 });
        const answer = await confirm(id);
        expect([answer.status, scheduleSchema.parse(answer.body).status]).toEqual([200, status]);
      }
    });

    it("refuses to confirm what needs no confirmation", async () => {
      for (const status of ["pending", "firing", "dispatched", "done", "cancelled", "failed"] as const) {
        const id = await plant(fixture, { agentId: mine.agent.id, status });
        expectProblem(await confirm(id), 409, "schedule_not_confirmable");
      }
    });

    it("refuses to schedule for, or confirm for, an agent that its owner has ended", async () => {
      const { agent, owner, aiClient } = await makeAccount(fixture);
      const send = (rest: string, options: Call) =>
        api.send(`/v1/agents/${agent.id}/schedules${rest}`, options);
      const waiting = await send("", { method: "POST", bearer: aiClient, json: later });
      const { id } = scheduleSchema.parse(waiting.body);
      await fixture.store.transact((tx) => tx.agents.update(agent.id, { retiredAt: fixture.clock.now() }));
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
        const id = await plant(fixture, { agentId: mine.agent.id, status });
        expectProblem(await cancel(id), 404, "not_found");
        expect((await readSchedule(fixture, id)).status).toBe(status);
      }
    });

    it("has a page at the confirmation link that says who confirms, and not what", async () => {
      const { id } = await made({ ...later, prompt: "A secret plan." }, mine.aiClient);
      const answer = await api.send(`/confirm/${id}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toContain("text/html");
      expect(answer.text).toContain(`/sign-in?to=${encodeURIComponent(`/approve/${id}`)}`);
      expect(answer.text).not.toContain("A secret plan.");
      expect((await api.send("/confirm/%3Cscript%3E")).text).not.toContain("<script>");
    });
  });
});

function expectProblem(answer: Answer, status: number, code: string): void {
  expect([answer.status, problemSchema.parse(answer.body).code], answer.text).toEqual([status, code]);
}
