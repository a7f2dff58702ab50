// Questions of parked runs, and of runs that ended, on each store: listed, answered once, and answered again.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isTerminal } from "../../../../src/contract/runs/run.ts";
import type { SubmitRunRequest } from "../../../../src/contract/runs/run-requests.ts";
import { toQuestion } from "../../../../src/service/api/shared/question-view.ts";
import type { AccountCaller } from "../../../../src/service/core/accounts/caller.ts";
import { grantCredits } from "../../../../src/service/core/accounts/keys.ts";
import { answerQuestion } from "../../../../src/service/core/questions/answer-question.ts";
import { listQuestions } from "../../../../src/service/core/questions/list-questions.ts";
import { resumeRun } from "../../../../src/service/core/runs/continue-run.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { askPeople, type Parking, parkingOf } from "../../../support/parking.ts";
import { say } from "../../../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { expectValidStream } from "../../../support/service-streams.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

onEveryStore((store) => {
  describe("a question of a parked run", () => {
    let parking: Parking;
    let fixture: CoreFixture;
    let account: TestAccount;
    let caller: AccountCaller;

    beforeEach(async () => {
      parking = await parkingOf(async (task, { continued, told }) => {
        if (continued === 0) return await askPeople(task, "Which parser?");
        if (told === "ask again") return await askPeople(task, "Which test?");
        await say(task, "Done.");
        return { stopReason: "end_turn" };
      });
      fixture = await startFixture({ level: "core", store, ...parking });
      fixture.executor.start();
      account = await makeAccount(fixture);
      await grantCredits(fixture.core, { accountId: account.id, credits: 1_000 });
      caller = {
        kind: "account",
        accountId: account.id,
        callerClass: "owner",
        personId: null,
        role: "owner",
      };
    });

    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
      await parking.remove();
    });

    const submit = async (body: Omit<SubmitRunRequest, "idempotency_key"> = {}) => {
      const submitted = await fixture.submitter.submit({
        caller,
        agentId: account.agent.id,
        body: { message: "Fix it.", may_park: true, ...body },
        idempotencyKey: null,
        canBeAnswered: true,
      });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return submitted.value.runId;
    };
    const parkedAfter = async (runId: string, since = 0) => {
      const { parked } = await fixture.until(
        runId,
        (run) => isTerminal(run.status) || (run.parked?.since ?? 0) > since,
      );
      if (parked === undefined) throw new Error("The run was not parked.");
      return parked.since;
    };
    const answerTo = (runId: string, answer: string, askedAt: number | null = null) =>
      answerQuestion(fixture.core, fixture.submitter, { caller, runId, answer, askedAt, mayPark: false });
    const listed = async () => {
      const query = { caller, agentId: null, before: null, limit: 10 };
      return (await listQuestions(fixture.core, query)).questions.map(toQuestion);
    };
    const runs = () => fixture.place.query("select id from runs");

    it("is listed from when it was parked, and answered in the same run", async () => {
      const runId = await submit();
      const since = await parkedAfter(runId);
      expect(await listed()).toEqual([
        {
          run_id: runId,
          agent_id: account.agent.id,
          session_id: (await fixture.run(runId)).sessionId,
          question: "Which parser?",
          choices: ["the first", "the second"],
          asked_at: new Date(since).toISOString(),
        },
      ]);
      expect(await answerTo(runId, "the first")).toMatchObject({
        ok: true,
        value: { runId, isReplay: false },
      });
      const ended = await fixture.ended(runId);
      expect(ended).toMatchObject({ status: "completed", stopReason: "end_turn" });
      expect(await listed()).toEqual([]);
      expect(await runs()).toHaveLength(1);
      const events = await expectValidStream(await fixture.stream(runId));
      expect(events).toContainEqual({
        type: "CUSTOM",
        name: "resumed",
        value: { turn: 2, after: "parked", unknown_calls: [], message: "the first" },
      });
    });

    it("is answered once: the same answer gives the run again, another one is refused", async () => {
      const runId = await submit();
      const since = await parkedAfter(runId);
      const first = await Promise.all([answerTo(runId, "the first"), answerTo(runId, "the first")]);
      expect(first).toMatchObject([
        { ok: true, value: { runId } },
        { ok: true, value: { runId } },
      ]);
      await fixture.ended(runId);
      for (const askedAt of [null, since]) {
        expect(await answerTo(runId, "the first", askedAt)).toMatchObject({
          ok: true,
          value: { runId, isReplay: true },
        });
        expect(await answerTo(runId, "the second", askedAt)).toMatchObject({
          refusal: { reason: "question_answered" },
        });
      }
      expect(await runs()).toHaveLength(1);
      await fixture.clock.advance(DAY_MS + 1);
      expect(await answerTo(runId, "the first")).toMatchObject({ refusal: { reason: "question_not_found" } });
      expect(await runs()).toHaveLength(1);
    });

    it("may be followed by another one in the same run, which an answer to the first does not answer", async () => {
      const runId = await submit();
      const first = await parkedAfter(runId);
      await fixture.clock.advance(1_000);
      expect(await answerTo(runId, "ask again", first)).toMatchObject({ ok: true });
      const second = await parkedAfter(runId, first);
      expect(await listed()).toMatchObject([
        { run_id: runId, question: "Which test?", asked_at: new Date(second).toISOString() },
      ]);
      expect(await answerTo(runId, "ask again", first)).toMatchObject({
        ok: true,
        value: { isReplay: true },
      });
      expect(await answerTo(runId, "the first", first)).toMatchObject({
        refusal: { reason: "question_answered" },
      });
      expect((await fixture.run(runId)).parked?.since).toBe(second);
      expect(await answerTo(runId, "the second", second)).toMatchObject({
        ok: true,
        value: { isReplay: false },
      });
      expect(await fixture.ended(runId)).toMatchObject({ stopReason: "end_turn" });
      expect(await answerTo(runId, "the second")).toMatchObject({
        ok: true,
        value: { runId, isReplay: true },
      });
      expect(await runs()).toHaveLength(1);
    });

    it("is answered where somebody has continued the run meanwhile", async () => {
      const runId = await submit();
      const since = await parkedAfter(runId);
      const given = { message: "the first", maxCostMicroUsd: null, maxTokens: null };
      const { id: agentId } = account.agent;
      expect(await resumeRun(fixture.core, { caller, agentId, runId, given })).toMatchObject({ ok: true });
      await fixture.ended(runId);
      expect(await answerTo(runId, "the second", since)).toMatchObject({
        refusal: { reason: "question_answered" },
      });
      expect(await answerTo(runId, "the second")).toMatchObject({
        refusal: { reason: "question_not_found" },
      });
    });

    it("of a run that ended is answered by the next run of its session", async () => {
      const runId = await submit({ may_park: false });
      const ended = await fixture.ended(runId);
      expect(ended.stopReason).toBe("question");
      expect(await listed()).toMatchObject([{ asked_at: new Date(ended.endedAt ?? 0).toISOString() }]);
      const answered = await answerTo(runId, "the first", ended.endedAt);
      const next = answered.ok ? answered.value.runId : "";
      expect(next).not.toBe(runId);
      const { sessionId } = await fixture.ended(next);
      expect(sessionId).toBe(ended.sessionId);
      expect(await answerTo(runId, "the first")).toMatchObject({ value: { runId: next, isReplay: true } });
      expect(await answerTo(runId, "the second")).toMatchObject({ refusal: { reason: "question_answered" } });
    });

    it("is nobody else's to answer", async () => {
      const runId = await submit();
      await parkedAfter(runId);
      const other = await makeAccount(fixture);
      const stranger: AccountCaller = {
        kind: "account",
        accountId: other.id,
        callerClass: "owner",
        personId: null,
        role: "owner",
      };
      const answered = await answerQuestion(fixture.core, fixture.submitter, {
        caller: stranger,
        runId,
        answer: "the first",
        askedAt: null,
        mayPark: false,
      });
      expect(answered).toMatchObject({ refusal: { reason: "run_of_another" } });
      expect((await fixture.run(runId)).parked).toBeDefined();
    });
  });
});
