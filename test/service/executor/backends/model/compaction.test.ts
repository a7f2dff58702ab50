// A conversation that fills the model's window: the model summarises it, and the run goes on with what matters.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../../../fakes/model-server/request.ts";
import { everyTime } from "../../../../../fakes/model-server/script.ts";
import { answer, call, fault, type Step, say } from "../../../../../fakes/model-server/turn.ts";
import { readingToolbox } from "../../../../../src/service/executor/backends/model/toolbox.ts";
import { updatePlanTool } from "../../../../../src/service/executor/tools/update-plan.ts";
import { UsageMeter } from "../../../../../src/service/executor/usage-meter.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { expectWhole, ModelFixture, type ModelFixtureOptions, providers, ratesOf } from "./model-fixture.ts";

const REQUEST = "Read all of the files, and keep the secret word `xylophone` in mind.";
const FILES = 16;
const files = Object.fromEntries(
  Array.from({ length: FILES }, (_, at) => [`f${at}.txt`, `content of file ${at} \n`.repeat(350)]),
);
const tokensOf = (body: unknown) => Math.ceil(JSON.stringify(body).length / 4);
const isForSummary = ({ lastUserMessage }: ModelRequest) => lastUserMessage.includes("about to be cut");

/** Reads one file after the other, whatever was forgotten between. */
function reader(summary: Summary) {
  return everyTime(readerStep(summary));
}

type Summary = Step | ((at: number) => Step);

function readerStep(summary: Summary): (request: ModelRequest) => Step {
  let next = 0;
  let summaries = 0;
  return (request) => {
    if (isForSummary(request)) {
      summaries += 1;
      return typeof summary === "function" ? (summary as (at: number) => Step)(summaries) : summary;
    }
    const usage = { input: tokensOf(request.body) };
    if (next === FILES) return answer([say("Read.")], { usage });
    next += 1;
    return answer([call("read_file", { path: `f${next - 1}.txt` })], { usage });
  };
}

describe.each(providers)("a conversation that fills the window (%s)", (provider) => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;

  const start = async (script: ModelFixtureOptions["script"], options: Partial<ModelFixtureOptions> = {}) => {
    fixture = await ModelFixture.start({
      provider,
      script,
      files,
      settings: { contextTokens: 16_000, maxOutputTokens: 2_000 },
      ...options,
    });
  };
  const asked = { messages: [{ role: "user" as const, content: REQUEST }] };
  const notices = () =>
    recorder.events.flatMap((event) =>
      event.type === "CUSTOM" && event.name === "notice" ? [event.value.text] : [],
    );

  beforeEach(() => {
    recorder = new TaskRecorder();
  });

  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });

  it("is summarised by the model, more than once, and never loses the request nor the latest turns", async () => {
    await start(reader((at: number) => say(`## Goal\nSummary number ${at}.`)));
    expect(await fixture.run(asked, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("Read.");
    const { requests } = fixture.server;
    const summaries = requests.filter(isForSummary);
    expect(summaries.length).toBeGreaterThanOrEqual(2);
    // The second summary is made of the first one.
    expect(JSON.stringify(summaries[1]?.body)).toContain("Summary number 1.");
    for (const request of requests) {
      expect(request.firstUserMessage).toContain(REQUEST);
      expect(request.system).toContain("octo/fixture");
      expect(tokensOf(request.body)).toBeLessThan(16_000);
    }
    const after = requests[requests.indexOf(summaries[0] as ModelRequest) + 1];
    expect(JSON.stringify(after?.body)).toContain("Summary number 1.");
    expect(after?.messages.length).toBeGreaterThan(2);
    // What was read last is still there, whole, and what was read first is not.
    expect(after?.toolResults.at(-1)?.text).toContain("content of file");
    expect(tokensOf(after?.body)).toBeLessThan(10_000);
    expect(JSON.stringify(after?.body)).not.toContain("content of file 0 ");
    expect(notices()).toHaveLength(summaries.length);
    expect(notices()[0]).toMatch(/the model summarised it, from about \d+,000 tokens to \d+,000\.$/);
    expect(recorder.usage.roles.executor?.calls).toBe(requests.length);
  });

  it.each([
    ["is empty", say("   ")],
    ["is a call of a tool", call("list_files")],
    ["is refused", fault({ status: 400, message: "No." })],
  ])("whose summary %s is trimmed, after two tries for good", async (_what, summary) => {
    await start(reader(summary));
    expect(await fixture.run(asked, recorder)).toEqual({ stopReason: "end_turn" });
    expect(fixture.server.requests.filter(isForSummary)).toHaveLength(2);
    expect(fixture.server.requests.at(-1)?.firstUserMessage).toContain(REQUEST);
    expect(fixture.server.requests.at(-1)?.toolResults.some(({ text }) => text.includes("removed"))).toBe(
      true,
    );
    expect(notices()).toHaveLength(2);
    expect(notices()[0]).toContain("could not be summarised");
  });

  it("is trimmed where the summary cannot be paid", async () => {
    const rates = ratesOf({ id: "scripted-model", inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 1_000 });
    await start(reader(say("Never.")), {
      settings: { contextTokens: 16_000, maxOutputTokens: 2_000, rates },
    });
    let calls = 0;
    recorder.onEmit = ({ type }) => {
      if (type === "TOOL_CALL_START") calls += 1;
    };
    const meter = new UsageMeter({ holdMicroUsd: 0, raiseHold: async () => calls < 4 });
    expect(await fixture.run({ ...asked, meter }, recorder)).toEqual({ stopReason: "credits" });
    expect(fixture.server.requests.filter(isForSummary)).toHaveLength(0);
  });

  it("keeps both ends of a request that is too large to stay whole", async () => {
    const content = `BEGIN ${"middle ".repeat(4_000)} END`;
    await start(reader(say("Summary.")));
    expect(await fixture.run({ messages: [{ role: "user", content }] }, recorder)).toEqual({
      stopReason: "end_turn",
    });
    const last = fixture.server.requests.at(-1);
    expect(last?.firstUserMessage).toMatch(/BEGIN[\s\S]*characters are left out here[\s\S]*END/);
  });

  it("repeats the plan after each summary", async () => {
    const read = readerStep((at: number) => say(`Summary number ${at}.`));
    const steps = [{ text: "Read the first half", status: "pending" }];
    let hasPlanned = false;
    const script = everyTime((request) => {
      if (hasPlanned) return read(request);
      hasPlanned = true;
      return call("update_plan", { steps });
    });
    await start(script, {
      settings: {
        contextTokens: 16_000,
        maxOutputTokens: 2_000,
        toolbox: (context) => [...readingToolbox(context), updatePlanTool(context.task)],
      },
    });
    expect(await fixture.run(asked, recorder)).toEqual({ stopReason: "end_turn" });
    expect(fixture.server.requests.filter(isForSummary).length).toBeGreaterThanOrEqual(2);
    const last = JSON.stringify(fixture.server.requests.at(-1)?.body);
    expect(last).not.toContain("Summary number 1.");
    expect(last).toContain("Your plan, as you last showed it");
    expect(last).toContain("Read the first half");
  });

  it("repeats the notes that tools have told of files, whole, after each summary", async () => {
    const read = readerStep((at: number) => say(`Summary number ${at}.`));
    const note = "Never use tabs here.";
    let hasRead = false;
    const script = everyTime((request) => {
      if (hasRead) return read(request);
      hasRead = true;
      return call("read_file", { path: "deep/a.txt" });
    });
    await start(script, {
      files: { ...files, "deep/a.txt": "a", "deep/AGENTS.md": note },
      checkout: {
        trustedPaths: async () => ["deep/AGENTS.md"],
        trustedText: async (path) => (path === "deep/AGENTS.md" ? note : null),
      },
    });
    expect(await fixture.run(asked, recorder)).toEqual({ stopReason: "end_turn" });
    expect(fixture.server.requests.filter(isForSummary).length).toBeGreaterThanOrEqual(2);
    for (const { body } of fixture.server.requests.slice(1))
      expect(JSON.stringify(body).split(note)).toHaveLength(2);
  });

  it("has the session's history in its summary", async () => {
    const history = async () => [
      { role: "user" as const, content: `What of the past? ${"past ".repeat(4_000)}` },
      { role: "assistant" as const, content: "It is over." },
    ];
    await start(reader(say("The past is over.")));
    await fixture.run({ ...asked, history }, recorder);
    const summaries = fixture.server.requests.filter(isForSummary);
    expect(JSON.stringify(summaries[0]?.body)).toContain("What of the past?");
    const last = fixture.server.requests.at(-1);
    expect(JSON.stringify(last?.body)).not.toContain("What of the past?");
    expect(JSON.stringify(last?.body)).toContain("xylophone");
    expect(JSON.stringify(last?.body)).toContain("The past is over.");
  });

  it("is fitted to the window that the API names, for the rest of the run", async () => {
    let isTold = false;
    const read = readerStep(say("Summary."));
    await start(
      everyTime((request) => {
        const tokens = tokensOf(request.body);
        if (tokens > 8_000) {
          isTold = true;
          return fault({
            status: 400,
            message: `prompt is too long: ${tokens} tokens > 8000 maximum`,
          });
        }
        return read(request);
      }),
      { settings: { contextTokens: 200_000, maxOutputTokens: 2_000 } },
    );
    expect(await fixture.run(asked, recorder)).toEqual({ stopReason: "end_turn" });
    expect(isTold).toBe(true);
    const refused = fixture.server.requests.filter(({ body }) => tokensOf(body) > 8_000);
    expect(refused).toHaveLength(1);
    for (const { firstUserMessage } of fixture.server.requests) expect(firstUserMessage).toContain(REQUEST);
  });
});
