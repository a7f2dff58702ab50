// The validator of a review: it keeps a true finding and drops a false one, and knows nothing of how the reviewer came to them.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../../../fakes/model-server/request.ts";
import { everyTime, type Script } from "../../../../../fakes/model-server/script.ts";
import { answer, call, fault, type Step, say } from "../../../../../fakes/model-server/turn.ts";
import { reviewSchema } from "../../../../../src/job/findings/findings-schema.ts";
import type { ModelSettings } from "../../../../../src/service/executor/backends/model/model-settings.ts";
import { UsageMeter } from "../../../../../src/service/executor/usage-meter.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { expectWhole, ModelFixture, providers, ratesOf } from "./model-fixture.ts";

const REASONING = "I walked through the callers, and therefore";
const SUMMARY = "The verdict of the reviewer.";
const planted = {
  path: "sum.ts",
  line: 2,
  severity: "error",
  title: "The sum subtracts",
  claim: "sum(1, 1) gives 0.",
  body: `${REASONING} it must add.`,
};
const wrong = { ...planted, line: 1, title: "The name is missing", claim: "The function has no name." };
const files = { "sum.ts": "export function sum(a: number, b: number) {\n  return a - b;\n}\n" };
const usage = { input: 100, output: 10 };
const models = { executor: "worker", advisor: null, reviewer: "elder" };
const price = { inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 2_000 };
const rates = ratesOf({ id: "worker", ...price }, { id: "elder", ...price });

const isAbout = ({ firstUserMessage }: ModelRequest, { title }: { title: string }) =>
  firstUserMessage.includes(`"title":"${title}"`);

/** Confirms what is true, by a look at the code. */
const honest: Script = (opening) => {
  if (!opening.firstUserMessage.includes("<claim>")) return undefined;
  const verdict = isAbout(opening, planted) ? "confirmed" : "not_confirmed";
  return everyTime(({ assistantTurns }) =>
    assistantTurns === 0
      ? answer([call("read_file", { path: "sum.ts" })], { usage })
      : answer([say(JSON.stringify({ verdict, reason: "Line 1 names it." }))], { usage }),
  )();
};

describe.each(providers)("the validator of a review, by %s", (provider) => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;
  let meter: UsageMeter;

  beforeEach(() => {
    recorder = new TaskRecorder();
    meter = new UsageMeter({ holdMicroUsd: 10_000_000, raiseHold: async () => false });
  });
  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });

  const start = async (validator: Script, settings: Partial<ModelSettings> = {}) => {
    const reply: Step = say(JSON.stringify({ summary: SUMMARY, findings: [planted, wrong] }));
    const reviewer = [call("list_files"), reply];
    const script: Script = (opening) => {
      if (!opening.firstUserMessage.includes("<claim>")) return reviewer;
      return typeof validator === "function" ? validator(opening) : validator;
    };
    fixture = await ModelFixture.start({ provider, files, script, settings: { models, rates, ...settings } });
    await fixture.run({ outputSchema: reviewSchema([]), meter }, recorder);
  };
  const customs = (name: string) =>
    recorder.events.flatMap((event) => (event.type === "CUSTOM" && event.name === name ? [event.value] : []));
  const found = () => (customs("output")[0] as { findings: { title: string }[] }).findings;
  const notices = () => customs("notice").map((value) => (value as { text: string }).text);
  const looks = () =>
    fixture.server.requests.filter(({ firstUserMessage }) => firstUserMessage.includes("<claim>"));

  it("keeps a planted true finding, drops a planted false one, and is blind", async () => {
    await start(honest);
    expect(found().map(({ title }) => title)).toEqual([planted.title]);
    expect(notices()).toEqual([
      'The validator did not confirm "The name is missing" at sum.ts:1: Line 1 names it.',
      "The validator checked the findings of this review: 1 confirmed, 1 dropped.",
    ]);
    const [first] = looks();
    expect(first?.firstUserMessage).toContain(
      '{"path":"sum.ts","start_line":2,"line":2,"severity":"error","title":"The sum subtracts","claim":"sum(1, 1) gives 0."}',
    );
    expect(first?.firstUserMessage).toContain("return a - b;");
    expect(looks()).toHaveLength(4);
    for (const request of looks()) {
      expect(request.model).toBe("elder");
      const sent = JSON.stringify(request.body);
      for (const unseen of [REASONING, SUMMARY, "Hello", "list_files_result", planted.body])
        expect(sent).not.toContain(unseen);
      const names = request.tools.map(({ name }) => name);
      expect(names).toContain("read_file");
      for (const acting of ["write_file", "edit_file", "run_command", "delegate"])
        expect(names).not.toContain(acting);
    }
    // The run's own budget.
    expect(meter.usage.roles.reviewer).toMatchObject({ calls: 4, tokens: 440 });
  });

  it("asks the agent's own model where there is no reviewer", async () => {
    await start(honest, { models: { ...models, reviewer: null } });
    expect(new Set(looks().map(({ model }) => model))).toEqual(new Set(["worker"]));
    expect(found()).toHaveLength(1);
  });

  it.each<[string, Script]>([
    ["fails", everyTime(() => fault({ status: 400, message: "no" }))],
    ["gives no verdict", everyTime(() => say("Who knows."))],
  ])("drops nothing where it %s, and says so", async (_, validator) => {
    await start(validator);
    expect(found()).toHaveLength(2);
    expect(notices()).toEqual([
      "The validator checked the findings of this review: 0 confirmed, 0 dropped, 2 not checked and kept.",
    ]);
  });

  it("does not tell the agent of it, and has an end where a model only calls tools", async () => {
    await start(everyTime(() => call("read_file", { path: "sum.ts" })));
    expect(found()).toHaveLength(2);
    expect(looks()).toHaveLength(6);
    expect(fixture.server.systemPrompt()).not.toContain("x-validate");
  });

  it("answers a call of a tool that it has not, tells of a repeated one, and ends one that is stuck", async () => {
    const again = () => call("read_file", { path: "sum.ts" });
    const three = () => [again(), again(), again()];
    await start(
      everyTime(({ assistantTurns }) => {
        if (assistantTurns === 0) return [call("write_file", { path: "sum.ts", content: "" })];
        if (assistantTurns <= 2) return three();
        return say(JSON.stringify({ verdict: "confirmed", reason: "" }));
      }),
    );
    expect(found()).toHaveLength(2);
    const sent = looks()
      .slice(0, 4)
      .map(({ body }) => JSON.stringify(body));
    expect(looks()).toHaveLength(8);
    expect(sent[1]).toContain("there is no tool named write_file. The tools are: ");
    expect(sent[2]).toContain("You made this same call 3 times in a row");
    expect(sent[3]).toContain("No tool is called any more.");
  });
});
