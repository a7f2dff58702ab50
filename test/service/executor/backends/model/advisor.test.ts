// The models beside the agent's own: the advisor that it may ask, and the reviewer that looks at what it changed.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { everyTime, type Script } from "../../../../../fakes/model-server/script.ts";
import { answer, call, fault, say } from "../../../../../fakes/model-server/turn.ts";
import type { ModelSettings } from "../../../../../src/service/executor/backends/model/model-settings.ts";
import { readingToolbox, type Toolbox } from "../../../../../src/service/executor/backends/model/toolbox.ts";
import { askAdvisorTool } from "../../../../../src/service/executor/tools/ask-advisor.ts";
import { writeFile } from "../../../../../src/service/executor/tools/write-file.ts";
import { UsageMeter } from "../../../../../src/service/executor/usage-meter.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { expectWhole, ModelFixture, providers, ratesOf } from "./model-fixture.ts";

const rates = ratesOf(
  { id: "worker", inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 2_000 },
  { id: "elder", inNanoUsdPerToken: 10_000, outNanoUsdPerToken: 50_000 },
);

const toolbox: Toolbox = (context) => {
  const { askAdvisor } = context;
  return [
    ...readingToolbox(context),
    writeFile,
    ...(askAdvisor === null ? [] : [askAdvisorTool(askAdvisor)]),
  ];
};

describe.each(providers)("the models beside the agent's own, by %s", (provider) => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;
  let meter: UsageMeter;

  beforeEach(() => {
    recorder = new TaskRecorder();
    meter = new UsageMeter({ holdMicroUsd: 10_000_000, raiseHold: async () => false });
  });

  const changes = { baseSha: "0".repeat(40), patch: "+x", heldBack: [] };
  const files = [{ path: "note.txt", status: "added" as const, additions: 1, deletions: 0 }];

  const start = async (scripts: Record<string, Script>, settings: Partial<ModelSettings> = {}) => {
    const models = { executor: "worker", advisor: "elder", reviewer: null };
    fixture = await ModelFixture.start({
      provider,
      checkout: { workingChanges: async () => ({ ...changes, files }) },
      script: (opening) => {
        const script = scripts[opening.model];
        return typeof script === "function" ? script(opening) : script;
      },
      settings: { models, rates, toolbox, ...settings },
    });
  };

  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });

  const usage = { input: 100, output: 10 };
  const asks = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      answer([call("ask_advisor", { question: `Question ${at}?` })], { usage }),
    );

  it("answer a question with what was said so far, counted apart", async () => {
    await start({
      worker: [...asks(1), ({ toolResults }) => answer([say(`He says: ${toolResults[0]?.text}`)], { usage })],
      elder: [
        ({ lastUserMessage }) =>
          answer([say(lastUserMessage.includes("Hello") ? "Yes." : "What?")], { usage }),
      ],
    });
    await fixture.run({ meter }, recorder);
    expect(recorder.text()).toBe("He says: Yes.");
    const question = fixture.server.requests[1];
    expect(question).toMatchObject({ model: "elder" });
    // An empty list of tools is refused by those who want none.
    expect(question?.body).not.toHaveProperty("tools");
    expect(question?.lastUserMessage).toContain("Question 0?");
    expect(meter.usage).toEqual({
      roles: {
        executor: { tokens: 220, calls: 2, microUsd: 240 },
        advisor: { tokens: 110, calls: 1, microUsd: 1_500 },
      },
      models: [
        {
          model: "worker",
          calls: 2,
          inputTokens: 200,
          cachedInputTokens: 0,
          outputTokens: 20,
          costMicroUsd: 240,
        },
        {
          model: "elder",
          calls: 1,
          inputTokens: 100,
          cachedInputTokens: 0,
          outputTokens: 10,
          costMicroUsd: 1_500,
        },
      ],
      advisor: { callsAllowed: 5, spendCapMicroUsd: null },
    });
  });

  it("are sent the end of a long conversation and the whole question, and are to answer shortly", async () => {
    const long = (at: number) => `${at} ${"long ".repeat(600)}`;
    const turns = [0, 1, 2, 3, 4].map((at) =>
      answer([say(`Text ${long(at)}`), call("ask_advisor", { question: `Question ${long(at)}` })], { usage }),
    );
    const elder = everyTime(() => answer([say(long(9))], { usage }));
    await start({ worker: [...turns, say("Done.")], elder });
    await fixture.run({ meter }, recorder);
    const sent = fixture.server.requests.filter(({ model }) => model === "elder").at(-1);
    const [told = "", asked] = (sent?.lastUserMessage ?? "").split("\n</conversation>\n\nQuestion: ");
    expect(asked).toBe(`Question ${long(4)}`);
    expect(told).toContain("[earlier parts left out]\n");
    expect(told).not.toContain("Text 0");
    expect(told).toContain("Text 4");
    expect(told.length).toBeGreaterThan(20_000);
    expect(told.length).toBeLessThan(24_100);
    expect(JSON.stringify(sent?.body)).toMatch(/"max\w*[tT]okens":4000\b/);
  });

  it("are not offered where the owner lets the advisor spend nothing, or the operator names none", async () => {
    await start({ worker: [say("Alone."), say("Alone again.")] });
    await fixture.run({ meter, advisorMaxSpendMicroUsd: 0 }, recorder);
    const models = { executor: "worker", advisor: null, reviewer: null };
    await fixture.run({ meter }, recorder, { models });
    for (const { tools } of fixture.server.requests)
      expect(tools.map(({ name }) => name)).not.toContain("ask_advisor");
    expect(meter.usage.advisor).toBeNull();
  });

  it("are asked no more than so many times, and not beyond what they may spend", async () => {
    let count = 0;
    const elder = everyTime(() => answer([say(`Answer ${++count}.`)], { usage }));
    await start({ worker: [...asks(3), say("Done.")], elder }, { advisorCalls: 2 });
    await fixture.run({ meter }, recorder);
    const texts = fixture.server.toolResults().map(({ text }) => text);
    expect(texts).toEqual(["Answer 1.", "Answer 2.", expect.stringContaining("2 times")]);
    await fixture.close();

    await start({ worker: [...asks(2), say("Done.")], elder });
    const capped = new UsageMeter({ holdMicroUsd: 10_000_000, raiseHold: async () => false });
    await fixture.run({ meter: capped, advisorMaxSpendMicroUsd: 32_000 }, recorder);
    expect(fixture.server.requests.filter(({ model }) => model === "elder").length).toBeLessThanOrEqual(2);
    expect(capped.usage.roles.advisor?.microUsd).toBeLessThanOrEqual(32_000);
    await fixture.close();

    await start({ worker: [...asks(1), say("Done.")] });
    await fixture.run({ meter, advisorMaxSpendMicroUsd: 1_000 }, recorder);
    expect(fixture.server.requests.filter(({ model }) => model === "elder")).toEqual([]);
    expect(fixture.server.toolResults()[0]?.text).toContain("may not spend more");
  });

  it("that fail do not fail the run", async () => {
    await start({ worker: [...asks(1), say("Without.")], elder: [fault({ status: 400, message: "no" })] });
    await fixture.run({ meter }, recorder);
    expect(recorder.text()).toBe("Without.");
    expect(fixture.server.toolResults()[0]?.text).toContain("Go on without it");
  });

  it("review what was changed, once, and the agent answers to that", async () => {
    const models = { executor: "worker", advisor: null, reviewer: "elder" };
    const write = answer([call("write_file", { path: "note.txt", content: "x" })], { usage });
    await start(
      {
        worker: [
          write,
          say("Noted it."),
          ({ lastUserMessage }) => say(lastUserMessage.includes("Y") ? "Right." : "?"),
        ],
        elder: [answer([say("It should say Y.")], { usage })],
      },
      { models },
    );
    expect(await fixture.run({ meter }, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("Noted it.Right.");
    expect(fixture.server.requests.map(({ model }) => model)).toEqual([
      "worker",
      "worker",
      "elder",
      "worker",
    ]);
    expect(fixture.server.requests[2]?.lastUserMessage).toContain("<patch>\n+x\n</patch>");
    expect(meter.usage.roles.reviewer).toEqual({ tokens: 110, calls: 1, microUsd: 1_500 });
    await fixture.close();

    await start({ worker: [call("list_files"), say("Looked.")] }, { models });
    await fixture.run({ meter }, recorder);
    expect(fixture.server.requests).toHaveLength(2);
  });
});
