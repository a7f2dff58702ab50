// Runs that wait for what somebody can give them: parked, continued, ended, on each store, with a scripted model and real checkouts.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { answer, call, fault, type Part, reset, type Step, say } from "../../fakes/model-server/turn.ts";
import { systemRandom } from "../../src/base/ids.ts";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { type Run, submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import type { RunEvent } from "../../src/contract/runs/run-event.ts";
import type { SubmitRunRequest } from "../../src/contract/runs/run-requests.ts";
import { toRun } from "../../src/service/api/shared/run-view.ts";
import { GRANTS } from "../../src/service/core/money/ledger.ts";
import { cancelRun } from "../../src/service/core/runs/cancel-run.ts";
import { givenBy, resumeRun } from "../../src/service/core/runs/continue-run.ts";
import { endOverdue, PARKED_DAYS } from "../../src/service/core/runs/park-run.ts";
import { leaveRun, recoverRuns } from "../../src/service/core/runs/recover-runs.ts";
import type { RunRecord } from "../../src/service/core/runs/run-record.ts";
import type { Backend } from "../../src/service/executor/backend.ts";
import { modelBackend } from "../../src/service/executor/backends/model/model-backend.ts";
import type { Toolbox } from "../../src/service/executor/backends/model/toolbox.ts";
import { askQuestionTool } from "../../src/service/executor/tools/ask-question.ts";
import { typedOutputTools } from "../../src/service/executor/tools/typed-outputs.ts";
import { writeFile } from "../../src/service/executor/tools/write-file.ts";
import type { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { openHttpApi } from "../support/service-api.ts";
import { call as request } from "../support/service-client.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";
import { expectValidStream } from "../support/service-streams.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import { CheckoutFixture } from "./checkouts/checkout-fixture.ts";
import { API_KEY, HastyClock, ratesOf } from "./executor/backends/model/model-fixture.ts";

/** One micro-dollar a token: an answer of a million tokens costs a dollar. */
const rates = ratesOf({ id: "scripted-model", inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 1_000 });
const asked = { question: "Which parser?", choices: ["The old one", "The new one"] };
const DAY_MS = 24 * 60 * 60 * 1000;

const toolbox: Toolbox = ({ task, askPeople }) => [
  writeFile,
  ...typedOutputTools(task),
  ...(askPeople === null ? [] : [askQuestionTool(askPeople)]),
];

/** Writes a file and asks, writes another, says so. */
const asking: readonly [readonly Part[], ...(readonly Part[])[]] = [
  [call("write_file", { path: "first", content: "one\n" }), call("ask_question", asked)],
  [call("write_file", { path: "second", content: "two\n" })],
  [say("Done.")],
];

/** As its readers get it. */
function parkedRun(run: RunRecord): Extract<Run, { status: "running" }> {
  const shown = toRun(run);
  if (shown.status !== "running") throw new Error(`Run ${run.id} is ${run.status}.`);
  return shown;
}

onEveryStore((store) => {
  describe("a run that may be parked", () => {
    let checkouts: CheckoutFixture;
    let server: ModelServer;
    let fixture: CoreFixture;
    let sha: string;
    let step: (request: ModelRequest) => Step | undefined;

    /** `freeCredits`: of the month. */
    const begin = async (freeCredits = 100_000) => {
      step = ({ assistantTurns }) => asking[assistantTurns];
      checkouts = await CheckoutFixture.make();
      server = await startModelServer({ script: everyTime((request) => step(request)), apiKey: API_KEY });
      const model = modelBackend({
        provider: "anthropic",
        baseUrl: server.baseUrl,
        apiKey: API_KEY,
        access: null,
        models: { executor: "scripted-model", advisor: null, reviewer: null },
        rates,
        toolbox,
        clock: new HastyClock(),
        random: systemRandom,
        maxTurns: 4,
      });
      const backend: Backend = { ...model, needsCheckout: true, changesCheckout: true };
      const provider = checkouts.provider();
      sha = checkouts.repository.commit({ files: { a: "a\n" } });
      fixture = await startFixture({
        level: "core",
        store,
        backend,
        rates,
        freeCredits,
        keepsJournals: true,
        checkouts: {
          ...provider,
          open: (source, signal) => provider.open({ ...checkouts.source(sha), runId: source.runId }, signal),
        },
      });
      fixture.executor.start();
    };

    beforeEach(() => begin());

    const end = async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
      await server.close();
      await checkouts.close();
    };

    afterEach(end);

    const submit = async (body: SubmitRunRequest) => {
      const submitted = await fixture.trySubmit({ may_park: true, ...body });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return submitted.value.runId;
    };
    const parked = (runId: string) => fixture.until(runId, (run) => run.parked !== undefined);
    const eventsOf = async (runId: string) =>
      (await fixture.stream(runId)).map(({ event }) => event as RunEvent);
    const patchesOf = async (runId: string) =>
      (await eventsOf(runId)).flatMap((event) =>
        event.type === "CUSTOM" && event.name === "repository.changes"
          ? [event.value.files.map(({ path }) => path)]
          : [],
      );
    const resume = async (runId: string, body: Parameters<typeof givenBy>[0]) => {
      const caller = await fixture.caller();
      const { agentId } = caller.capability;
      return await resumeRun(fixture.core, { caller, agentId, runId, given: givenBy(body) });
    };
    const heldFor = async (runId: string) => (await fixture.run(runId)).holdMicroUsd;

    it("waits for an answer with what it has done, and goes on in the same run and session", async () => {
      const runId = await submit({ message: "Fix the parser.", session_key: "thread-7" });
      const run = await parked(runId);
      expect(parkedRun(run)).toMatchObject({ parked: { reason: "question" } });
      expect((run.parked?.until ?? 0) - (run.parked?.since ?? 0)).toBe(PARKED_DAYS * DAY_MS);
      const before = await eventsOf(runId);
      const { parked: shown } = parkedRun(run);
      expect(before.at(-1)).toEqual({ type: "CUSTOM", name: "parked", value: shown });
      expect(await patchesOf(runId)).toEqual([["first"]]);
      expect(before).toContainEqual({ type: "CUSTOM", name: "question", value: asked });

      expect(await submit({ message: "The new one.", session_key: "thread-7" })).toBe(runId);
      const ended = await fixture.ended(runId);
      expect(ended).toMatchObject({ status: "completed", stopReason: "end_turn" });
      expect(ended.parked).toBeUndefined();
      const events = await expectValidStream(await fixture.stream(runId));
      expect(events.slice(0, before.length)).toEqual(before);
      expect(events[before.length]).toEqual({
        type: "CUSTOM",
        name: "resumed",
        value: { turn: 2, after: "parked", unknown_calls: [], message: "The new one." },
      });
      expect((await patchesOf(runId)).at(-1)).toEqual(["first", "second"]);
      const told = server.requests.at(1)?.messages.at(-1);
      expect(JSON.stringify(told)).toContain("The new one.");
      expect(server.requests).toHaveLength(3);
      expect(await fixture.place.query("select * from run_journal")).toEqual([]);

      await fixture.ended(await submit({ message: "Thanks.", session_key: "thread-7" }));
      expect(server.requests.at(-1)?.messages).toMatchObject([
        { role: "user", text: "Fix the parser." },
        { role: "assistant", text: "Which parser?\n\n1. The old one\n2. The new one" },
        { role: "user", text: "The new one." },
        { role: "assistant", text: "Done." },
        { role: "user", text: "Thanks." },
      ]);
    });

    it("counts what it asked its job to write before it was parked, and goes on for the same outputs alone", async () => {
      const filing = (title: string) => call("create_issue", { title, body: "Text." });
      const turns = [[filing("One"), call("ask_question", asked)], [filing("Two")], [say("Done.")]];
      step = ({ assistantTurns }) => turns[assistantTurns];
      const outputs = { issue: { max: 1 } };
      const runId = await submit({ message: "Look.", session_key: "thread-7", outputs });
      await parked(runId);
      expect(await submit({ message: "The new one.", session_key: "thread-7", outputs })).toBe(runId);
      await fixture.ended(runId);
      const events = await eventsOf(runId);
      expect(events.filter((event) => event.type === "CUSTOM" && event.name === "typed_output")).toEqual([
        { type: "CUSTOM", name: "typed_output", value: { type: "issue", title: "One", body: "Text." } },
      ]);
      expect(JSON.stringify(events)).toContain("A run may ask for 1 issue at most.");
      const other = await submit({ message: "Look.", session_key: "thread-8", outputs });
      await parked(other);
      const more = { outputs: { issue: { max: 2 } } };
      expect(await submit({ message: "The new one.", session_key: "thread-8", ...more })).not.toBe(other);
    });

    it("ends as ever where nobody says that it may, and where it brings nothing to wait with", async () => {
      const runId = await submit({ message: "Fix it.", session_key: "thread-1", may_park: false });
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "question" });
    });

    it("holds no more than it has used, has no worker, and counts in no limit of runs", async () => {
      const runId = await submit({ message: "Fix the parser.", session_key: "thread-7" });
      const run = await parked(runId);
      const used = run.parked?.usage.roles.executor?.microUsd ?? 0;
      expect(used).toBeGreaterThan(0);
      expect((await heldFor(runId)) - used).toBeLessThanOrEqual(1_000_000);
      expect(await heldFor(runId)).toBeGreaterThanOrEqual(used);
      const { queue } = fixture.store.committed;
      expect(await queue.listAtWork()).toEqual([]);
      expect(await queue.listUnfinished()).toEqual([]);
      expect(await queue.listReleased()).toEqual([]);
      expect(await recoverRuns(fixture.nextProcess())).toEqual({ requeued: 0, taken_up: 0, ended: 0 });
      expect((await fixture.run(runId)).parked).toEqual(run.parked);
    });

    it("is cancelled like one that runs, and is charged what it has used", async () => {
      const runId = await submit({ message: "Fix the parser.", session_key: "thread-7" });
      const run = await parked(runId);
      const caller = await fixture.caller();
      const { agentId } = caller.capability;
      expect(await cancelRun(fixture.core, { caller, agentId, runId })).toMatchObject({ ok: true });
      const ended = await fixture.ended(runId);
      expect(ended).toMatchObject({ status: "cancelled", cause: "user_stop", stopReason: null });
      expect(ended.grossMicroUsd).toBeGreaterThanOrEqual(run.parked?.usage.roles.executor?.microUsd ?? 0);
      await expectValidStream(await fixture.stream(runId));
      expect(await resume(runId, { message: "The new one." })).toMatchObject({
        refusal: { reason: "run_finished" },
      });
      expect(await fixture.place.query("select * from run_journal")).toEqual([]);
    });

    it("ends with what it has done once its time is over, and where its journal is gone", async () => {
      const expired = await submit({ message: "Fix the parser.", session_key: "thread-7" });
      await parked(expired);
      expect(await endOverdue(fixture.core)).toBe(0);
      await fixture.clock.advance(PARKED_DAYS * DAY_MS + 1);
      const restored = await submit({ message: "Fix the parser.", session_key: "thread-8" });
      await parked(restored);
      await fixture.store.transact((tx) => tx.journal.delete(restored));
      expect(await endOverdue(fixture.core)).toBe(2);
      for (const runId of [expired, restored]) {
        expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "question" });
        await expectValidStream(await fixture.stream(runId));
        expect(await patchesOf(runId)).toEqual([["first"]]);
      }
    });

    it("goes on with a higher limit of cost, and says what is missing until it is given", async () => {
      // Each answer costs more than a third of the limit.
      const costly = (parts: Parameters<typeof answer>[0]) => answer(parts, { usage: { output: 13_000 } });
      step = ({ assistantTurns, messages }) => {
        const isToEnd = JSON.stringify(messages.at(-1)).includes("limit of cost");
        if (isToEnd) return costly([say("Not done yet.")]);
        return assistantTurns >= 3
          ? costly([say("Done.")])
          : costly([call("write_file", { path: `file-${assistantTurns}`, content: "x\n" })]);
      };
      const runId = await submit({ message: "Do much.", max_cost_usd: 0.03 });
      const run = await parked(runId);
      expect(run.parked?.reason).toBe("max_cost");
      for (const body of [{}, { message: "Go on." }, { max_cost_usd: 0.03 }, { max_turn_tokens: 2_000_000 }])
        expect(await resume(runId, body)).toMatchObject({ refusal: { reason: "cost_not_raised" } });
      expect(await resume(runId, { max_cost_usd: 5 })).toMatchObject({ ok: true });
      expect(await resume(runId, { max_cost_usd: 5 })).toMatchObject({ ok: false });
      const ended = await fixture.ended(runId);
      expect(ended).toMatchObject({ status: "completed", stopReason: "end_turn" });
      expect(ended.usage?.budget?.maxCostMicroUsd).toBe(5_000_000);
      await expectValidStream(await fixture.stream(runId));
    });

    it("gets as many turns again", async () => {
      step = ({ messages, assistantTurns }) =>
        JSON.stringify(messages.at(-1)).includes("No turn is left")
          ? [say("Not done yet.")]
          : assistantTurns > 6
            ? [say("Done.")]
            : [call("write_file", { path: `file-${assistantTurns}`, content: "x\n" })];
      const runId = await submit({ message: "Do much." });
      const run = await parked(runId);
      expect(run.parked?.reason).toBe("max_turns");
      expect(await resume(runId, {})).toMatchObject({ ok: true });
      const again = await fixture.until(
        runId,
        ({ parked: now, status }) =>
          status !== "running" ||
          (now !== undefined &&
            now.since >= (run.parked?.since ?? 0) &&
            now.usage.roles.executor?.calls !== run.parked?.usage.roles.executor?.calls),
      );
      expect(again.parked?.reason).toBe("max_turns");
      expect(await resume(runId, {})).toMatchObject({ ok: true });
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "end_turn" });
    });

    it.each([
      ["fails", fault({ status: 503 })],
      ["is overloaded", fault({ status: 529 })],
      ["is busy for hours", fault({ status: 429, retryAfter: 40_000 })],
      ["breaks off", reset()],
    ])("waits for a provider that %s for longer than it tries again", async (_, outage) => {
      step = ({ assistantTurns }) => (assistantTurns === 0 ? asking[0][0] : outage);
      const runId = await submit({ message: "Fix the parser." });
      const run = await parked(runId);
      expect(run).toMatchObject({ status: "running", parked: { reason: "provider_unavailable" } });
      expect(await patchesOf(runId)).toEqual([["first"]]);
      const before = await eventsOf(runId);
      expect(JSON.stringify(before)).toContain('"name":"notice","value":{"text":"The model\'s API');
      expect(before.at(-1)).toMatchObject({ name: "parked", value: { reason: "provider_unavailable" } });
      const { length: asked } = server.requests;

      step = ({ assistantTurns }) => asking[assistantTurns];
      expect(await resume(runId, {})).toMatchObject({ ok: true });
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "end_turn" });
      const told = JSON.stringify(server.requests[asked]?.messages.at(-1));
      expect(told).toContain("while its model could not be reached");
      expect((await patchesOf(runId)).at(-1)).toEqual(["first", "second"]);
      await expectValidStream(await fixture.stream(runId));
    });

    it("fails as ever by an outage where it may not be parked, or where nobody continues it", async () => {
      step = ({ assistantTurns }) => (assistantTurns === 0 ? asking[0][0] : fault({ status: 503 }));
      const failed = { status: "failed", cause: "backend_error", retryable: true, stopReason: null };
      expect(await fixture.ended(await submit({ message: "Fix it.", may_park: false }))).toMatchObject(
        failed,
      );
      const runId = await submit({ message: "Fix the parser." });
      await parked(runId);
      await fixture.clock.advance(PARKED_DAYS * DAY_MS + 1);
      expect(await endOverdue(fixture.core)).toBe(1);
      const ended = await fixture.ended(runId);
      expect(ended).toMatchObject({ ...failed, refundReason: "model_unavailable" });
      expect(ended.refundedMicroUsd).toBe(ended.grossMicroUsd);
      expect(JSON.stringify((await eventsOf(runId)).at(-1))).toContain("fails (503)");
    });

    it.each([
      ["quota", fault({ status: 429, body: { error: { message: "Quota.", type: "insufficient_quota" } } })],
      ["request", fault({ status: 400 })],
      ["key", fault({ status: 401 })],
    ])("fails where the provider refuses its %s", async (_, refusal) => {
      step = ({ assistantTurns }) => (assistantTurns === 0 ? asking[0][0] : refusal);
      expect(await fixture.ended(await submit({ message: "Fix it." }))).toMatchObject({ status: "failed" });
    });

    it("goes on where its worker was lost before it could park it", async () => {
      step = ({ assistantTurns }) => (assistantTurns === 0 ? asking[0][0] : fault({ status: 503 }));
      const runId = await submit({ message: "Fix the parser." });
      await parked(runId);
      step = ({ assistantTurns }) => asking[assistantTurns];
      await fixture.store.transact((tx) => tx.runs.update(runId, { parked: null, stopReason: null }));
      expect(await leaveRun(fixture.core, runId, { after: "lost" })).toBe("released");
      fixture.core.dispatch.requeue(runId);
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "end_turn" });
      expect((await patchesOf(runId)).at(-1)).toEqual(["first", "second"]);
    });

    it("ends where its session asks for something else, and a new run begins there", async () => {
      const first = await submit({ message: "Fix the parser.", session_key: "thread-7" });
      await parked(first);
      const second = await submit({
        message: "Leave the parser.",
        session_key: "thread-7",
        output_schema: { type: "object" },
      });
      expect(second).not.toBe(first);
      expect(await fixture.ended(first)).toMatchObject({ status: "completed", stopReason: "question" });
      await expectValidStream(await fixture.stream(first));
      const run: RunRecord = await fixture.run(second);
      expect(run.sessionId).toBe((await fixture.run(first)).sessionId);
      await fixture.ended(second);
    });

    it("goes on once for a request that is repeated", async () => {
      const runId = await submit({ message: "Fix the parser.", session_key: "thread-7" });
      await parked(runId);
      const body = { message: "The new one.", session_key: "thread-7", idempotency_key: "answer" };
      expect(await submit(body)).toBe(runId);
      await fixture.ended(runId);
      expect(await submit(body)).toBe(runId);
      expect(await fixture.place.query("select id from runs")).toHaveLength(1);
    });

    it("is resumed by the route, which refuses what does not suffice", async () => {
      await end();
      await begin(4);
      const api = await openHttpApi(fixture);
      const send = (path: string, json: unknown, bearer?: string) =>
        request(api.url + path, { method: "POST", json, ...(bearer === undefined ? {} : { bearer }) });
      const { body: exchanged } = await send("/v1/ci/oidc/exchange", { subject_token: "a token" });
      const { access_token: token, agent_id: agentId } = exchangeResponseSchema.parse(exchanged);
      const body = { message: "Fix the parser.", session_key: "thread-7", may_park: true };
      const submitted = await send(`/v1/agents/${agentId}/runs`, body, token);
      const { run_id: runId } = submitRunResponseSchema.parse(submitted.body);
      await parked(runId);
      // Other runs take what is left.
      step = () => answer([say("Spent.")], { usage: { output: 50_000 } });
      for (let left = true; left; ) {
        const spending = await fixture.trySubmit({ message: "Spend it all." });
        left = spending.ok;
        if (spending.ok) await fixture.ended(spending.value.runId);
      }
      step = ({ assistantTurns }) => asking[assistantTurns];
      const path = `/v1/agents/${agentId}/runs/${runId}/resume`;
      expect(await send(path, {}, token)).toMatchObject({ status: 409, body: { code: "run_needs_more" } });
      expect(await send(path, { message: "The new one." }, token)).toMatchObject({
        status: 402,
        body: { code: "insufficient_credits", reason: "credits_ended" },
      });
      const now = fixture.clock.now();
      const { billingAccount: to } = await fixture.run(runId);
      const grant = { id: systemRandom.uuid(now), at: now, kind: "grant", from: GRANTS, to } as const;
      await fixture.store.transact((tx) => tx.ledger.post({ ...grant, microUsd: 1_000_000, runId: null }));
      expect(await send(path, { message: "The new one." }, token)).toMatchObject({
        status: 202,
        body: { run_id: runId },
      });
      expect(await fixture.ended(runId)).toMatchObject({ stopReason: "end_turn" });
      expect(await send(path, { message: "Again." }, token)).toMatchObject({
        status: 409,
        body: { code: "run_finished" },
      });
    });
  });
});
