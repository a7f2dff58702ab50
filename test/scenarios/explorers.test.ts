// Explorers from end to end: the built Action, the built service on both stores, and the job without a server. A model asks four
// questions side by side, which a cheaper one answers.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { answer, call, type Step, say, stall } from "../../fakes/model-server/turn.ts";
import type { ActionResult } from "../../fakes/runner/run-action.ts";
import { expectNothingKept } from "../support/durable/expect-played.ts";
import { ActionFixture, deployments, MODEL } from "../support/fixtures/action-fixture.ts";
import { EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";
import { eventsOf, replyOf } from "../support/fixtures/scenario-fixture.ts";
import { expectValidStream } from "../support/service-streams.ts";

/** A fifth of the price of the run's own model, here as elsewhere. */
const SCOUT = "claude-haiku-4-5";
const SCOUT_PRICE = { in_nano_usd_per_tok: 1_000, out_nano_usd_per_tok: 5_000 };
const QUESTIONS = ["Where is a?", "Where is b?", "Where is c?", "Where is d?"] as const;
const files = Object.fromEntries(
  ["a", "b", "c", "d"].map((name) => [`src/${name}.ts`, `export const ${name} = 1;\n`]),
);
const usage = { input: 10_000, output: 200 };
/** What is kept for the answer of an explorer. */
const RESERVED_TOKENS = 8_000;
/** Of a request with this usage, in micro-USD. */
const WORKER_COST = 50_000 + 5_000;
const SCOUT_COST = 10_000 + 1_000;
const prompt = "Say where all of them are.";

const isExplorers = ({ firstUserMessage }: ModelRequest) => QUESTIONS.some((one) => one === firstUserMessage);
const fileOf = ({ firstUserMessage }: ModelRequest) => `src/${firstUserMessage.at(-2)}.ts`;
const askAll = () =>
  answer(
    QUESTIONS.map((question) => call("explore", { question })),
    { usage },
  );
const findings = ({ toolResults }: ModelRequest) =>
  answer([say(`Found: ${toolResults.map(({ text }) => text).join(", ")}`)], { usage });

/** Reads its file, tries to write it and to execute something, and answers with what it was told. */
const explorer = (request: ModelRequest): Step => {
  const path = fileOf(request);
  switch (request.assistantTurns) {
    case 0:
      return answer([call("read_file", { path })], { usage });
    case 1:
      return answer(
        [call("write_file", { path, content: "" }), call("run_command", { command: `rm ${path}` })],
        { usage },
      );
    default:
      return answer([say(`${path}:1`)], { usage });
  }
};
const worker = (request: ModelRequest): Step => (request.assistantTurns === 0 ? askAll() : findings(request));
const story = (request: ModelRequest): Step => (isExplorers(request) ? explorer(request) : worker(request));

/** None of the first requests of the four is answered before all of them are there. */
function sideBySide(step: (request: ModelRequest) => Step): (request: ModelRequest) => Step {
  const allThere = Promise.withResolvers<void>();
  const asked = new Set<string>();
  return (request) => {
    if (!isExplorers(request) || request.assistantTurns > 0) return step(request);
    asked.add(request.firstUserMessage);
    if (asked.size === QUESTIONS.length) allThere.resolve();
    return stall(allThere.promise, step(request));
  };
}

/** What the model was sent since the last test. */
let earlier = 0;
const requestsTo = (server: ModelServer) => server.requests.slice(earlier);

/** Of a run that plays the story to its end. */
async function expectExplored(step: ActionResult, server: ModelServer): Promise<void> {
  expect(step).toMatchObject({
    exitCode: 0,
    annotations: [],
    outputs: { conclusion: "success", "changed-files": "[]", tokens: String(14 * 10_200) },
  });
  expect(await replyOf(step)).toBe("Found: src/a.ts:1, src/b.ts:1, src/c.ts:1, src/d.ts:1");
  const requests = requestsTo(server);
  const theirs = requests.filter(isExplorers);
  expect(new Set(theirs.map(({ model }) => model))).toEqual(new Set([SCOUT]));
  expect(new Set(requests.filter((one) => !isExplorers(one)).map(({ model }) => model))).toEqual(
    new Set([MODEL]),
  );
  expect([theirs.length, requests.length]).toEqual([12, 14]);
  for (const { tools } of theirs)
    expect(
      tools
        .map(({ name }) => name)
        .filter((name) => /write|edit|delete|rename|command|process|explore|delegate/.test(name)),
    ).toEqual([]);
  for (const { toolResults } of theirs.filter(({ assistantTurns }) => assistantTurns === 2)) {
    expect(toolResults[0]?.text).toContain("export const");
    expect(toolResults[1]?.text).toContain("there is no tool named write_file");
    expect(toolResults[2]?.text).toContain("there is no tool named run_command");
  }
  const costs = `<code>${MODEL}</code> 20,400 for $0.11, <code>${SCOUT}</code> 122,400 for $0.13`;
  expect(step.summary).toContain(costs);
  expect(step.summary).toContain("**Cost** $0.24");
  for (const question of QUESTIONS) expect(step.log).toContain(`explore: ${question}`);
  expect(step.log).not.toContain("read_file");
  const events = (await eventsOf(step)).map(({ event }) => event);
  const called = events.flatMap((event) => (event.type === "TOOL_CALL_START" ? [event.toolCallName] : []));
  expect(called).toEqual(QUESTIONS.map(() => "explore"));
  const results = events.flatMap((event) => (event.type === "TOOL_CALL_RESULT" ? [event.content] : []));
  expect(results.toSorted()).toEqual(Object.keys(files).map((path) => `${path}:1`));
}

for (const { store, roles } of deployments) {
  describe(`explorers of a service on ${store.name}`, { tags: [...store.tags] }, () => {
    let fixture: ActionFixture;
    beforeAll(async () => {
      earlier = 0;
      fixture = await ActionFixture.start({
        store,
        roles,
        files,
        settings: { EXPLORE_MODEL: SCOUT },
        prices: { [SCOUT]: SCOUT_PRICE },
      });
    });
    afterEach(async () => {
      earlier = fixture.model.requests.length;
      await expectNothingKept(fixture);
    });
    afterAll(() => fixture.close());

    it("answer side by side by the cheaper model; log, record, summary and page say so", async () => {
      fixture.step = sideBySide(story);
      const { main } = await fixture.main(await fixture.job(), { inputs: { prompt } });
      await expectExplored(main, fixture.model);
      const used = await fixture.usageByModel(main);
      expect(used).toMatchObject([
        { model: MODEL, input_tokens: 20_000, output_tokens: 400 },
        { model: SCOUT, input_tokens: 120_000, output_tokens: 2_400 },
      ]);
      expect(used.map(({ cost_micro_usd: cost }) => cost)).toEqual([2 * WORKER_COST, 12 * SCOUT_COST]);
      await expectValidStream(await eventsOf(main));
      const page = await fixture.page(main);
      for (const question of QUESTIONS) expect(page).toContain(question);
      expect(page).toContain("src/d.ts:1");
    });

    it("are asked again by the next worker where theirs is lost, and nothing else is", async () => {
      const held = Promise.withResolvers<string | null>();
      let isLost = false;
      const atWork = new Set<string>();
      // Two have their last answer, and two are in the middle of theirs.
      fixture.step = (request) => {
        const isSlow = /[cd]\?$/.test(request.firstUserMessage);
        if (isLost || !isExplorers(request) || request.assistantTurns < (isSlow ? 1 : 2))
          return story(request);
        atWork.add(request.firstUserMessage);
        if (atWork.size === QUESTIONS.length) {
          isLost = true;
          held.resolve(request.apiKey);
        }
        return isSlow ? stall() : story(request);
      };
      const lost = held.promise.then((apiKey) => fixture.killWorker(apiKey));
      const { main } = await fixture.main(await fixture.job(), { inputs: { prompt } });
      await lost;
      await fixture.restore();
      expect(main).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
      expect(await replyOf(main)).toBe("Found: src/a.ts:1, src/b.ts:1, src/c.ts:1, src/d.ts:1");
      const requests = requestsTo(fixture.model);
      const times = (question: string, turn: number) =>
        requests.filter((one) => one.firstUserMessage === question && one.assistantTurns === turn).length;
      for (const question of QUESTIONS)
        for (const turn of [0, 1, 2])
          expect(times(question, turn), `${question} ${turn}`).toBeLessThanOrEqual(2);
      const used = await fixture.usageByModel(main);
      // Each request is counted once, those of the lost worker too.
      expect(used.reduce((sum, { calls }) => sum + calls, 0)).toBe(requests.length);
      // Only what may have been under way costs what was reserved for it: the last request of each of the four.
      const [ofTheRun, ofExplorers] = [false, true].map((isScout) =>
        used.find(({ model }) => (model === SCOUT) === isScout),
      );
      expect(ofTheRun?.output_tokens).toBe(3 * usage.output);
      const { calls = 0, output_tokens: output = 0 } = ofExplorers ?? {};
      const reserved = QUESTIONS.length * RESERVED_TOKENS;
      expect(output).toBeLessThanOrEqual(reserved + (calls - QUESTIONS.length) * usage.output);
    });
  });
}

describe("explorers of a job without a server", () => {
  const KEY = "sk-the-models-key-0123456789";
  let fixture: EmbeddedFixture;
  let model: ModelServer;
  beforeAll(async () => {
    fixture = await EmbeddedFixture.open(files);
  });
  afterEach(() => model.close());
  afterAll(() => fixture.close());

  it("answer by the model of explore-model, and read what the job has checked out", async () => {
    earlier = 0;
    const play = sideBySide(story);
    model = await startModelServer({ script: everyTime(play), apiKey: KEY, conversation: () => "all" });
    const job = await fixture.job({ event: "issue_comment", isIssue: true, comment: "/agent Say where." });
    const root = fixture.checkOut(job);
    const step = await fixture.main(job, {
      where: "process",
      inputs: {
        model: MODEL,
        "explore-model": SCOUT,
        "model-base-url": model.baseUrl,
        "model-api-key": KEY,
        "max-cost": "2",
      },
    });
    await expectExplored(step, model);
    for (const [path, text] of Object.entries(files))
      expect(await readFile(join(root, path), "utf8")).toBe(text);
  });
});
