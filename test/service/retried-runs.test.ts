// Parked runs that go on by themselves once their model's provider answers again, on each store, with a scripted model and real checkouts.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { call, fault, type Step, say } from "../../fakes/model-server/turn.ts";
import { systemRandom } from "../../src/base/ids.ts";
import type { WrittenEvent } from "../../src/contract/runs/run-event.ts";
import { toRun } from "../../src/service/api/shared/run-view.ts";
import { givenBy, resumeRun } from "../../src/service/core/runs/continue-run.ts";
import { endOverdue, PARKED_DAYS } from "../../src/service/core/runs/park-run.ts";
import { retryParked } from "../../src/service/core/runs/retry-parked.ts";
import type { Backend } from "../../src/service/executor/backend.ts";
import { modelBackend } from "../../src/service/executor/backends/model/model-backend.ts";
import { askQuestionTool } from "../../src/service/executor/tools/ask-question.ts";
import { writeFile } from "../../src/service/executor/tools/write-file.ts";
import type { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";
import { expectValidStream } from "../support/service-streams.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import { CheckoutFixture } from "./checkouts/checkout-fixture.ts";
import { API_KEY, HastyClock, ratesOf } from "./executor/backends/model/model-fixture.ts";

const MINUTE_MS = 60_000;
const PARKED_MS = PARKED_DAYS * 24 * 60 * MINUTE_MS;
const rates = ratesOf({ id: "scripted-model", inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 1_000 });

onEveryStore((store) => {
  describe("a run that is parked for an outage", () => {
    let checkouts: CheckoutFixture;
    let server: ModelServer;
    let fixture: CoreFixture;
    let isAway: boolean;
    let isHostAway: boolean;
    let onRequest: () => void;

    const turns: readonly Step[] = [
      call("write_file", { path: "first", content: "one\n" }),
      call("write_file", { path: "second", content: "two\n" }),
      say("Done."),
    ];

    beforeEach(async () => {
      isAway = true;
      isHostAway = false;
      onRequest = () => {};
      checkouts = await CheckoutFixture.make();
      server = await startModelServer({
        script: everyTime(({ assistantTurns }) => {
          onRequest();
          return assistantTurns > 0 && isAway ? fault({ status: 503 }) : turns[assistantTurns];
        }),
        apiKey: API_KEY,
      });
      const model = modelBackend({
        provider: "anthropic",
        baseUrl: server.baseUrl,
        apiKey: API_KEY,
        access: null,
        models: { executor: "scripted-model", advisor: null, reviewer: null },
        rates,
        toolbox: ({ askPeople }) => [writeFile, ...(askPeople === null ? [] : [askQuestionTool(askPeople)])],
        clock: new HastyClock(),
        random: systemRandom,
        maxTurns: 6,
      });
      const backend: Backend = { ...model, needsCheckout: true, changesCheckout: true };
      const provider = checkouts.provider();
      const sha = checkouts.repository.commit({ files: { a: "a\n" } });
      fixture = await startFixture({
        level: "core",
        store,
        backend,
        rates,
        freeCredits: 10_000_000,
        keepsJournals: true,
        checkouts: {
          ...provider,
          open: async (source, signal) => {
            if (isHostAway) throw new Error("There is no such host.");
            return await provider.open({ ...checkouts.source(sha), runId: source.runId }, signal);
          },
        },
      });
      fixture.executor.start();
    });

    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
      await server.close();
      await checkouts.close();
    });

    const submit = async () => {
      const submitted = await fixture.trySubmit({ message: "Fix the parser.", may_park: true });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return submitted.value.runId;
    };
    /** Once it is parked, after so many tries in vain. */
    const parked = async (runId: string, tries = 0) =>
      await fixture.until(runId, (run) => run.parked?.tries === tries);
    const eventsOf = async (runId: string) =>
      (await fixture.stream(runId)).map(({ event }) => event as WrittenEvent);
    const changesIn = (events: readonly WrittenEvent[]) =>
      events.filter((event) => event.type === "CUSTOM" && event.name === "repository.changes");

    it("is tried again by itself, after five minutes and then less often, and goes on once it is answered", async () => {
      const runId = await submit();
      const first = await parked(runId);
      const { since = 0, until, nextTryAt = 0 } = first.parked ?? {};
      expect(nextTryAt - since).toBe(5 * MINUTE_MS);
      const next = new Date(nextTryAt).toISOString();
      expect(toRun(first)).toMatchObject({
        parked: { next_try_at: next, how_to_continue: expect.stringContaining(`by itself, next at ${next}`) },
      });
      expect(await retryParked(fixture.core)).toBe(0);

      for (const [tries, minutes] of [
        [1, 10],
        [2, 20],
      ] as const) {
        const before = await fixture.run(runId);
        await fixture.clock.advance((before.parked?.nextTryAt ?? 0) - fixture.clock.now());
        onRequest = () => {
          onRequest = () => {};
          void fixture.clock.advance(1_000);
        };
        expect(await retryParked(fixture.core)).toBe(1);
        const again = await parked(runId, tries);
        const { nextTryAt: later = 0, since: at = 0, ...left } = again.parked ?? {};
        expect(later - at).toBe(minutes * MINUTE_MS);
        expect(left).toMatchObject({ until, usage: first.parked?.usage, workedMs: first.parked?.workedMs });
        expect(again.holdMicroUsd).toBe(first.holdMicroUsd);
      }
      expect(changesIn(await eventsOf(runId))).toHaveLength(1);

      isAway = false;
      await fixture.clock.advance(20 * MINUTE_MS);
      expect(await retryParked(fixture.core)).toBe(1);
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "end_turn" });
      const events = await expectValidStream(await fixture.stream(runId));
      expect(changesIn(events)).toHaveLength(2);
      const told = server.requests.at(-1)?.messages ?? [];
      expect(JSON.stringify(told).match(/while its model could not be reached/g)).toHaveLength(1);
    });

    it("is continued by one of two nodes that look at the same time", async () => {
      const runId = await submit();
      await parked(runId);
      await fixture.clock.advance(5 * MINUTE_MS);
      isAway = false;
      const continued = await Promise.all([retryParked(fixture.core), retryParked(fixture.nextProcess())]);
      expect(continued.toSorted()).toEqual([0, 1]);
      await fixture.ended(runId);
      const resumed = (await eventsOf(runId)).filter(
        (event) => event.type === "CUSTOM" && event.name === "resumed",
      );
      expect(resumed).toHaveLength(1);
    });

    it("is parked again where something else is away before its model has answered", async () => {
      const runId = await submit();
      const first = await parked(runId);
      isHostAway = true;
      await fixture.clock.advance(5 * MINUTE_MS);
      expect(await retryParked(fixture.core)).toBe(1);
      const again = await parked(runId, 1);
      expect(again.parked).toMatchObject({
        reason: "provider_unavailable",
        usage: first.parked?.usage,
        until: first.parked?.until,
      });
      isHostAway = false;
      isAway = false;
      await fixture.clock.advance(10 * MINUTE_MS);
      expect(await retryParked(fixture.core)).toBe(1);
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "end_turn" });
      await expectValidStream(await fixture.stream(runId));
    });

    it("ends when it would have ended, however often it was tried, and begins anew where somebody continues it", async () => {
      const [expired, continued] = [await submit(), await submit()];
      await Promise.all([parked(expired), parked(continued)]);
      await fixture.clock.advance(5 * MINUTE_MS);
      expect(await retryParked(fixture.core)).toBe(2);
      const until = (await parked(expired, 1)).parked?.until ?? 0;
      await parked(continued, 1);
      const caller = await fixture.caller();
      const { agentId } = caller.capability;
      const given = givenBy({});
      expect((await resumeRun(fixture.core, { caller, agentId, runId: continued, given })).ok).toBe(true);
      const anew = await parked(continued);
      expect(anew.parked?.until).toBe((anew.parked?.since ?? 0) + PARKED_MS);
      await fixture.clock.advance(until - fixture.clock.now() + 1);
      expect(await endOverdue(fixture.core)).toBe(1);
      expect(await fixture.ended(expired)).toMatchObject({
        status: "failed",
        cause: "backend_error",
        refundReason: "model_unavailable",
      });
      expect((await fixture.run(continued)).status).toBe("running");
    });

    it("is left as it is while its owner does not want such runs, and looked at again", async () => {
      const runId = await submit();
      await parked(runId);
      const { agentId } = (await fixture.caller()).capability;
      const allow = (events: string[]) =>
        fixture.store.transact((tx) => tx.agents.update(agentId, { ciPolicy: { events } }));
      await allow(["schedule"]);
      await fixture.clock.advance(5 * MINUTE_MS);
      expect(await retryParked(fixture.core)).toBe(0);
      expect((await fixture.run(runId)).parked).toMatchObject({ tries: 0 });
      await fixture.store.transact((tx) => tx.agents.update(agentId, { ciPolicy: null }));
      isAway = false;
      expect(await retryParked(fixture.core)).toBe(0);
      await fixture.clock.advance(30 * MINUTE_MS);
      expect(await retryParked(fixture.core)).toBe(1);
      await fixture.ended(runId);
    });
  });
});
