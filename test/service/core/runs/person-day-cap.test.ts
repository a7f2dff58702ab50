// What the runs of one person may cost a day: set over the API, counted whichever way they start a run, refused and parked as under
// the cap of an agent.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeApiKey } from "../../../../src/service/core/accounts/keys.ts";
import { retryParked } from "../../../../src/service/core/runs/retry-parked.ts";
import { fireDueSchedules } from "../../../../src/service/core/schedules/fire-schedules.ts";
import { findWebSession, personIn } from "../../../../src/service/core/web-sessions/web-sessions.ts";
import { credentialsOf, type PersonsCredentials } from "../../../support/credentials-of-person.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { type Parking, parkingOf } from "../../../support/parking.ts";
import { addPerson } from "../../../support/people.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../support/service-account.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const DAY_MS = 86_400_000;

onEveryStore((store) => {
  describe("a person's cap a day", () => {
    let parking: Parking;
    let fixture: CoreFixture;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let account: TestAccount;
    let ada: PersonsCredentials;
    let limits: (number | null)[];

    beforeEach(async () => {
      limits = [];
      // The message is what the whole run costs in micro-USD.
      parking = await parkingOf(async (task) => {
        const { budget } = task.meter;
        const limit = budget.maxCostMicroUsd ?? Number.POSITIVE_INFINITY;
        const needed = Number(task.messages[0]?.content);
        limits.push(budget.maxCostMicroUsd);
        budget.count({}, { tokens: 1, microUsd: Math.min(needed, limit), input: 1, cachedInput: 0 });
        return { stopReason: needed > limit ? "max_cost" : "end_turn" };
      });
      const policy = { defaultModel: "claude-opus-5" };
      fixture = await startFixture({ level: "core", store, ...parking, policy });
      fixture.executor.start();
      api = await openCaller(fixture);
      account = await makeAccount(fixture);
      const personId = await addPerson(fixture.core, { accountId: account.id, role: "admin", name: "Ada" });
      ada = await credentialsOf(fixture.core, { accountId: account.id, personId });
    });

    afterEach(async () => {
      await api.close();
      await parking.remove();
    });

    const change = async (body: object, bearer = account.owner, personId = ada.personId) =>
      await api.send(`/v1/account/members/${personId}`, { method: "PATCH", bearer, json: body });
    const cap = async (max_usd_per_day: number | null) => {
      const answer = await change({ max_usd_per_day });
      expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ max_usd_per_day })]);
    };
    const submit = async (microUsd: number, body: object = {}, bearer = ada.aiClientKey) =>
      await api.send(`/v1/agents/${account.agent.id}/runs`, {
        method: "POST",
        bearer,
        json: { message: String(microUsd), ...body },
      });
    const spend = async (microUsd: number, body: object = {}, bearer = ada.aiClientKey) => {
      const answer = await submit(microUsd, body, bearer);
      const { run_id: runId, reason, code } = answer.body as Record<string, string>;
      if (runId !== undefined) await fixture.ended(runId);
      return runId === undefined ? (reason ?? code) : "ran";
    };
    const fire = async () =>
      await fireDueSchedules(fixture.core, {
        submitter: fixture.submitter,
        describe: ({ reason }) => reason,
        signal: new AbortController().signal,
      });
    const untilMidnight = async () => await fixture.clock.advance(DAY_MS - (fixture.clock.now() % DAY_MS));

    it("counts what their keys and applications start, says what to do, and is nobody else's", async () => {
      await cap(1);
      expect(await spend(200_000)).toBe("ran");
      expect(await spend(500_000, { max_cost_usd: 0.6 }, ada.token)).toBe("ran");
      expect(await spend(295_000, { max_cost_usd: 5 }, ada.ownerKey)).toBe("ran");
      // A quarter of the cap; its own limit; what is left of the day.
      expect(limits).toEqual([250_000, 600_000, 300_000]);
      const refused = await submit(0);
      expect([refused.status, refused.body]).toEqual([
        402,
        expect.objectContaining({
          code: "day_cap_reached",
          reason: "person_day_cap_reached",
          error: expect.stringMatching(
            /may cost \$1\.00 a day \(UTC\).*An owner or an admin changes it at .*\/settings\/members\.$/,
          ),
        }),
      ]);
      expect(await spend(900_000, {}, account.owner)).toBe("ran");
      await untilMidnight();
      expect(await spend(10_000)).toBe("ran");
      await cap(null);
      limits = [];
      expect(await spend(3_000_000)).toBe("ran");
      expect(limits).toEqual([null]);
    });

    it("holds on a page, at the next request, for whoever is signed in", async () => {
      await cap(0.01);
      expect(await spend(10_000)).toBe("ran");
      const session = await findWebSession(fixture.core, ada.cookie.split("=")[1] ?? "");
      const caller = personIn(session ?? expect.unreachable("Nobody is signed in."));
      const request = { agentId: account.agent.id, body: { message: "0" }, idempotencyKey: null };
      expect(await fixture.submitter.submit({ caller, ...request })).toMatchObject({
        refusal: { reason: "person_day_cap_reached" },
      });
    });

    it("is not passed by runs that are submitted at once", async () => {
      await cap(1);
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => submit(300_000, { max_cost_usd: 0.3 })),
      );
      const taken = answers.filter(({ status }) => status === 202);
      expect(taken).toHaveLength(4);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 402]));
    });

    it("parks what reaches it, which goes on by itself on the next day", async () => {
      await cap(1);
      const { run_id: runId = "" } = (await submit(1_500_000, { max_cost_usd: 2, may_park: true }))
        .body as Record<string, string>;
      const run = await fixture.until(runId, ({ parked }) => parked !== undefined);
      expect(run.parked).toMatchObject({ reason: "day_cap" });
      const path = `/v1/agents/${account.agent.id}/runs/${runId}/resume`;
      // Whoever continues it: it is Ada's.
      const refused = await api.send(path, { method: "POST", bearer: account.owner, json: {} });
      expect([refused.status, refused.body]).toEqual([
        402,
        expect.objectContaining({ reason: "person_day_cap_reached" }),
      ]);
      await untilMidnight();
      expect(await retryParked(fixture.core)).toBe(1);
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "end_turn" });
      expect(limits).toEqual([1_000_000, 2_000_000]);
    });

    it("counts what their schedules start", async () => {
      await cap(1);
      const schedules = `/v1/agents/${account.agent.id}/schedules`;
      const make = async (prompt: string) =>
        (
          await api.send(schedules, {
            method: "POST",
            bearer: ada.ownerKey,
            json: { prompt, delay_seconds: 60 },
          })
        ).body as Record<string, string>;
      const made = await make("250000");
      expect(made.made_by).toBe(ada.personId);
      await fixture.clock.advance(60_000);
      await fire();
      const fired = await fixture.store.committed.schedules.find(made.id ?? "");
      const run = await fixture.ended(fired?.runId ?? "");
      expect([run.startedBy, run.about]).toEqual([
        `person:${ada.personId}`,
        expect.objectContaining({ personId: ada.personId, actor: "Ada" }),
      ]);
      expect(await spend(750_000, { max_cost_usd: 1 })).toBe("ran");
      const late = await make("1");
      await fixture.clock.advance(60_000);
      await fire();
      expect((await fixture.store.committed.schedules.find(late.id ?? ""))?.lastError).toContain(
        "person_day_cap_reached",
      );
    });

    it("is of one account: elsewhere the person has another, or none", async () => {
      await cap(0.01);
      expect(await spend(10_000)).toBe("ran");
      expect(await spend(0)).toBe("person_day_cap_reached");
      const other = await makeAccount(fixture);
      const member = { personId: ada.personId, role: "owner", source: "invited", addedBy: null } as const;
      await fixture.store.transact((tx) =>
        tx.people.addMember({ ...member, accountId: other.id, addedAt: 1, dayCapMicroUsd: 20_000 }),
      );
      const made = { accountId: other.id, personId: ada.personId, callerClass: "owner", name: "" } as const;
      const { secret: bearer } = await makeApiKey(fixture.core, made);
      const path = `/v1/agents/${other.agent.id}/runs`;
      const json = { message: "20000", max_cost_usd: 1 };
      expect((await api.send(path, { method: "POST", bearer, json })).status).toBe(202);
      expect((await api.send(path, { method: "POST", bearer, json })).status).toBe(402);
    });

    it("is set by who may change the member, alone", async () => {
      const person = await addPerson(fixture.core, { accountId: account.id, role: "member" });
      const second = await credentialsOf(fixture.core, { accountId: account.id, personId: person });
      const status = async (...asked: Parameters<typeof change>) => (await change(...asked)).status;
      const some = { max_usd_per_day: 5 };
      expect(await status(some, ada.ownerKey, person)).toBe(200);
      expect(await status(some, ada.ownerKey, ada.personId)).toBe(403);
      expect(await status(some, ada.aiClientKey, person)).toBe(403);
      expect(await status({ max_usd_per_day: null }, second.ownerKey, person)).toBe(403);
      for (const max_usd_per_day of [0, -1, 1e9, "5", true])
        expect(await status({ max_usd_per_day })).toBe(400);
      // A role alone leaves the cap, a cap alone the role.
      expect(await change({ role: "viewer" }, account.owner, person)).toMatchObject({
        body: { role: "viewer", max_usd_per_day: 5 },
      });
    });

    it("names the person in the run's record, in its lists and in the sums of usage", async () => {
      const answer = await submit(10_000, {}, ada.token);
      const { run_id: runId = "" } = answer.body as Record<string, string>;
      await fixture.ended(runId);
      const about = { actor: "Ada", person_id: ada.personId };
      const path = `/v1/agents/${account.agent.id}/runs`;
      const read = await api.send(`${path}/${runId}`, { bearer: account.owner });
      expect(read.body).toMatchObject({ about });
      const listed = await api.send(path, { bearer: account.owner });
      expect(JSON.stringify(listed.body)).toContain(`"person_id":"${ada.personId}"`);
      const usage = await api.send("/v1/account/usage?by=person", { bearer: account.owner });
      expect(JSON.stringify(usage.body)).toContain(`person:${ada.personId}`);
    });
  });
});
