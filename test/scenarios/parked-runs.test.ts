// Runs that wait after their job has ended: what the job says, and that the next comment of the thread goes on with the same run.

import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { CodeHostJob } from "../../fakes/code-host/code-host.ts";
import { ACTIONS_BOT } from "../../fakes/code-host/comments.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { answer, call, type Step, say } from "../../fakes/model-server/turn.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import {
  eventsOf,
  replyOf,
  type ScenarioFixture,
  type StepResult,
} from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";

const KEY = "sk-the-models-key-0123456789";
const asked = { question: "Which parser?", choices: ["The old one", "The new one"] };
const write = (path: string) => call("write_file", { path, content: `${path}\n` });

let fixture: ScenarioFixture;
let model: ModelServer;
afterEach(async () => {
  await expectSoundLedger(fixture.place);
  await fixture.close();
  await model.close();
});

async function open(step: (assistantTurns: number) => Step | undefined): Promise<void> {
  model = await startModelServer({
    script: everyTime(({ assistantTurns }) => step(assistantTurns)),
    apiKey: KEY,
  });
  const read = readConfig(
    {},
    {
      PATH: process.env.PATH,
      BACKEND: "model",
      SANDBOX: "off",
      MODEL: "claude-opus-5",
      MODEL_BASE_URL: model.baseUrl,
      MODEL_API_KEY: KEY,
    },
  );
  if (!read.ok) throw new Error(read.refusal.join("\n"));
  const { backend, model: modelConfig, sandbox } = read.value;
  fixture = await startFixture({ level: "scenario", config: { backend, model: modelConfig, sandbox } });
}

type Asked = { readonly step: StepResult; readonly comment: string; readonly job: CodeHostJob };

async function request(text: string, inputs: Record<string, string> = {}): Promise<Asked> {
  const job = await fixture.job({ event: "issue_comment", isIssue: true, comment: text });
  return { ...(await again(job, inputs)), job };
}

async function again(job: CodeHostJob, inputs: Record<string, string> = {}): Promise<Omit<Asked, "job">> {
  const step = await fixture.main(job, { inputs: { changes: "patch", ...inputs } });
  const comments = fixture.codeHost.rest.commentsOf(7).filter(({ user }) => user === ACTIONS_BOT);
  return { step, comment: comments.at(-1)?.body ?? "" };
}

const patchOf = async (step: StepResult) => await readFile(step.outputs["patch-file"] ?? "", "utf8");

describe("a question of a run that is parked", () => {
  const turns: readonly Step[] = [[write("first"), call("ask_question", asked)], [write("second")]];
  const done = say("Done with the new one.");

  it("ends its job, and its answer goes on in the same run, whose log begins there", async () => {
    await open((turn) => turns[turn] ?? done);
    const first = await request("/agent rewrite the parser");
    expect(first.step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: "success", reason: "question", "commit-sha": "" },
    });
    const runId = first.step.outputs["run-id"] ?? "";
    const until = /until (\d{4}-\d\d-\d\d)/.exec(first.step.log)?.[1] ?? "";
    const way = `Reply with "/agent <your answer>" until ${until}, and it goes on with what it has done.`;
    expect(first.step.log).toContain(`The run waits for an answer to its question. ${way}`);
    for (const text of [first.step.summary, first.comment]) {
      expect(text).toContain("❓ The agent has a question");
      expect(text).toContain(`until ${until}, and it goes on with what it has done.`);
      expect(text).not.toContain("at work");
    }
    expect(await patchOf(first.step)).toContain("first");
    expect((await fixture.runs()).map(({ status }) => status)).toEqual(["running"]);

    const second = await request("/agent the new one");
    expect(second.step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "success", reason: "completed", "run-id": runId },
    });
    expect(await replyOf(second.step)).toContain("Done with the new one.");
    expect(await patchOf(second.step)).toMatch(/first[\s\S]*second/);
    expect(second.step.log).toContain(`Run ${runId} goes on where it was parked.`);
    expect(second.step.log).toContain("The run was continued at turn 2.");
    for (const printed of [`Run ${runId} started.`, "Which parser?", "The run is parked"])
      expect(second.step.log).not.toContain(printed);
    expect(await eventsOf(second.step)).toEqual(await fixture.storedEvents(runId));
    expect(await fixture.runs()).toHaveLength(1);
  });

  it("is found by a job that is run again, which ends at once as the first did", async () => {
    await open((turn) => turns[turn] ?? done);
    const { step, job } = await request("/agent rewrite the parser");
    const rerun = await fixture.job({
      event: "issue_comment",
      isIssue: true,
      comment: "/agent rewrite the parser",
      runId: String(job.claims.run_id),
      runAttempt: "2",
    });
    const { step: second } = await again(rerun);
    const same = ["conclusion", "reason", "run-id", "session-id", "reply", "changed-files"] as const;
    for (const name of same) expect(second.outputs[name]).toBe(step.outputs[name]);
    expect(second).toMatchObject({ exitCode: 0, annotations: [] });
    expect(second.log).toContain(`Attached to run ${step.outputs["run-id"]} that was started earlier.`);
    expect(model.requests).toHaveLength(1);
  });
});

describe("a run that is parked at its limit of cost", () => {
  const usage = { input: 40_000, output: 4_000 };
  const cut = (turn: number): Step =>
    turn < 2 ? answer([write(`file-${turn}`)], { usage }) : answer([say("All of it.")], { usage });

  it("goes on where a comment raises the limit, and says what is missing where it does not", async () => {
    await open(cut);
    const inputs = { "max-cost": "0.40" };
    const first = await request("/agent do it", inputs);
    expect(first.step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "incomplete", reason: "max_cost", "commit-sha": "" },
    });
    const runId = first.step.outputs["run-id"];
    const way = 'Reply with "/agent continue max-cost 0.8" until ';
    expect(first.step.annotations[0]?.message).toContain(`The run reached its limit of cost. ${way}`);
    expect(first.comment).toContain("/agent continue max-cost 0.8");

    const unraised = await request("/agent continue", inputs);
    expect(unraised.step.outputs).toMatchObject({
      conclusion: "incomplete",
      reason: "max_cost",
      "run-id": runId,
    });
    const wrong = await request("/agent continue max-cost lots", inputs);
    expect(wrong.step.outputs).toMatchObject({ conclusion: "skipped", reason: "limit_wrong", "run-id": "" });
    expect(wrong.comment).toContain('got "lots"');

    const raised = await request("/agent continue max-cost 5", inputs);
    expect(raised.step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "success", reason: "completed", "run-id": runId },
    });
    expect(await replyOf(raised.step)).toContain("All of it.");
    expect(raised.step.log).toContain("It was told: Go on.");
    expect(await fixture.runs()).toHaveLength(1);
  });
});
