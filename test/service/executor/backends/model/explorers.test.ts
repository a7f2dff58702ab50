// The explorers of a run: they read side by side, by a cheaper model where one is set, and are paid by the run's one budget.

import { afterEach, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../../../fakes/model-server/request.ts";
import type { Script } from "../../../../../fakes/model-server/script.ts";
import { answer, call, fault, type Step, say, wait } from "../../../../../fakes/model-server/turn.ts";
import { MAX_EXPLORERS } from "../../../../../src/service/executor/backends/model/explorers.ts";
import type { ModelSettings } from "../../../../../src/service/executor/backends/model/model-settings.ts";
import { readingToolbox, type Toolbox } from "../../../../../src/service/executor/backends/model/toolbox.ts";
import { RunBudget } from "../../../../../src/service/executor/run-budget.ts";
import { exploreTool } from "../../../../../src/service/executor/tools/explore.ts";
import { writeFile } from "../../../../../src/service/executor/tools/write-file.ts";
import { UsageMeter } from "../../../../../src/service/executor/usage-meter.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { expectWhole, ModelFixture, type providers, ratesOf } from "./model-fixture.ts";

const rates = ratesOf(
  { id: "worker", inNanoUsdPerToken: 10_000, outNanoUsdPerToken: 50_000 },
  { id: "scout", inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 2_000 },
);
const usage = { input: 1_000, output: 10 };
const toolbox: Toolbox = (context) => [...readingToolbox(context), writeFile, exploreTool(context.explore)];

let fixture: ModelFixture;
afterEach(() => fixture.close());

type Play = {
  /** Of the run itself, whose first message is "Hello". */
  readonly worker: readonly Step[];
  /** By the question. */
  readonly explorers: Readonly<Record<string, readonly Step[]>>;
  readonly settings?: Partial<ModelSettings>;
  readonly provider?: (typeof providers)[number];
  readonly budget?: RunBudget;
};

async function play({ worker, explorers, settings = {}, provider = "anthropic", budget }: Play) {
  const script: Script = ({ firstUserMessage }) => explorers[firstUserMessage] ?? worker;
  fixture = await ModelFixture.start({
    provider,
    script,
    files: { "src/a.ts": "export const a = 1;\n", "src/b.ts": "export const b = 2;\n" },
    settings: {
      models: { executor: "worker", explorer: "scout", advisor: null, reviewer: null },
      rates,
      toolbox,
      ...settings,
    },
  });
  const recorder = new TaskRecorder();
  const meter = new UsageMeter({
    holdMicroUsd: 10_000_000,
    raiseHold: async () => false,
    ...(budget === undefined ? {} : { budget }),
  });
  const outcome = await fixture.run({ meter }, recorder);
  await expectWhole(recorder);
  const asked = (question: string) =>
    fixture.server.requests.filter(({ firstUserMessage }) => firstUserMessage === question);
  return { outcome, recorder, meter, asked };
}

const explore = (...questions: readonly string[]) =>
  answer(
    questions.map((question) => call("explore", { question })),
    { usage },
  );
const read = (path: string) => answer([call("read_file", { path })], { usage });
const ended = (text: string) => answer([say(text)], { usage });
const toolNames = ({ tools }: ModelRequest) => tools.map(({ name }) => name);

describe("explorers", () => {
  it("read with tools that only read, in the same files, and answer with nothing else of what they saw", async () => {
    const { outcome, asked, recorder } = await play({
      worker: [
        answer([call("write_file", { path: "src/c.ts", content: "export const c = 3;\n" })], { usage }),
        explore("Where is c?"),
        (request) => ended(`It says: ${request.toolResults.at(-1)?.text}`),
        ended("Not checked: nothing can be."),
      ],
      explorers: {
        "Where is c?": [
          read("src/c.ts"),
          answer([call("write_file", { path: "src/a.ts", content: "" })], { usage }),
          (request) => ended(`src/c.ts:1, and ${request.toolResults.at(-1)?.text.slice(0, 40)}`),
        ],
      },
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    const [first, second, third] = asked("Where is c?");
    expect([first?.model, first && toolNames(first)]).toEqual([
      "scout",
      readingToolbox({ checkout: fixture.checkout }).map(({ name }) => name),
    ]);
    expect(second?.toolResults[0]?.text).toContain("export const c = 3;");
    expect(third?.toolResults[1]?.text).toContain("there is no tool named write_file");
    expect(recorder.text()).toContain("It says: src/c.ts:1, and error: there is no tool named write_file");
    const names = recorder.events.flatMap((event) =>
      event.type === "TOOL_CALL_START" ? [event.toolCallName] : [],
    );
    expect(names).toEqual(["write_file", "explore"]);
  });

  it(`work side by side, ${MAX_EXPLORERS} at once, and more of them later`, async () => {
    const questions = Array.from({ length: MAX_EXPLORERS + 2 }, (_, at) => `Question ${at}?`);
    let atWork = 0;
    let most = 0;
    const full = Promise.withResolvers<void>();
    const step: Step = async () => {
      atWork += 1;
      most = Math.max(most, atWork);
      if (atWork === MAX_EXPLORERS) full.resolve();
      await full.promise;
      atWork -= 1;
      return ended("Seen.");
    };
    const { meter, asked } = await play({
      worker: [explore(...questions), ended("Done.")],
      explorers: Object.fromEntries(questions.map((question) => [question, [step]])),
    });
    expect(most).toBe(MAX_EXPLORERS);
    expect(questions.map((question) => asked(question).length)).toEqual(questions.map(() => 1));
    const last = asked("Hello").at(-1);
    expect(last?.toolResults.map(({ text }) => text)).toEqual(questions.map(() => "Seen."));
    expect(meter.usage.models).toEqual([
      expect.objectContaining({ model: "worker", calls: 2, inputTokens: 2_000 }),
      expect.objectContaining({ model: "scout", calls: 6, inputTokens: 6_000, outputTokens: 60 }),
    ]);
    expect(meter.usage.models?.[1]?.costMicroUsd).toBe(6_000 + 120);
  });

  it("are answered by the run's own model where no other is set, or none that can be paid for", async () => {
    for (const explorer of [null, "without-a-price"]) {
      const { asked } = await play({
        budget: new RunBudget({ maxTokens: 0, maxCostMicroUsd: 5_000_000 }),
        worker: [explore("Where?"), ended("Done.")],
        explorers: { "Where?": [ended("Here.")] },
        settings: { models: { executor: "worker", explorer, advisor: null, reviewer: null } },
      });
      expect(asked("Where?").map(({ model }) => model)).toEqual(["worker"]);
      await fixture.close();
    }
  });

  it("draw on the run's budget, and leave it enough to end", async () => {
    const budget = new RunBudget({ maxTokens: 30_000, maxCostMicroUsd: null });
    const large = (tool: string) => answer([call(tool)], { usage: { input: 12_000, output: 10 } });
    const { outcome, asked, meter } = await play({
      budget,
      worker: [explore("Where?"), ended("Done.")],
      explorers: { "Where?": [large("list_files"), large("git_log"), ended("Never.")] },
    });
    expect(outcome.stopReason).toBe("end_turn");
    expect(asked("Hello").at(-1)?.toolResults[0]?.text).toBe(
      "error: Too little of the run's tokens is left for another agent: read for yourself.",
    );
    expect(asked("Where?").length).toBeLessThan(3);
    expect(meter.budget.spent.tokens).toBeLessThan(30_000);
  });

  it("fail alone: the run goes on with the reason", async () => {
    const { outcome, asked } = await play({
      worker: [explore("Where?", "Who?"), ended("Done.")],
      explorers: { "Where?": [fault({ status: 400 })], "Who?": [ended("He.")] },
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    const results = asked("Hello").at(-1)?.toolResults ?? [];
    expect(results[0]?.text).toContain(
      "error: The question cannot be answered by another agent: read for yourself. ",
    );
    expect(results[1]?.text).toBe("He.");
  });

  it("end in an answer though they would read for ever", async () => {
    let turns = 0;
    const forEver: Step = (request) => {
      turns += 1;
      return request.lastUserMessage.includes("This is your last answer")
        ? ended("So far.")
        : read(turns % 2 === 0 ? "src/a.ts" : "src/b.ts");
    };
    const { asked } = await play({
      worker: [explore("Where?"), ended("Done.")],
      explorers: { "Where?": Array.from({ length: 40 }, () => forEver) },
    });
    expect(turns).toBe(20);
    expect(asked("Hello").at(-1)?.toolResults[0]?.text).toBe("So far.");
  });

  it("end with a run that is cancelled", async () => {
    const recorder = new TaskRecorder();
    fixture = await ModelFixture.start({
      script: ({ firstUserMessage }) =>
        firstUserMessage === "Where?"
          ? [
              () => {
                recorder.controller.abort(new Error("cancelled"));
                return [wait(new Promise(() => {}))];
              },
            ]
          : [call("explore", { question: "Where?" })],
      settings: { toolbox },
    });
    await expect(fixture.run({}, recorder)).rejects.toThrow("cancelled");
  });
});
