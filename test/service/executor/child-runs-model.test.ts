// A model that hands tasks on: parent and child each ask it over HTTP, in the whole service with real clones.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../../fakes/model-server/request.ts";
import { byTurn } from "../../../fakes/model-server/script.ts";
import { answer, call, type Step, say, wait } from "../../../fakes/model-server/turn.ts";
import type { StoredRunEvent } from "../../../src/contract/runs/run-event.ts";
import { RUN_FEE_MICRO_USD } from "../../../src/service/core/money/ledger.ts";
import type { Rates } from "../../../src/service/core/money/rates.ts";
import { MAX_CHILDREN_IN_FLIGHT, MAX_GENERATIONS } from "../../../src/service/core/runs/delegate-run.ts";
import { readConfig } from "../../../src/service/settings/config.ts";
import type { ServiceFixture } from "../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { isLong } from "../../support/run/long.ts";
import type { CiJob } from "../../support/service-job.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { expectValidStream } from "../../support/service-streams.ts";
import { postgresStore, sqliteStore } from "../../support/stores/stores.ts";
import { baseUrlOf, providers, ratesOf } from "./backends/model/model-fixture.ts";

const KEY = "sk-the-models-key-0123456789";
const REPOSITORY = "octo-org/octo-repo";
const priced = ratesOf({ id: "scripted-model", inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 5_000 });
const free = ratesOf({ id: "scripted-model", inNanoUsdPerToken: 0, outNanoUsdPerToken: 0 });

let folder: string;
let repository: TestRepository;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "child-runs-model-"));
  repository = new TestRepository(folder, "octo-repo.git");
  repository.commit({ files: { "README.md": "# Hello\n", "src/a.ts": "export const a = 1;\n" } });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const delegate = (task: string) => call("delegate", { task });
const toolNames = ({ tools }: ModelRequest) => tools.map(({ name }) => name);
const lastResult = ({ toolResults }: ModelRequest) => toolResults.at(-1)?.text ?? "";

/** By what a run is asked, the turns of its model. */
type Stories = Readonly<Record<string, readonly Step[]>>;

/** Each store and each provider once; the long run plays each provider on each store. */
const stores = [sqliteStore, postgresStore];
const fixtures = stores.flatMap((kind, at) =>
  providers
    .filter((_provider, index) => isLong || index % stores.length === at)
    .map((provider) => ({ kind, provider })),
);

for (const { kind, provider } of fixtures) {
  describe(`a model's child runs on ${kind.name} by ${provider}`, { tags: [...kind.tags] }, () => {
    let model: ModelServer;
    let fixture: ServiceFixture;
    let job: CiJob;

    const start = async (stories: Stories, more: { rates?: Rates; freeCredits?: number } = {}) => {
      model = await startModelServer({
        script: ({ firstUserMessage }) => {
          const turns = stories[firstUserMessage];
          return turns === undefined ? undefined : byTurn(turns)();
        },
        apiKey: KEY,
      });
      const settings = {
        PATH: process.env.PATH,
        BACKEND: "model",
        MODEL: "scripted-model",
        MODEL_PROVIDER: provider,
        MODEL_BASE_URL: baseUrlOf(provider, model),
        MODEL_API_KEY: KEY,
      };
      const config = readConfig({}, settings);
      if (!config.ok) throw new Error(config.refusal.join("\n"));
      const { backend, model: modelConfig, sandbox } = config.value;
      fixture = await startFixture({
        level: "service",
        store: kind,
        repositories: { [REPOSITORY]: { path: repository.path, visibility: "public" } },
        config: {
          backend,
          model: modelConfig,
          sandbox,
          maxRunningRuns: 1,
          rates: more.rates ?? priced,
          freeCredits: more.freeCredits ?? 1_000,
        },
      });
      const sha = repository.git(["rev-parse", "refs/heads/main"]);
      job = await fixture.job({ ...fixture.freshRepository(), repository: REPOSITORY, sha });
    };

    afterEach(async () => {
      for (const { id } of await runs()) await expectValidStream(await job.follow(id));
      await expectSoundLedger(fixture.place);
      expect(await fixture.place.query(UNFINISHED)).toEqual([]);
      // A stopped run ends first, and its files are removed once its backend has ended.
      await fixture.stop();
      expect(await readdir(join(fixture.place.settings.dataDir, "checkouts"))).toEqual([]);
      expect(fixture.logText()).not.toContain(KEY);
      await fixture.close();
      await model.close();
    });

    /** Every run as a reader sees it, a parent before its children. */
    const runs = async () => {
      const rows = await fixture.place.query("select id from runs order by parent_run_id is not null, id");
      return await Promise.all(rows.map(({ id }) => job.run(String(id))));
    };
    const toldBy = (events: readonly StoredRunEvent[]) =>
      events.map(({ event }) =>
        "delta" in event && event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : "",
      );
    const asked = (what: string) =>
      model.requests.filter(({ firstUserMessage }) => firstUserMessage === what);

    it("answer its next turn, and each run pays for its own calls", async () => {
      const usage = { input: 2_000, output: 100 };
      await start({
        "Ask around.": [
          answer([call("write_file", { path: "draft.txt", content: "mine\n" })], { usage }),
          answer([say("I hand it on."), delegate("Which files are there?")], { usage }),
          (request) => answer([say(`It said: ${lastResult(request)}`)], { usage }),
        ],
        "Which files are there?": [
          answer([call("list_files")], { usage }),
          (request) => answer([say(lastResult(request))], { usage }),
        ],
      });
      const parentId = await job.start("Ask around.");
      const events = await job.follow(parentId);
      const [parent, child] = await runs();
      expect(parent).toMatchObject({ id: parentId, status: "completed", origin: "user", tokens: 6_300 });
      // Its own tokens are its own, what it may use is its children's too.
      expect(parent).toMatchObject({ budget: { counted_tokens: 10_500, max_tokens: 1_000_000 } });
      expect(child).toMatchObject({ budget: { counted_tokens: 4_200 } });
      expect(child).toMatchObject({
        status: "completed",
        origin: "agent",
        parent_run_id: parentId,
        agent_id: job.agentId,
        tokens: 4_200,
        gross_micro_usd: RUN_FEE_MICRO_USD + 2 * 2_500,
        usage_by_role: { executor: { tokens: 4_200, calls: 2 } },
      });
      expect(child?.thread_id).not.toBe(parent?.thread_id);
      const told = toldBy(events).join("");
      expect(told).toContain("I hand it on.");
      expect(told).toMatch(
        new RegExp(`It said: src/a\\.ts[\\s\\S]*README\\.md[\\s\\S]*\\[run ${child?.id}\\]$`),
      );

      const [first] = asked("Which files are there?");
      expect(first?.messages).toEqual([{ role: "user", text: "Which files are there?" }]);
      const offered = first?.tools.find(({ name }) => name === "delegate");
      expect(offered?.description).toContain("fresh checkout of its own");
      expect(told).not.toContain("draft.txt");
    });

    it("work side by side where one turn asks for two, and answer in the order of the calls", async () => {
      const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
      // Each answers only once the other was asked, too.
      const meeting = Promise.all(begun.map(({ promise }) => promise));
      const child = (at: 0 | 1, words: string): Step[] => [
        () => {
          begun[at].resolve();
          return [wait(meeting), say(words)];
        },
      ];
      await start({
        "Ask two.": [
          [delegate("Left?"), delegate("Right?")],
          ({ toolResults }) => say(toolResults.map(({ text }) => text.split("\n")[0]).join(" and ")),
        ],
        "Left?": child(0, "left"),
        "Right?": child(1, "right"),
      });
      const events = await job.follow(await job.start("Ask two."));
      expect(toldBy(events).join("")).toBe("left and right");
      expect((await runs()).map(({ status, origin }) => [status, origin])).toEqual([
        ["completed", "user"],
        ["completed", "agent"],
        ["completed", "agent"],
      ]);
    });

    it("end with their parent while the model speaks, and hang up", async () => {
      await start({
        "Ask one.": [delegate("Speak for ever.")],
        "Speak for ever.": [
          answer([say("I begin"), wait(new Promise(() => {}))], { usage: { input: 2_000 } }),
        ],
      });
      const parentId = await job.start("Ask one.");
      const request = await model.arrival(2);
      const [, child] = await runs();
      const childId = child?.id ?? "";
      await job.readUntil(childId, ({ event }) => event.type === "TEXT_MESSAGE_CONTENT");
      expect((await job.cancel(parentId)).status).toBe(202);
      expect(await request.ended).toBe("hung-up");
      for (const runId of [parentId, childId]) {
        expect(await job.ended(runId)).toMatchObject({ status: "cancelled", cause: "user_stop" });
      }
      expect(await job.run(childId)).toMatchObject({ usage_by_role: { executor: { calls: 1 } } });
      expect(model.requests).toHaveLength(2);
    });

    it("are not offered to the last generation, which is told so where it asks", async () => {
      const tasks = Array.from({ length: MAX_GENERATIONS + 1 }, (_, at) => `Generation ${at}`);
      const turns = (at: number): Step[] => [
        delegate(`Generation ${at + 1}`),
        (request) => say(lastResult(request)),
      ];
      await start(Object.fromEntries(tasks.map((task, at) => [task, turns(at)])));
      const events = await job.follow(await job.start("Generation 0"));
      const offers = tasks.map((task) =>
        asked(task).map((request) => toolNames(request).includes("delegate")),
      );
      expect(offers).toEqual([
        ...Array.from({ length: MAX_GENERATIONS }, () => [true, true]),
        [false, false],
      ]);
      expect(await runs()).toHaveLength(MAX_GENERATIONS + 1);
      expect(toldBy(events).join("")).toContain("there is no tool named delegate");
    });

    it("are refused beyond so many at once, and the model goes on with the others", async () => {
      const released = Promise.withResolvers<void>();
      const tasks = Array.from({ length: MAX_CHILDREN_IN_FLIGHT + 1 }, (_, at) => `Task ${at}`);
      await start({
        "Ask many.": [
          tasks.map(delegate),
          ({ toolResults }) => {
            const refusals = toolResults.filter(({ text }) => text.startsWith("error: "));
            return say(`${toolResults.length - refusals.length} done. ${refusals[0]?.text}`);
          },
        ],
        ...Object.fromEntries(tasks.map((task) => [task, [[wait(released.promise), say("done")]]])),
      });
      const runId = await job.start("Ask many.");
      await job.readUntil(runId, ({ event }) => event.type === "TOOL_CALL_RESULT");
      released.resolve();
      const told = toldBy(await job.follow(runId)).join("");
      expect(told).toMatch(
        /^8 done\. error: The task was not handed on\. 8 children are at work, and 8 may be/,
      );
      expect(await runs()).toHaveLength(MAX_CHILDREN_IN_FLIGHT + 1);
    });

    it("are refused where the credits have ended, and the model does it itself", async () => {
      await start(
        {
          "Hand it on.": [
            delegate("Which files are there?"),
            (request) => [say(`${lastResult(request)} `), call("list_files")],
            (request) => say(lastResult(request)),
          ],
        },
        { rates: free, freeCredits: 1 },
      );
      const runId = await job.start("Hand it on.");
      const told = toldBy(await job.follow(runId)).join("");
      expect(told).toContain(
        "error: The task was not handed on. The credits do not suffice for another run: do it",
      );
      expect(told).toContain("src/a.ts");
      expect(await runs()).toMatchObject([
        { id: runId, status: "completed", stop_reason: "end_turn", credits: 1 },
      ]);
      const results = model.requests.at(-1)?.toolResults ?? [];
      if (provider === "anthropic") expect(results.map(({ isError }) => isError)).toEqual([true, false]);
    });
  });
}

const UNFINISHED = "select id from runs where status in ('queued', 'running', 'cancelling')";
