// A worker is lost at chosen points of a run of the built-in model agent, and another one goes on with it: as if nothing had happened,
// but that the last request to the model may be paid twice, and that a call with an unknown result is not repeated.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import { turnUsageOf } from "../../src/contract/runs/turn-usage.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import {
  expectCompleted,
  expectFewRequests,
  expectNothingKept,
  type Played,
  type Resumed,
} from "../support/durable/expect-played.ts";
import {
  type HoldPlace,
  idealRequests,
  NOTE_TOOL,
  noteOf,
  type Story,
} from "../support/durable/played-story.ts";
import { postgresStore, sqliteStore } from "../support/stores/stores.ts";

const TURNS = 3;
/** The one in which the worker is lost. It makes a note where its story has notes. */
const LOST_TURN = 2;
const JOURNAL_ENTRY = /insert into "run_journal"/;
/** What the model is told of a call that was begun. */
const NOT_KNOWN = /not known/;
const POSTING = /insert into "ledger_postings"/;
/** Time for one of two runs to reach its boundary; the other one makes the test wait for all of it. */
const DRAIN_SECONDS = "2";

type Point = {
  readonly at: string;
  /** Where the run is held before it begins. */
  readonly hold: { readonly turn: number; readonly place: HoldPlace } | "note";
  readonly hasNotes: boolean;
  /** Requests beside those of an undisturbed run. */
  readonly paidTwice: 0 | 1;
  readonly resumed: readonly Resumed[];
  /** How often the note is made in all. Default: the story has none. */
  readonly notes?: 0 | 1;
};

/** One that the process gets to by itself. */
type PointInStore = Point & { readonly when: "before" | "after"; readonly statement: RegExp };
type PointInProgram = Point & { readonly when: "within"; readonly program: RegExp };

const lostIn = (turn: number, unknown_calls: readonly string[] = []): readonly Resumed[] => [
  { turn, after: "lost_worker", unknown_calls },
];

/** The process is killed once for all of them. */
const heldPoints: readonly Point[] = [
  {
    at: "before a request is answered",
    hold: { turn: LOST_TURN, place: "unanswered" },
    hasNotes: false,
    paidTwice: 1,
    resumed: lostIn(LOST_TURN),
  },
  {
    at: "in the middle of an answer",
    hold: { turn: LOST_TURN, place: "within" },
    hasNotes: false,
    paidTwice: 1,
    resumed: lostIn(LOST_TURN),
  },
  {
    at: "in the middle of a call that acts outside of the run",
    hold: "note",
    hasNotes: true,
    paidTwice: 0,
    resumed: lostIn(LOST_TURN + 1, [NOTE_TOOL]),
    notes: 1,
  },
];

const ownPoints: readonly (PointInStore | PointInProgram)[] = [
  {
    at: "before a request is sent",
    hold: { turn: LOST_TURN - 1, place: "unanswered" },
    when: "after",
    statement: JOURNAL_ENTRY,
    hasNotes: false,
    paidTwice: 0,
    resumed: lostIn(LOST_TURN),
  },
  {
    at: "between an answer and a call that acts outside of the run",
    hold: { turn: LOST_TURN, place: "unanswered" },
    when: "before",
    statement: JOURNAL_ENTRY,
    hasNotes: true,
    paidTwice: 1,
    resumed: lostIn(LOST_TURN),
    notes: 1,
  },
  {
    at: "once such a call is in the journal and before it is made",
    hold: { turn: LOST_TURN, place: "unanswered" },
    when: "after",
    statement: JOURNAL_ENTRY,
    hasNotes: true,
    paidTwice: 0,
    resumed: lostIn(LOST_TURN + 1, [NOTE_TOOL]),
    notes: 0,
  },
  {
    at: "between such a call and the journal",
    hold: "note",
    when: "before",
    statement: JOURNAL_ENTRY,
    hasNotes: true,
    paidTwice: 0,
    resumed: lostIn(LOST_TURN + 1, [NOTE_TOOL]),
    notes: 1,
  },
  {
    at: "between a write to the files and the journal",
    hold: { turn: LOST_TURN, place: "unanswered" },
    when: "before",
    statement: JOURNAL_ENTRY,
    hasNotes: false,
    paidTwice: 1,
    resumed: lostIn(LOST_TURN),
  },
  {
    at: "while git looks for changed files for the journal",
    hold: { turn: LOST_TURN, place: "unanswered" },
    when: "within",
    program: /git .*diff-files/,
    hasNotes: false,
    paidTwice: 1,
    resumed: lostIn(LOST_TURN),
  },
  {
    at: "before the end is committed",
    hold: { turn: TURNS + 1, place: "unanswered" },
    when: "before",
    statement: POSTING,
    hasNotes: false,
    paidTwice: 1,
    resumed: lostIn(TURNS + 1),
  },
  {
    at: "once the end is committed",
    hold: { turn: TURNS + 1, place: "unanswered" },
    when: "after",
    statement: POSTING,
    hasNotes: false,
    paidTwice: 0,
    resumed: [],
  },
];

/** Plays a story that nothing disturbs. */
async function playCalm(service: DurableService, story: Story): Promise<Played> {
  const played = await expectCompleted(service, await service.submit(story));
  expectFewRequests(service, { story, lost: 0 });
  expect(played.resumed).toEqual([]);
  expect(played.patch).toContain("+Turn 3 of alpha.");
  expect(turnsIn(played).map(({ turn }) => turn)).toEqual([1, 2, 3, 4]);
  return played;
}

/** The turns that a stream tells the tokens of, each with the count of its requests. */
function turnsIn({ events }: Played) {
  return events.flatMap((event) => {
    const told = turnUsageOf(event);
    return told === null ? [] : [{ turn: told.turn, requests: told.requests }];
  });
}

function storyOf(run: string, hasNotes: boolean): Story {
  return { name: "alpha", run, turns: TURNS, noteEvery: hasNotes ? LOST_TURN : 0 };
}

describe("a run on SQLite whose process is killed", () => {
  let service: DurableService;
  let calm: Played;
  beforeAll(async () => {
    service = await DurableService.start({ store: sqliteStore, settings: { DRAIN_SECONDS } });
    calm = await playCalm(service, storyOf("calm", false));
  });
  afterAll(async () => {
    expect(service.notes.repeated).toEqual([]);
    expect((await service.stop()).code).toBe(0);
    expect(await service.leftFiles()).toEqual([]);
    expect(await service.leftProcesses()).toEqual([]);
    await service.close();
  });

  /** Plays a story until the run is held. */
  const playTo = async ({ story, hold: place }: { story: Story; hold: Point["hold"] }) => {
    const hold =
      place === "note" ? service.notes.hold(noteOf(story, LOST_TURN)) : service.model.hold(story, place);
    const runId = await service.submit(story);
    await hold.reached;
    if (place !== "note" && place.place === "within") await service.untilSpoken(runId, place.turn);
    const { events: seen } = await service.job.page(runId);
    return { runId, seen, release: hold.release };
  };

  const expectTakenUp = async (
    { hasNotes, paidTwice, resumed, notes = 0 }: Point,
    { story, runId, seen }: { story: Story; runId: string; seen: readonly StoredRunEvent[] },
  ) => {
    const played = await expectCompleted(service, runId);
    expect(played.stored.slice(0, seen.length), story.run).toEqual(seen);
    expect(played.patch, story.run).toBe(calm.patch);
    expect(played.resumed, story.run).toEqual(resumed);
    expect(turnsIn(played), story.run).toEqual(turnsIn(calm));
    expectFewRequests(service, { story, lost: paidTwice });
    if (hasNotes) expect(service.notes.countOf(noteOf(story, LOST_TURN)), story.run).toBe(notes);
    const isTold = service.model.askedOf(story).some(({ told }) => NOT_KNOWN.test(told));
    expect(isTold, story.run).toBe(resumed.some(({ unknown_calls }) => unknown_calls.length > 0));
    // A request that was sent and lost counts as what was reserved for it: never less than what it was.
    expect(played.grossMicroUsd, story.run).toBeGreaterThanOrEqual(calm.grossMicroUsd);
  };

  it("in the middle of requests and calls goes on", async () => {
    const held = await Promise.all(
      heldPoints.map(async (point) => {
        const story = storyOf(point.at.replaceAll(" ", "-"), point.hasNotes);
        return { point, story, ...(await playTo({ story, hold: point.hold })) };
      }),
    );
    await service.node().process.kill();
    for (const { release } of held) release();
    await service.startAgain();
    for (const { point, ...run } of held) await expectTakenUp(point, run);
    await expectNothingKept(service);
  });

  it.each(ownPoints)("$at goes on", async (point) => {
    const story = storyOf(point.at.replaceAll(" ", "-"), point.hasNotes);
    const { release, ...run } = await playTo({ story, hold: point.hold });
    if (point.when === "within") await service.killWithin(point.program);
    else await service.killAround(point.when, point.statement);
    release();
    await service.killed(run.runId);
    await service.startAgain();
    await expectTakenUp(point, { story, ...run });
    await expectNothingKept(service);
  });

  it("is handed over by a service that is stopped: at a boundary of a turn, or as it stands where it reaches none in time", async () => {
    const inTime = storyOf("stopped", false);
    const late = storyOf("stopped-late", false);
    const hold = { turn: LOST_TURN, place: "within" } as const;
    const [first, second] = await Promise.all([
      playTo({ story: inTime, hold }),
      playTo({ story: late, hold }),
    ]);
    const stopping = service.stop();
    await service.closed();
    first.release();
    expect((await stopping).code).toBe(0);
    second.release();
    expect(await service.leftFiles()).toEqual([]);
    await service.startAgain();

    const played = await expectCompleted(service, first.runId);
    expect(played.patch).toBe(calm.patch);
    expect(turnsIn(played)).toEqual(turnsIn(calm));
    expect(played.resumed).toEqual([{ turn: LOST_TURN + 1, after: "handover", unknown_calls: [] }]);
    expect(service.model.askedOf(inTime)).toHaveLength(idealRequests(inTime));
    expect(played.grossMicroUsd).toBe(calm.grossMicroUsd);

    const other = await expectCompleted(service, second.runId);
    expect(other.patch).toBe(calm.patch);
    expect(turnsIn(other)).toEqual(turnsIn(calm));
    expect(other.resumed).toEqual([{ turn: LOST_TURN, after: "handover", unknown_calls: [] }]);
    expectFewRequests(service, { story: late, lost: 1 });
    await expectNothingKept(service);
  });
});

describe("a run on PostgreSQL whose worker is lost", { tags: ["postgres"] }, () => {
  let service: DurableService;
  let calm: Played;
  beforeAll(async () => {
    service = await DurableService.start({
      store: postgresStore,
      roles: ["api", "worker", "worker"],
    });
    calm = await playCalm(service, storyOf("calm", true));
  });
  afterAll(async () => {
    await service.close();
  });

  it("goes on with another worker", async () => {
    const story = storyOf("killed", true);
    const held = service.notes.hold(noteOf(story, LOST_TURN));
    const runId = await service.submit(story);
    await held.reached;
    const lost = service.nodeWith(service.model.askedOf(story)[0]?.apiKey ?? null);
    await lost.process.kill();

    const played = await expectCompleted(service, runId);
    expect(played.patch).toBe(calm.patch);
    expect(turnsIn(played)).toEqual(turnsIn(calm));
    expect(played.resumed).toEqual(lostIn(LOST_TURN + 1, [NOTE_TOOL]));
    expectFewRequests(service, { story, lost: 0 });
    expect(service.notes.countOf(noteOf(story, LOST_TURN))).toBe(1);
    expect(service.model.askedOf(story).at(-1)?.apiKey).not.toBe(lost.apiKey);
    await expectNothingKept(service);
    await service.startAgain(lost);
    expect(await service.leftFiles()).toEqual([]);
  });

  it("is handed over to another worker by one that is stopped", async () => {
    const story = storyOf("stopped", true);
    const held = service.model.hold(story, { turn: LOST_TURN, place: "within" });
    const runId = await service.submit(story);
    await held.reached;
    const stopped = service.nodeWith(service.model.askedOf(story)[0]?.apiKey ?? null);
    const stopping = service.stop(stopped);
    await service.closed(stopped);
    held.release();
    expect((await stopping).code).toBe(0);

    const played = await expectCompleted(service, runId);
    expect(played.patch).toBe(calm.patch);
    expect(turnsIn(played)).toEqual(turnsIn(calm));
    expect(played.resumed).toEqual([{ turn: LOST_TURN + 1, after: "handover", unknown_calls: [] }]);
    expect(service.model.askedOf(story)).toHaveLength(idealRequests(story));
    expect(service.model.askedOf(story).at(-1)?.apiKey).not.toBe(stopped.apiKey);
    expect(service.notes.countOf(noteOf(story, LOST_TURN))).toBe(1);
    await expectNothingKept(service);
    expect(await service.leftFiles()).toEqual([]);
  });
});
