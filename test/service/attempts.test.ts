// Runs that make several attempts: each a child run on a copy of its own, with the repository's own checks executed by the service, and a
// judge among those that pass. The whole service with real clones and a sandbox; the models are scripted.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { type Step, say, wait } from "../../fakes/model-server/turn.ts";
import { ATTEMPTS_EVENT, type AttemptsEvent } from "../../src/contract/runs/attempts.ts";
import { asRunEvent, type RunEvent, type StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { defaultRates } from "../../src/service/settings/default-rates.ts";
import { fails, lies, passes, RacedRepository } from "../support/attempts/raced-repository.ts";
import type { ServiceFixture } from "../support/fixtures/service-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import type { CiJob } from "../support/service-job.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";
import { expectValidStream } from "../support/service-streams.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import { sqliteStore } from "../support/stores/stores.ts";

const KEY = "sk-the-models-key-0123456789";
const REPOSITORY = "octo-org/octo-repo";
const TASK = "Make a 2.";
const JUDGE = "scripted-model";
const rate = (id: string) => ({
  id,
  inNanoUsdPerToken: 1_000,
  outNanoUsdPerToken: 5_000,
  isFreeTierEligible: true,
});

let raced: RacedRepository;
beforeAll(async () => {
  raced = await RacedRepository.make();
});
afterAll(() => raced.remove());

type Stories = Readonly<Record<string, readonly Step[]>>;

/** The letter of the attempt whose change holds this text, and the answer that chooses it. */
function choose(text: string): Step {
  return ({ firstUserMessage }: ModelRequest) => {
    const letter = firstUserMessage
      .split("<attempt letter=")
      .find((part) => part.includes(text))
      ?.charAt(1);
    return say(JSON.stringify({ choice: letter, reason: "It reads best." }));
  };
}

onEveryStore((store) => {
  describe("a run with several attempts", () => {
    let model: ModelServer;
    let fixture: ServiceFixture;
    let job: CiJob;

    const start = async (stories: Stories) => {
      model = await startModelServer({
        script: ({ model: id }) => {
          const turns = stories[id];
          return turns === undefined ? undefined : byTurn(turns)();
        },
        apiKey: KEY,
      });
      const config = readConfig(
        {},
        {
          PATH: process.env.PATH,
          BACKEND: "model",
          SANDBOX: "off",
          MODEL: JUDGE,
          MODEL_PROVIDER: "openai",
          MODEL_BASE_URL: model.baseUrl,
          MODEL_API_KEY: KEY,
        },
      );
      if (!config.ok) throw new Error(config.refusal.join("\n"));
      const { backend, model: modelConfig, sandbox } = config.value;
      const [first, ...others] = [rate(JUDGE), rate("model-a"), rate("model-b"), rate("model-c")];
      fixture = await startFixture({
        level: "service",
        store,
        repositories: { [REPOSITORY]: { path: raced.path, visibility: "public" } },
        config: {
          backend,
          model: modelConfig,
          sandbox,
          maxRunningRuns: 1,
          rates: { ...defaultRates, models: [first ?? rate(JUDGE), ...others] },
          freeCredits: 1_000,
        },
      });
      job = await fixture.job({ ...fixture.freshRepository(), repository: REPOSITORY, sha: raced.sha });
    };

    afterEach(async () => {
      for (const { id } of await runs()) await expectValidStream(await job.follow(id));
      await expectSoundLedger(fixture.place);
      await fixture.close();
      await model.close();
    });

    const runs = async () => {
      const rows = await fixture.place.query("select id from runs order by parent_run_id is not null, id");
      return await Promise.all(rows.map(({ id }) => job.run(String(id))));
    };
    const submit = async (body: Readonly<Record<string, unknown>>): Promise<string> => {
      const answer = await job.submit({ message: TASK, ...body });
      expect(answer.status, answer.text).toBe(202);
      return String((answer.body as { run_id: unknown }).run_id);
    };
    const eventsOf = (stored: readonly StoredRunEvent[]): readonly RunEvent[] =>
      stored.map(({ event }) => {
        const known = asRunEvent(event);
        if (known === null) throw new Error(`The contract has no such event: ${JSON.stringify(event)}`);
        return known;
      });
    const custom = <Name extends string>(events: readonly RunEvent[], name: Name) =>
      events.filter(
        (event): event is Extract<RunEvent, { type: "CUSTOM"; name: Name }> =>
          event.type === "CUSTOM" && event.name === name,
      );
    const tableOf = (events: readonly RunEvent[]): AttemptsEvent["value"] => {
      const last = custom(events, ATTEMPTS_EVENT).at(-1);
      if (last === undefined) throw new Error("The stream has no attempts.");
      return last.value;
    };
    const replyOf = (events: readonly RunEvent[]) =>
      events.map((event) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : "")).join("");
    const isNotice =
      (text: string) =>
      ({ event }: StoredRunEvent) => {
        const known = asRunEvent(event);
        return known?.type === "CUSTOM" && known.name === "notice" && known.value.text.includes(text);
      };

    it("takes the one that passes; one that lies is named, and one that hangs is cancelled", async () => {
      await start({
        "model-a": lies("liar"),
        "model-b": passes("winner"),
        "model-c": [[say("I begin"), wait(new Promise(() => {}))]],
      });
      const runId = await submit({
        best_of: 3,
        best_of_models: ["model-a", "model-b", "model-c"],
        max_cost_usd: 1,
      });
      await job.readUntil(runId, isNotice("Attempt 1 of 3 has ended"));
      await job.readUntil(runId, isNotice("Attempt 2 of 3 has ended"));
      fixture.clock.advance(61_000);
      const events = eventsOf(await job.follow(runId));
      expect(tableOf(events)).toMatchObject({
        judge: null,
        attempts: [
          {
            model: "model-a",
            state: "completed",
            claims_passed: true,
            checks: { state: "failed", results: [{ command: "sh test.sh", exit_code: 1 }] },
            is_chosen: false,
            outcome: "claimed_checks_passed",
          },
          {
            model: "model-b",
            state: "completed",
            checks: { state: "passed", results: [{ command: "sh test.sh", exit_code: 0 }] },
            is_chosen: true,
            outcome: "only_one_left",
          },
          { model: "model-c", state: "cancelled", checks: null, is_chosen: false, outcome: "too_late" },
        ],
      });
      expect(replyOf(events)).toBe("The reply of winner.");
      const [changes] = custom(events, "repository.changes");
      expect(changes?.value.files.map(({ path }) => path)).toEqual(["src/a.js"]);
      expect(changes?.value.patch).toContain("// winner");
      expect(custom(events, "checks").map(({ value }) => value.state)).toEqual(["passed"]);

      const [parent, ...children] = await runs();
      expect(parent).toMatchObject({ id: runId, status: "completed", stop_reason: "end_turn" });
      expect(children.map(({ status }) => status).toSorted()).toEqual([
        "cancelled",
        "completed",
        "completed",
      ]);
      const budgets = children.map((child) => ("budget" in child ? child.budget : undefined));
      const most = budgets.reduce((sum, budget) => sum + (budget?.max_cost_micro_usd ?? 0), 0);
      expect(most).toBeLessThanOrEqual(1_000_000);
      const spent = budgets.reduce((sum, budget) => sum + (budget?.cost_micro_usd ?? 0), 0);
      expect(parent).toMatchObject({ budget: { cost_micro_usd: spent, max_cost_micro_usd: 1_000_000 } });
      expect(model.requests.filter(({ model: id }) => id === JUDGE)).toEqual([]);
    });

    it("is cancelled with all its attempts", async () => {
      await start({ [JUDGE]: [[say("I begin"), wait(new Promise(() => {}))]] });
      const runId = await submit({ best_of: 2 });
      await model.arrival(2);
      expect((await job.cancel(runId)).status).toBe(202);
      await job.follow(runId);
      for (const { id, status } of await runs())
        expect([id, (await job.ended(id)).status, status]).toEqual([id, "cancelled", expect.any(String)]);
      expect(await runs()).toHaveLength(3);
    });

    // The rest has no SQL of its own, and is the same on every store.
    if (store !== sqliteStore) return;

    it("asks a judge among those that pass, which sees no models and no numbers", async () => {
      await start({
        "model-a": passes("first"),
        "model-b": passes("second"),
        "model-c": fails("third"),
        [JUDGE]: [choose("// second")],
      });
      const runId = await submit({ best_of_models: ["model-a", "model-b", "model-c"] });
      const events = eventsOf(await job.follow(runId));
      const table = tableOf(events);
      expect(table.attempts.map(({ outcome }) => outcome)).toEqual([
        "not_chosen",
        "chosen_by_judge",
        "checks_failed",
      ]);
      expect(table.judge).toMatchObject({ reason: "It reads best.", cost_usd: expect.any(Number) });
      expect(replyOf(events)).toBe("The reply of second.");

      const judged = model.requests.filter(({ model: id }) => id === JUDGE);
      expect(judged).toHaveLength(1);
      expect(judged[0]?.tools).toEqual([]);
      const told = judged[0]?.firstUserMessage ?? "";
      expect(told).toContain(TASK);
      expect(told).toContain("// first");
      expect(told).toContain("sh test.sh: exit code 0");
      expect(told).not.toContain("// third");
      for (const hidden of ["model-a", "model-b", "model-c", "The reply of"])
        expect(JSON.stringify(judged[0]?.body)).not.toContain(hidden);
      const [parent, ...children] = await runs();
      const costs = children.map((child) => ("budget" in child ? child.budget?.cost_micro_usd : 0) ?? 0);
      expect(children).toHaveLength(4);
      expect(parent).toMatchObject({
        budget: { cost_micro_usd: costs.reduce((sum, cost) => sum + cost, 0), max_tokens: 1_000_000 },
      });
    });

    it("says that none passes, and has the judge choose among those that do not lie", async () => {
      await start({
        "model-a": fails("first"),
        "model-b": fails("second"),
        "model-c": lies("third"),
        [JUDGE]: [choose("// first")],
      });
      const runId = await submit({ best_of_models: ["model-a", "model-b", "model-c"] });
      const events = eventsOf(await job.follow(runId));
      expect(tableOf(events).attempts.map(({ outcome }) => outcome)).toEqual([
        "chosen_by_judge",
        "checks_failed",
        "claimed_checks_passed",
      ]);
      expect(custom(events, "checks").map(({ value }) => value.state)).toEqual(["failed"]);
      const judged = model.requests.find(({ model: id }) => id === JUDGE)?.firstUserMessage ?? "";
      expect(judged).not.toContain("// third");
    });

    it("takes the fewest changed lines where the judge gives no answer", async () => {
      const longer = passes("first\n// and one line more");
      await start({
        "model-a": longer,
        "model-b": passes("second"),
        [JUDGE]: [say("I like both."), say("Still both.")],
      });
      const events = eventsOf(await job.follow(await submit({ best_of_models: ["model-a", "model-b"] })));
      const table = tableOf(events);
      expect(table.attempts.map(({ outcome }) => outcome)).toEqual(["not_chosen", "fewest_changes"]);
      expect(table.judge).toMatchObject({ reason: null });
    });

    it("fails where no attempt ends with a result, and says why of each", async () => {
      await start({});
      const runId = await submit({ best_of: 2 });
      const events = eventsOf(await job.follow(runId));
      expect(events.at(-1)).toMatchObject({
        type: "RUN_ERROR",
        message: expect.stringContaining("Attempt 2: It failed: backend_error."),
      });
    });

    it("begins none where the limit of cost pays for none", async () => {
      await start({});
      const runId = await submit({ best_of: 5, max_cost_usd: 0.02 });
      const events = eventsOf(await job.follow(runId));
      expect(tableOf(events).attempts.map(({ state }) => state)).toEqual(Array(5).fill("not_started"));
      expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR" });
      expect(await runs()).toHaveLength(1);
    });

    it.each([
      [{ best_of: 6 }, 400, "best_of"],
      [{ best_of: 2, best_of_models: ["model-a", "model-b", "model-c"] }, 400, "each model needs one"],
      [{ best_of_models: ["model-x"] }, 400, "model-x"],
    ])("refuses %j", async (body, status, text) => {
      await start({});
      const answer = await job.submit({ message: TASK, ...body });
      expect(answer).toMatchObject({ status, text: expect.stringContaining(text) });
      expect(await runs()).toEqual([]);
    });
  });
});
