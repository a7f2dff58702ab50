// Many runs on a service whose processes are ended and started again one after the other: what the plays of it share.

import { expect } from "vitest";
import type { DurableService } from "./durable-service.ts";
import { expectNothingKept, type Played } from "./expect-played.ts";
import { noteOf, type Story } from "./played-story.ts";

/** Each has a patch of its own. */
export const STORY_NAMES = ["alpha", "beta", "gamma", "delta"] as const;

/** The one to be ended in this round: one after the other, workers first. */
export function nodeInTurn(service: DurableService, round: number): DurableService["nodes"][number] {
  const workers = service.nodes.filter(({ role }) => role !== "api");
  const inTurn = [...workers, ...service.nodes.filter(({ role }) => role === "api")];
  return inTurn[round % inTurn.length] ?? service.node();
}

export async function unfinishedRuns({ place }: Pick<DurableService, "place">): Promise<number> {
  const rows = await place.query("select id from runs where status in ('queued', 'running', 'cancelling')");
  return rows.length;
}

/** Each note was made once, or the run says that nobody knows about as many. */
export function expectNotesOnce(
  service: Pick<DurableService, "notes">,
  { story, played }: { readonly story: Story; readonly played: Played },
): void {
  let missing = 0;
  for (let turn = story.noteEvery; turn <= story.turns; turn += story.noteEvery) {
    const count = service.notes.countOf(noteOf(story, turn));
    expect(count, `${story.run}, turn ${turn}`).toBeLessThanOrEqual(1);
    if (count === 0) missing += 1;
  }
  const unknown = played.resumed.flatMap(({ unknown_calls }) => unknown_calls);
  expect(missing, story.run).toBeLessThanOrEqual(unknown.length);
}

/** Once every run has ended: stops all processes, and nothing of a run is left anywhere. */
export async function expectNothingLeft(service: DurableService): Promise<void> {
  await expectNothingKept(service);
  expect(service.notes.repeated).toEqual([]);
  const exits = await Promise.all(service.nodes.map((node) => service.stop(node)));
  expect(exits.map(({ code }) => code)).toEqual(service.nodes.map(() => 0));
  expect(await service.leftFiles()).toEqual([]);
  expect(await service.leftProcesses()).toEqual([]);
}
