// The worker of a run is lost that has handed work on to a child: the next one waits for the same child, or begins it where it was
// not begun. No run has two children by one call.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run } from "../../src/contract/runs/run.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectNothingKept } from "../support/durable/expect-played.ts";
import {
  childOf,
  type HoldPlace,
  idealRequests,
  openingOf,
  type Story,
} from "../support/durable/played-story.ts";
import { postgresStore, sqliteStore } from "../support/stores/stores.ts";

const DELEGATES_IN = 2;
const CHILD = /insert into "runs"/;
const JOURNAL_ENTRY = /insert into "run_journal"/;
const NOT_KNOWN = /not known/;

function storyOf(run: string): Story {
  return { name: "alpha", run, turns: 3, noteEvery: 0, delegatesIn: DELEGATES_IN };
}

type Completed = Extract<Run, { status: "completed" }>;
type Family = { readonly parent: Completed; readonly child: Completed };

async function familyOf({ job, place }: DurableService, runId: string): Promise<Family> {
  const [child, ...others] = await place.query(`select id from runs where parent_run_id = '${runId}'`);
  expect(others).toEqual([]);
  const completed = async (id: string) => {
    const run = await job.run(id);
    if (run.status !== "completed") throw new Error(`The run has not completed: ${JSON.stringify(run)}`);
    return run;
  };
  return { parent: await completed(runId), child: await completed(String(child?.id)) };
}

function tokensOf({ budget }: Completed): number {
  if (budget === undefined) throw new Error("The run has no budget.");
  return budget.counted_tokens;
}

/** What the parent's budget has of its own calls. */
function ownTokens({ parent, child }: Family): number {
  return tokensOf(parent) - tokensOf(child);
}

/** Has the parent have its child's answer, from one child that was executed once but for the requests that were lost. */
async function expectOneChild(
  service: DurableService,
  { story, runId, calm, lost }: { story: Story; runId: string; calm: Family; lost: 0 | 1 },
): Promise<Family> {
  const played = await expectCompleted(service, runId);
  expect(played.resumed.flatMap(({ unknown_calls }) => unknown_calls)).toEqual([]);
  expect(played.resumed.length).toBeGreaterThan(0);
  const asked = service.model.askedOf(story);
  expect(asked).toHaveLength(idealRequests(story));
  const told = asked.find(({ turn }) => turn === DELEGATES_IN + 1)?.told ?? "";
  expect(told).toContain(`${openingOf(childOf(story), 2)} It is the end.`);
  expect(told).not.toMatch(NOT_KNOWN);
  const requests = service.model.askedOf(childOf(story)).length - idealRequests(childOf(story));
  expect(requests).toBeGreaterThanOrEqual(0);
  expect(requests).toBeLessThanOrEqual(lost);
  const family = await familyOf(service, runId);
  expect(family.child.stop_reason).toBe("end_turn");
  expect(ownTokens(family)).toBe(ownTokens(calm));
  expect(family.parent.gross_micro_usd).toBe(calm.parent.gross_micro_usd);
  if (requests === 0) {
    expect(tokensOf(family.child)).toBe(tokensOf(calm.child));
    expect(family.child.gross_micro_usd).toBe(calm.child.gross_micro_usd);
  }
  await expectNothingKept(service);
  return family;
}

async function playCalm(service: DurableService): Promise<Family> {
  const runId = await service.submit(storyOf("calm"));
  expect((await expectCompleted(service, runId)).resumed).toEqual([]);
  return await familyOf(service, runId);
}

type Point = {
  readonly at: string;
  /** Whose request is held while the kill is prepared. */
  readonly held: "parent" | "child";
  readonly turn: number;
  readonly when: "before" | "after";
  readonly statement: RegExp;
};

const points: readonly Point[] = [
  {
    at: "before its child is begun",
    held: "parent",
    turn: DELEGATES_IN,
    when: "before",
    statement: CHILD,
  },
  {
    at: "once its child is begun",
    held: "parent",
    turn: DELEGATES_IN,
    when: "after",
    statement: CHILD,
  },
  {
    at: "between the end of its child and its own next entry",
    held: "child",
    turn: 2,
    when: "before",
    statement: JOURNAL_ENTRY,
  },
];
const place: HoldPlace = "unanswered";

describe("a run on SQLite that waits for its child, and whose process is killed", () => {
  let service: DurableService;
  let calm: Family;
  beforeAll(async () => {
    service = await DurableService.start({ store: sqliteStore, settings: { MAX_RUNNING_RUNS: "1" } });
    calm = await playCalm(service);
  });
  afterAll(async () => {
    await service.close();
  });

  it("waits for the same child", async () => {
    const story = storyOf("waits");
    const hold = service.model.hold(childOf(story), { turn: 1, place });
    const runId = await service.submit(story);
    await hold.reached;
    await service.node().process.kill();
    hold.release();
    await service.startAgain();
    await expectOneChild(service, { story, runId, calm, lost: 1 });
  });

  it.each(points)("$at has one child", async ({ at, held, turn, when, statement }) => {
    const story = storyOf(at.replaceAll(" ", "-"));
    const hold = service.model.hold(held === "parent" ? story : childOf(story), { turn, place });
    const runId = await service.submit(story);
    await hold.reached;
    await service.killAround(when, statement);
    hold.release();
    await service.killed(runId);
    await service.startAgain();
    await expectOneChild(service, { story, runId, calm, lost: 0 });
  });
});

describe("a run on PostgreSQL that waits for its child, and whose worker is lost", {
  tags: ["postgres"],
}, () => {
  it("waits for the same child, which goes on meanwhile", async () => {
    const service = await DurableService.start({
      store: postgresStore,
      roles: ["api", "worker", "worker"],
    });
    try {
      const calm = await playCalm(service);
      const story = storyOf("waits");
      const child = childOf(story);
      const hold = service.model.hold(child, { turn: 1, place });
      const runId = await service.submit(story);
      await hold.reached;
      const lost = service.nodeWith(service.model.askedOf(story)[0]?.apiKey ?? null);
      const isSame = service.model.askedOf(child)[0]?.apiKey === lost.apiKey;
      await lost.process.kill();
      hold.release();
      await expectOneChild(service, { story, runId, calm, lost: isSame ? 1 : 0 });
      expect(service.model.askedOf(story).at(-1)?.apiKey).not.toBe(lost.apiKey);
    } finally {
      await service.close();
    }
  });
});
