// Runs that were cut at a bound, or that no model worked on: no success, nothing is pushed, and the step says what to do.

import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn, everyTime, type Script } from "../../fakes/model-server/script.ts";
import { answer, call, type Part, say, stall } from "../../fakes/model-server/turn.ts";
import type { ActionResult } from "../../fakes/runner/run-action.ts";
import type { Rates } from "../../src/service/core/money/rates.ts";
import { type Config, readConfig } from "../../src/service/settings/config.ts";
import { ratesOf } from "../service/executor/backends/model/model-fixture.ts";
import { ManualClock } from "../support/clocks/manual-clock.ts";
import { EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";
import type { ScenarioFixture, StepResult } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";

const KEY = "sk-the-models-key-0123456789";
const TIME_LIMIT_MS = 60 * 60_000;
const rates = ratesOf({ id: "scripted-model", inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 5_000 });

const half = call("write_file", { path: "half.txt", content: "half done\n" });
/** Writes half of it, then what the case is about. */
const halfThen = (second: Part | ReturnType<typeof answer>): Script => byTurn([half, second]);
/** Writes half of it again and again, and is never done. */
const endless = everyTime(({ assistantTurns }) => {
  const content = `half done ${assistantTurns}\n`;
  return answer([call("write_file", { path: "half.txt", content })], {
    usage: { input: 4_000, output: 2_000 },
  });
});

type Cut = {
  readonly reason: string;
  readonly title: string;
  /** What the message tells to do. */
  readonly advice: RegExp;
  /** The same where a service parks the run. Not there: it ends there, too. */
  readonly parkedAdvice?: RegExp;
  readonly script: Script;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
  /** Default: one that has no price. */
  readonly model?: string;
};

const cuts: readonly (readonly [string, Cut])[] = [
  [
    "its limit of tokens",
    {
      reason: "max_tokens",
      title: "Stopped at the token limit",
      advice: /Raise "max-turn-tokens"/,
      parkedAdvice: /Execute "agent-service runs resume \S+ --max-turn-tokens 60000" or .+ until 20/,
      script: endless,
      inputs: { "max-turn-tokens": "30000" },
    },
  ],
  [
    "its limit of cost",
    {
      reason: "max_cost",
      title: "Stopped at the cost limit",
      advice: /Raise "max-cost"/,
      parkedAdvice: /Execute "agent-service runs resume \S+ --max-cost 0.8" or .+ until 20/,
      script: endless,
      inputs: { "max-cost": "0.40" },
      model: "claude-opus-5",
    },
  ],
  [
    "its limit of turns",
    {
      reason: "max_turns",
      title: "Stopped at the turn limit",
      advice: /MAX_TURNS/,
      parkedAdvice: /Execute "agent-service runs resume [^ "]+" or .+ until 20/,
      script: endless,
      settings: { MAX_TURNS: "2" },
    },
  ],
  [
    "the length of an answer",
    {
      reason: "length",
      title: "Stopped at the length limit of an answer",
      advice: /MODEL_MAX_OUTPUT_TOKENS/,
      script: everyTime(({ assistantTurns }) =>
        assistantTurns === 0 ? half : answer([say("It is half")], { stop: "length" }),
      ),
    },
  ],
  [
    "a content filter",
    {
      reason: "content_filter",
      title: "Stopped by a content filter",
      advice: /other words/,
      script: halfThen(answer([say("I")], { stop: "filter" })),
    },
  ],
  [
    "a content filter, without a word",
    {
      reason: "content_filter",
      title: "Stopped by a content filter",
      advice: /other words/,
      script: halfThen(answer([], { stop: "filter" })),
    },
  ],
];

let model: ModelServer | null = null;
let close = async () => {};
afterEach(async () => {
  await close();
  await model?.close();
  model = null;
  close = async () => {};
});

async function playModel(script: Script, name = "scripted-model"): Promise<Record<string, string>> {
  model = await startModelServer({ script, apiKey: KEY });
  return { MODEL: name, MODEL_BASE_URL: model.baseUrl, MODEL_API_KEY: KEY };
}

async function expectCut(
  step: ActionResult,
  { reason, title, advice }: Pick<Cut, "reason" | "title" | "advice">,
): Promise<void> {
  expect(step).toMatchObject({
    exitCode: 1,
    outputs: { conclusion: "incomplete", reason, branch: "", "commit-sha": "", "pull-request-url": "" },
  });
  const [annotation, ...others] = step.annotations;
  expect(others).toEqual([]);
  expect(annotation).toMatchObject({ level: "error", title });
  expect(annotation?.message).toMatch(advice);
  expect(annotation?.message).toContain('Nothing was pushed. The output "patch-file" has the changes.');
  expect(step.summary.split("\n")[0]).toBe(`## ⚠️ ${title}`);
  expect(step.log.trimEnd().split("\n")).toContain(`⚠️ ${title}`);
  expect(JSON.parse(step.outputs["changed-files"] ?? "")).toEqual(["half.txt"]);
  expect(await readFile(step.outputs["patch-file"] ?? "", "utf8")).toContain("+half done");
}

describe("against a service, a run that is cut at", () => {
  type Play = {
    readonly script: Script;
    readonly inputs?: Readonly<Record<string, string>>;
    readonly settings?: Readonly<Record<string, string>>;
    readonly model?: string;
    readonly config?: Partial<Config>;
    readonly clock?: ManualClock;
  };

  async function play({ script, inputs = {}, settings = {}, model: name, config = {}, clock }: Play) {
    const environment = { PATH: process.env.PATH, BACKEND: "model", SANDBOX: "off" };
    const read = readConfig({}, { ...environment, ...(await playModel(script, name)), ...settings });
    if (!read.ok) throw new Error(read.refusal.join("\n"));
    const { backend, model: modelConfig, sandbox } = read.value;
    const fixture = await startFixture({
      level: "scenario",
      config: { backend, model: modelConfig, sandbox, ...config },
      ...(clock === undefined ? {} : { clock }),
    });
    close = () => fixture.close();
    const pushes = fixture.codeHost.push.count;
    const job = await fixture.job();
    const step = await fixture.main(job, { inputs: { changes: "commit", prompt: "Do it.", ...inputs } });
    expect(fixture.codeHost.push.count).toBe(pushes);
    await expectSoundLedger(fixture.place);
    return { fixture, step };
  }

  it.each(cuts)("%s is incomplete, keeps its patch and pushes nothing", async (_, cut) => {
    const { step } = await play(cut);
    const { parkedAdvice } = cut;
    await expectCut(step, { ...cut, advice: parkedAdvice ?? cut.advice });
    // What a parked run has used is charged at its end.
    expect(step.outputs.credits).toBe(parkedAdvice === undefined ? "1" : "");
  });

  it("its time is incomplete, keeps its patch and pushes nothing", async () => {
    const clock = new ManualClock();
    const playing = play({ script: byTurn([half, stall()]), clock });
    await expect.poll(() => model !== null).toBe(true);
    await model?.arrival(2);
    clock.advance(TIME_LIMIT_MS);
    const { step } = await playing;
    await expectCut(step, {
      reason: "time_limit",
      title: "Stopped at the time limit",
      advice: /Ask for less in one run/,
    });
  });

  it("the end of its credits is incomplete, says where to claim, and how it goes on then", async () => {
    const config: { rates: Rates; freeCredits: number } = { rates, freeCredits: 8 };
    const { step, fixture } = await play({ script: endless, config });
    await expectCut(step, {
      reason: "credits",
      title: "Stopped when the credits ended",
      advice: /Claim this repository's agent/,
    });
    expectClaim(step, fixture);
    expect(step.annotations[0]?.message).toMatch(/Execute "agent-service runs resume [^ "]+" or .+ until 20/);
    expect(step.outputs.credits).toBe("");
  });

  it("credits that do not pay for a first answer is a quota, with where to claim, and costs nothing", async () => {
    const { step, fixture } = await play({ script: [say("Never.")], config: { rates, freeCredits: 1 } });
    expect(model?.requests).toEqual([]);
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "quota", reason: "credits_ended", credits: "0" },
    });
    expect(step.summary.split("\n")[0]).toBe("## 💳 Out of credits");
    expect(step.annotations).toMatchObject([{ level: "error", title: "Out of credits" }]);
    expectClaim(step, fixture);
    expect(step.summary).toContain("**Credits** 0 charged, 1 left");
  });

  function expectClaim(step: StepResult, { url }: ScenarioFixture): void {
    const claimUrl = step.outputs["claim-url"] ?? "";
    expect(claimUrl.startsWith(`${url}/claim/svc_claim_`)).toBe(true);
    expect(step.annotations[0]?.message).toContain(claimUrl);
    expect(step.summary).toContain(`[Claim this agent](${claimUrl})`);
  }
});

describe("against a service without a model", () => {
  it("a run is skipped with a notice, and costs nothing", async () => {
    const fixture = await startFixture({ level: "scenario" });
    close = () => fixture.close();
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "skipped", reason: "no_model", credits: "0" },
    });
    expect(step.annotations).toMatchObject([{ level: "notice", title: "No model configured" }]);
    expect(step.annotations[0]?.message).toMatch(/MODEL and MODEL_BASE_URL/);
    expect(step.summary.split("\n")[0]).toBe("## ⏭️ No model configured");
    expect(step.summary).toContain("Briefing of <code>octo-org/octo-repo</code>");
    await expectSoundLedger(fixture.place);
  });
});

describe("without a server, a run that is cut at", () => {
  async function play({
    script,
    inputs = {},
    settings = {},
    model: name,
  }: Omit<Cut, "reason" | "title" | "advice">) {
    const fixture = await EmbeddedFixture.open({ "README.md": "# Octo repo\n" });
    close = () => fixture.close();
    const { MODEL = "", MODEL_BASE_URL = "", MODEL_API_KEY = "" } = await playModel(script, name);
    const job = await fixture.job();
    fixture.checkOut(job);
    const pushes = fixture.codeHost.push.count;
    const step = await fixture.main(job, {
      env: { SANDBOX: "off", ...settings },
      inputs: {
        changes: "commit",
        prompt: "Do it.",
        model: MODEL,
        "model-base-url": MODEL_BASE_URL,
        "model-api-key": MODEL_API_KEY,
        ...inputs,
      },
    });
    expect(fixture.codeHost.push.count).toBe(pushes);
    return step;
  }

  it.each(cuts)("%s is incomplete, keeps its patch and pushes nothing", async (_, cut) => {
    await expectCut(await play(cut), cut);
  });
});
