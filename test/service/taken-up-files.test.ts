// A worker is lost while it makes its run's conversation shorter, while git looks for the run's changed files for the journal, or
// while it brings back what another one has packed. `npm run test:long -- taken-up-files` plays it; of the looking
// taken-up-runs.test.ts has a part.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Role } from "../../src/service/settings/service-settings.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectNothingKept, type Played } from "../support/durable/expect-played.ts";
import type { HoldPlace, Story } from "../support/durable/played-story.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const TURNS = 5;
/** Of each file: after four turns the conversation takes too much of the window. */
const MORE_LINES = 900;
const WINDOW = { MODEL_CONTEXT_TOKENS: "24000", MODEL_MAX_OUTPUT_TOKENS: "2000" };
/** Before its request the conversation is summarised. */
const SUMMARISED_TURN = 5;
const TIMEOUT_MS = 300_000;
const JOURNAL_ENTRY = /insert into "run_journal"/;
const LOOKING = /git .*diff-files/;
const BRINGING_BACK = /git .*read-tree --reset -u/;

type Point = {
  readonly at: string;
  readonly hold: { readonly turn: number | "summary"; readonly place: HoldPlace };
  /** Default: the worker is killed where it is held. */
  readonly program?: RegExp;
  /** Where it is killed besides; on SQLite alone. */
  readonly commit?: "before" | "after";
  /** The requests beside those of an undisturbed run. */
  readonly again: readonly ["summary" | "turn", number][];
  readonly resumedIn: number;
};

const points: readonly Point[] = [
  {
    at: "before the summary is answered",
    hold: { turn: "summary", place: "unanswered" },
    again: [["summary", SUMMARISED_TURN]],
    resumedIn: SUMMARISED_TURN,
  },
  {
    at: "between the summary and the journal",
    hold: { turn: "summary", place: "unanswered" },
    commit: "before",
    again: [["summary", SUMMARISED_TURN]],
    resumedIn: SUMMARISED_TURN,
  },
  {
    at: "once the summary is in the journal",
    hold: { turn: "summary", place: "unanswered" },
    commit: "after",
    again: [],
    resumedIn: SUMMARISED_TURN,
  },
  {
    at: "before the request that follows the summary is answered",
    hold: { turn: SUMMARISED_TURN, place: "unanswered" },
    again: [["turn", SUMMARISED_TURN]],
    resumedIn: SUMMARISED_TURN,
  },
  {
    at: "while git looks for changed files",
    hold: { turn: 2, place: "unanswered" },
    program: LOOKING,
    again: [["turn", 2]],
    resumedIn: 2,
  },
];

const storyOf = (run: string): Story => ({
  name: "alpha",
  run: run.replaceAll(" ", "-"),
  turns: TURNS,
  noteEvery: 0,
  moreLines: MORE_LINES,
});

onEveryStore((store) => {
  describe("a run whose worker is killed", { tags: ["long"], timeout: TIMEOUT_MS }, () => {
    const roles: readonly Role[] = store.name === "SQLite" ? ["all"] : ["api", "worker", "worker"];
    let service: DurableService;
    let calm: Played;
    beforeAll(async () => {
      service = await DurableService.start({ store, roles, settings: WINDOW });
      const story = storyOf("calm");
      calm = await expectCompleted(service, await service.submit(story));
      expect(askedOf(story)).toContainEqual(["summary", SUMMARISED_TURN]);
      expect(askedOf(story)).toHaveLength(TURNS + 2);
    });
    afterAll(async () => {
      expect(await service.leftFiles()).toEqual([]);
      expect(await service.leftProcesses()).toEqual([]);
      await service.close();
    });

    /** In the order of what they were for. */
    const askedOf = (story: Story) =>
      service.model.askedOf(story).map(({ turn, isSummary }) => [isSummary ? "summary" : "turn", turn]);
    const workerOf = (story: Story) => service.nodeWith(service.model.askedOf(story)[0]?.apiKey ?? null);

    const expectTakenUp = async (
      { again, resumedIn }: Pick<Point, "again" | "resumedIn">,
      { story, runId, times = 1 }: { story: Story; runId: string; times?: number },
    ) => {
      const played = await expectCompleted(service, runId);
      expect(played.patch).toBe(calm.patch);
      const resumed = { turn: resumedIn, after: "lost_worker", unknown_calls: [] };
      expect(played.resumed).toEqual(Array.from({ length: times }, () => resumed));
      const expected = [...askedOf(storyOf("calm")), ...again];
      expect(askedOf(story).map(String).sort()).toEqual(expected.map(String).sort());
      expect(played.grossMicroUsd).toBeGreaterThanOrEqual(calm.grossMicroUsd);
      await expectNothingKept(service);
    };

    const killable = points.filter(({ commit }) => commit === undefined || store.name === "SQLite");
    it.each(killable)("$at goes on", async ({ at, hold: place, program, commit, ...expected }) => {
      const story = storyOf(at);
      const hold = service.model.hold(story, place);
      const runId = await service.submit(story);
      await hold.reached;
      const worker = workerOf(story);
      if (program !== undefined) await service.killWithin(program);
      else if (commit !== undefined) await service.killAround(commit, JOURNAL_ENTRY);
      else await worker.process.kill();
      hold.release();
      if (program !== undefined || commit !== undefined) await service.killed(runId, worker);
      await service.startAgain(worker);
      await expectTakenUp(expected, { story, runId });
    });

    it("and whose next one is killed while it brings the files back, goes on", async () => {
      const story = storyOf("brought back");
      const hold = service.model.hold(story, { turn: 3, place: "unanswered" });
      const runId = await service.submit(story);
      await hold.reached;
      const first = workerOf(story);
      const second = service.nodes.find(({ role, apiKey }) => role === "worker" && apiKey !== first.apiKey);
      await service.killWithin(BRINGING_BACK);
      await first.process.kill();
      hold.release();
      if (second === undefined) await service.startAgain(first);
      await service.killed(runId, second ?? first);
      await service.startAgain(first);
      await expectTakenUp({ again: [["turn", 3]], resumedIn: 3 }, { story, runId });
      if (second !== undefined) await service.startAgain(second);
    });
  });
});
