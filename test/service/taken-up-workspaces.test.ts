// The worker of a workspace's run is lost: the next one goes on in the same copy, with the files as they were at the last turn, and makes
// nothing twice.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run } from "../../src/contract/runs/run.ts";
import type { WorkerView } from "../../src/contract/workspaces/workers/worker.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectNothingKept, type Resumed } from "../support/durable/expect-played.ts";
import { childOf, idealRequests, messageOf, type Story } from "../support/durable/played-story.ts";
import { type Place, PlayedWorkspaces, UNSAVED } from "../support/durable/played-workspaces.ts";
import { postgresStore, sqliteStore } from "../support/stores/stores.ts";

const LOST_TURN = 2;
const JOURNAL_ENTRY = /insert into "run_journal"/;
const WORKER = /insert into "workers"/;
const CHANGESET = /insert into "changesets"/;

function storyOf(run: string): Story {
  return { name: "alpha", run, turns: 3, noteEvery: 0 };
}

function managerStoryOf(run: string): Story {
  return { name: "manager", run, turns: 5, noteEvery: 0, managesIn: LOST_TURN };
}

type CalmWorker = {
  readonly patch: string;
  readonly files: Readonly<Record<string, string>>;
  readonly gross: number;
};

async function playCalmWorker(played: PlayedWorkspaces): Promise<CalmWorker> {
  const { worker, ...place } = await played.startWorker(messageOf(storyOf("calm")));
  const { patch, run, resumed } = await played.ended(worker.run_id);
  expect(resumed).toEqual([]);
  const saved = await played.savedWorker(place, worker.id);
  const files = await played.filesOf(place, saved.saved_revision_id ?? "");
  expect(Object.keys(files).toSorted()).toEqual(["turn-1.txt", "turn-2.txt", "turn-3.txt", UNSAVED.path]);
  return { patch, files, gross: grossOf(run) };
}

function grossOf(run: Run): number {
  if (run.status !== "completed") throw new Error(`The run has not completed: ${JSON.stringify(run)}`);
  return run.gross_micro_usd ?? 0;
}

/** The run is what it would have been, from one worker of the workspace that is saved once. */
async function expectSameWork(
  played: PlayedWorkspaces,
  {
    story,
    started,
    calm,
    paidTwice,
  }: {
    readonly story: Story;
    readonly started: Place & { readonly worker: WorkerView };
    readonly calm: CalmWorker;
    readonly paidTwice: 0 | 1;
  },
): Promise<void> {
  const { worker, ...place } = started;
  const { run, patch, resumed } = await played.ended(worker.run_id);
  // The request that was about to be sent costs what was reserved for it.
  expect(grossOf(run)).toBeGreaterThanOrEqual(calm.gross);
  expect(resumed.map(({ after }) => after)).toEqual(["lost_worker"]);
  expect(played.service.model.askedOf(story)).toHaveLength(idealRequests(story) + paidTwice);
  expect(patch).toBe(calm.patch);
  const saved = await played.savedWorker(place, worker.id);
  expect(saved).toMatchObject({ save_state: "saved", save_error: null });
  expect(await played.filesOf(place, saved.saved_revision_id ?? "")).toEqual(calm.files);
  const { workspaceId, copyId: workingCopyId } = place;
  expect(await played.client.copies.get({ workspaceId, workingCopyId })).toMatchObject({ state: "ready" });
  await expectNothingKept(played.service);
}

type Proposed = { readonly files: number; readonly patch: string; readonly workers: number };

/** One worker, one task group, one changeset, whose work is the worker's. */
async function expectOneProposal(
  played: PlayedWorkspaces,
  { place, runId }: { readonly place: Place; readonly runId: string },
): Promise<Proposed & { readonly resumed: readonly Resumed[] }> {
  const { run, patch, resumed } = await played.ended(runId);
  grossOf(run);
  const { workspaceId } = place;
  const { items: workers } = await played.client.workers.list({ workspaceId });
  const { items: changesets } = await played.client.changesets.list({ workspaceId });
  const { items: groups } = await played.client.taskGroups.list({ workspaceId });
  expect(workers.map(({ save_state }) => save_state)).toEqual(["saved"]);
  expect(groups.filter(({ id }) => id !== place.groupId)).toHaveLength(1);
  expect(changesets).toHaveLength(1);
  expect(resumed.flatMap(({ unknown_calls }) => unknown_calls)).toEqual([]);
  await expectNothingKept(played.service);
  return { patch, resumed, workers: workers.length, files: changesets[0]?.files ?? 0 };
}

describe("runs of a workspace on SQLite whose process is killed", () => {
  let played: PlayedWorkspaces;
  let calm: CalmWorker;
  let proposed: Proposed;
  beforeAll(async () => {
    played = new PlayedWorkspaces(await DurableService.start({ store: sqliteStore }));
    calm = await playCalmWorker(played);
    const { runId, ...place } = await played.startManager(messageOf(managerStoryOf("calm-manager")));
    const { resumed, ...made } = await expectOneProposal(played, { place, runId });
    expect(resumed).toEqual([]);
    proposed = made;
  });
  afterAll(async () => {
    await played.service.close();
  });

  it.each(["unanswered", "within"] as const)("goes on in its copy after an answer lost %s", async (place) => {
    const { service } = played;
    const story = storyOf(`lost-${place}`);
    const hold = service.model.hold(story, { turn: LOST_TURN, place });
    const started = await played.startWorker(messageOf(story));
    await hold.reached;
    await service.node().process.kill();
    hold.release();
    await service.startAgain();
    await expectSameWork(played, { story, started, calm, paidTwice: 1 });
  });

  it.each([
    { at: "before", paidTwice: 1 },
    { at: "after", paidTwice: 0 },
  ] as const)("goes on where it was lost $at a turn's entry", async ({ at, paidTwice }) => {
    const { service } = played;
    const story = storyOf(`entry-${at}`);
    const hold = service.model.hold(story, { turn: LOST_TURN, place: "unanswered" });
    const started = await played.startWorker(messageOf(story));
    await hold.reached;
    await service.killAround(at, JOURNAL_ENTRY);
    hold.release();
    await service.node().process.ended;
    await service.startAgain();
    await expectSameWork(played, { story, started, calm, paidTwice });
  });

  it.each([
    { of: "a worker", turn: LOST_TURN, when: "before", statement: WORKER },
    { of: "a worker", turn: LOST_TURN, when: "after", statement: WORKER },
    { of: "a changeset", turn: LOST_TURN + 2, when: "before", statement: CHANGESET },
    { of: "a changeset", turn: LOST_TURN + 2, when: "after", statement: CHANGESET },
  ] as const)(
    "has one worker and one changeset where its manager was lost $when the row of $of",
    async ({ of, turn, when, statement }) => {
      const { service } = played;
      const story = managerStoryOf(`${when}-${of.replaceAll(" ", "-")}`);
      const hold = service.model.hold(story, { turn, place: "unanswered" });
      const { runId, ...place } = await played.startManager(messageOf(story));
      await hold.reached;
      await service.killAround(when, statement);
      hold.release();
      await service.node().process.ended;
      await service.startAgain();
      const { resumed, ...made } = await expectOneProposal(played, { place, runId });
      expect(made).toEqual(proposed);
      expect(resumed).toHaveLength(1);
      expect(service.model.askedOf(story)).toHaveLength(idealRequests(story));
      expect(service.model.askedOf(childOf(story)).length).toBeLessThanOrEqual(
        idealRequests(childOf(story)) + 1,
      );
    },
  );

  it("is handed over by a process that stops, and keeps its copy", async () => {
    const { service } = played;
    const story = storyOf("handed-over");
    const hold = service.model.hold(story, { turn: LOST_TURN, place: "unanswered" });
    const { worker, ...place } = await played.startWorker(messageOf(story));
    await hold.reached;
    const stopping = service.stop();
    await service.closed();
    hold.release();
    expect((await stopping).code).toBe(0);
    const held = `select held_by_run_id from copies where id = '${place.copyId}'`;
    expect(await service.place.query(held)).toEqual([{ held_by_run_id: worker.run_id }]);
    await service.startAgain();
    const { run, patch, resumed } = await played.ended(worker.run_id);
    expect(resumed.map(({ after }) => after)).toEqual(["handover"]);
    expect(grossOf(run)).toBe(calm.gross);
    expect(service.model.askedOf(story)).toHaveLength(idealRequests(story));
    expect(patch).toBe(calm.patch);
    const saved = await played.savedWorker(place, worker.id);
    expect(await played.filesOf(place, saved.saved_revision_id ?? "")).toEqual(calm.files);
  });
});

describe("runs of a workspace on PostgreSQL whose worker is lost", { tags: ["postgres"] }, () => {
  let played: PlayedWorkspaces;
  beforeAll(async () => {
    const roles = ["api", "worker", "worker"] as const;
    played = new PlayedWorkspaces(await DurableService.start({ store: postgresStore, roles }));
  });
  afterAll(async () => {
    await played.service.close();
  });

  it("goes on in its copy on another one, and nobody else writes there meanwhile", async () => {
    const { service, client } = played;
    const calm = await playCalmWorker(played);
    const story = storyOf("lost");
    const hold = service.model.hold(story, { turn: LOST_TURN, place: "unanswered" });
    const started = await played.startWorker(messageOf(story));
    await hold.reached;
    const lost = service.nodeWith(service.model.askedOf(story)[0]?.apiKey ?? null);
    await lost.process.kill();
    hold.release();
    const { workspaceId, copyId: workingCopyId } = started;
    const writing = client.copyFiles.write({ workspaceId, workingCopyId, body: UNSAVED });
    await expect(writing).rejects.toMatchObject({ status: 409 });
    await expectSameWork(played, { story, started, calm, paidTwice: 1 });
    expect(service.model.askedOf(story).at(-1)?.apiKey).not.toBe(lost.apiKey);
    await service.startAgain(lost);
  });

  it("has one worker and one changeset after its manager's worker was lost", async () => {
    const { service } = played;
    const story = managerStoryOf("lost-manager");
    const hold = service.model.hold(childOf(story), { turn: 1, place: "unanswered" });
    const { runId, ...place } = await played.startManager(messageOf(story));
    await hold.reached;
    const lost = service.nodeWith(service.model.askedOf(story)[0]?.apiKey ?? null);
    await lost.process.kill();
    hold.release();
    const { resumed } = await expectOneProposal(played, { place, runId });
    expect(resumed.map(({ after }) => after)).toEqual(["lost_worker"]);
  });
});
