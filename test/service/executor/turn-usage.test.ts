// What the stream of a run tells of the tokens of its turns: each turn once, with all that was asked in it.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../../fakes/model-server/request.ts";
import { everyTime } from "../../../fakes/model-server/script.ts";
import { answer, call, fault, type Part, type Step, say } from "../../../fakes/model-server/turn.ts";
import { systemRandom } from "../../../src/base/ids.ts";
import { type TurnUsage, turnUsageOf } from "../../../src/contract/runs/turn-usage.ts";
import { modelBackend } from "../../../src/service/executor/backends/model/model-backend.ts";
import { readingToolbox } from "../../../src/service/executor/backends/model/toolbox.ts";
import { askAdvisorTool } from "../../../src/service/executor/tools/ask-advisor.ts";
import { exploreTool } from "../../../src/service/executor/tools/explore.ts";
import type { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { expectValidStream } from "../../support/service-streams.ts";
import { sqliteStore } from "../../support/stores/stores.ts";
import { CheckoutFixture } from "../checkouts/checkout-fixture.ts";
import { API_KEY, HastyClock, ratesOf } from "./backends/model/model-fixture.ts";

const prices = { inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 2_000 };
const rates = ratesOf(...["worker", "scout", "sage"].map((id) => ({ id, ...prices })));
const WINDOW = 50_000;

const used = (part: Part | readonly Part[], input: number, cacheRead: number) =>
  answer([part].flat(), { usage: { input, output: 10, cacheRead } });

describe("the tokens of a run's turns", () => {
  let checkouts: CheckoutFixture;
  let server: ModelServer;
  let fixture: CoreFixture;
  let step: (request: ModelRequest) => Step;

  beforeEach(async () => {
    checkouts = await CheckoutFixture.make();
    server = await startModelServer({ script: everyTime((request) => step(request)), apiKey: API_KEY });
    const backend = modelBackend({
      provider: "anthropic",
      baseUrl: server.baseUrl,
      apiKey: API_KEY,
      access: null,
      models: { executor: "worker", explorer: "scout", advisor: "sage", reviewer: null },
      rates,
      toolbox: (context) => [
        ...readingToolbox(context),
        exploreTool(context.explore),
        ...(context.askAdvisor === null ? [] : [askAdvisorTool(context.askAdvisor)]),
      ],
      clock: new HastyClock(),
      random: systemRandom,
      contextTokens: WINDOW,
    });
    const provider = checkouts.provider();
    const sha = checkouts.repository.commit({ files: { "README.md": "# Hello\n" } });
    fixture = await startFixture({
      level: "core",
      store: sqliteStore,
      backend,
      rates,
      freeCredits: 100_000,
      keepsJournals: true,
      checkouts: { ...provider, open: (_, signal) => provider.open(checkouts.source(sha), signal) },
    });
    fixture.executor.start();
  });

  afterEach(async () => {
    await expectSoundLedger(fixture.place);
    await fixture.close();
    await server.close();
    await checkouts.close();
  });

  const play = async () => {
    const runId = await fixture.submit();
    const run = await fixture.ended(runId);
    const events = await expectValidStream(await fixture.stream(runId));
    return { run, events, turns: events.flatMap((event) => turnUsageOf(event) ?? []) };
  };
  const own = (turn: number, [uncached, cached]: readonly [number, number]): TurnUsage => ({
    turn,
    role: "executor",
    model: "worker",
    requests: 1,
    uncached_input_tokens: uncached,
    cached_input_tokens: cached,
    output_tokens: 10,
    context_tokens: uncached + cached + 10,
    context_window: WINDOW,
  });

  it("are those that each request took, and sum up to the run's", async () => {
    step = ({ assistantTurns: turn }) =>
      used(turn < 2 ? call("list_files", { limit: 1 + turn }) : say("Done."), 1_000 * (turn + 1), 900 * turn);
    const { run, events, turns } = await play();
    expect(run).toMatchObject({ status: "completed", stopReason: "end_turn" });
    expect(turns).toEqual([own(1, [1_000, 0]), own(2, [1_100, 900]), own(3, [1_200, 1_800])]);
    const sum = (field: "uncached_input_tokens" | "cached_input_tokens" | "output_tokens") =>
      turns.reduce((all, turn) => all + turn[field], 0);
    expect(run.usage?.models).toMatchObject([
      {
        inputTokens: sum("uncached_input_tokens") + sum("cached_input_tokens"),
        cachedInputTokens: sum("cached_input_tokens"),
        outputTokens: sum("output_tokens"),
      },
    ]);
    // A turn is told once it is over: before what the next one says, and the last one before the end.
    const at = events.flatMap((event, index) => (turnUsageOf(event) === null ? [] : [index]));
    expect(
      at.map((index) => events.slice(0, index).filter(({ type }) => type === "TOOL_CALL_RESULT").length),
    ).toEqual([1, 2, 2]);
    expect(at.at(-1)).toBeLessThan(events.length - 1);
  });

  it("tell apart who was asked: the agent, its explorers and its advisor", async () => {
    step = ({ firstUserMessage, messages, assistantTurns: turn }) => {
      if (firstUserMessage === "Where is it?") return used(say("In README.md."), 300, 0);
      if (JSON.stringify(messages[0]).includes("Question: ")) return used(say("Do it."), 200, 0);
      if (turn > 0) return used(say("Done."), 1_500, 0);
      return used(
        [call("explore", { question: "Where is it?" }), call("ask_advisor", { question: "How?" })],
        1_000,
        0,
      );
    };
    const { turns } = await play();
    expect(turns.map(({ turn, role, model }) => [turn, role, model]).toSorted()).toEqual([
      [1, "advisor", "sage"],
      [1, "executor", "worker"],
      [1, "explorer", "scout"],
      [2, "executor", "worker"],
    ]);
  });

  it("are told of the turn that the run failed in, too, with what was counted of it", async () => {
    step = ({ assistantTurns: turn }) =>
      turn === 0
        ? used(call("list_files", { limit: 1 }), 1_000, 0)
        : fault({ status: 400, message: "It is broken." });
    const { run, turns } = await play();
    expect(run.status).toBe("failed");
    expect(turns).toEqual([own(1, [1_000, 0])]);
  });

  it("are those of every request of a turn whose answer was cut", async () => {
    let asked = 0;
    step = () => {
      asked += 1;
      const cut = { type: "events", count: 4 } as const;
      return asked === 1
        ? answer([say("It is"), say(" so, and more of it.")], { usage: { input: 1_000, output: 10 }, cut })
        : used(say(" so."), 1_100, 0);
    };
    const { run, turns } = await play();
    expect(run.status).toBe("completed");
    expect(turns).toMatchObject([{ turn: 1, role: "executor", requests: 2 }]);
  });
});
