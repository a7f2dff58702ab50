// What a run must be whose worker was killed while it played a story, held against one that nothing has disturbed.

import { expect } from "vitest";
import { CHANGES_EVENT } from "../../../src/contract/runs/changes.ts";
import type { StoredRunEvent, WrittenEvent } from "../../../src/contract/runs/run-event.ts";
import { expectSoundLedger } from "../service-ledger.ts";
import { expectValidStream } from "../service-streams.ts";
import type { DurableService } from "./durable-service.ts";
import { idealRequests, noteOf, type Story } from "./played-story.ts";

export type Resumed = {
  readonly turn: number;
  readonly after: "lost_worker" | "handover" | "fork";
  readonly unknown_calls: readonly string[];
  readonly message?: string;
  readonly forked_from?: string;
};

export type Played = {
  readonly stored: readonly StoredRunEvent[];
  readonly events: readonly WrittenEvent[];
  readonly patch: string;
  readonly grossMicroUsd: number;
  /** In the order of the stream. */
  readonly resumed: readonly Resumed[];
};

/** Waits until the run has completed, and returns what its stream says of it. */
export async function expectCompleted(service: DurableService, runId: string): Promise<Played> {
  const stored = await service.job.follow(runId);
  const events = await expectValidStream(stored);
  const run = await service.job.run(runId);
  if (run.status !== "completed") throw new Error(`The run has not completed: ${JSON.stringify(run)}`);
  expect(events.filter(({ type }) => type === "RUN_STARTED")).toHaveLength(1);
  expect(events.filter(({ type }) => type === "RUN_FINISHED")).toHaveLength(1);
  return {
    stored,
    events,
    patch: patchIn(events),
    grossMicroUsd: run.gross_micro_usd ?? 0,
    resumed: valuesOf(events, "resumed") as Resumed[],
  };
}

/** No request of the model was sent more often than the kills account for, and each note was made at most once. */
export function expectFewRequests(
  { model, notes }: Pick<DurableService, "model" | "notes">,
  { story, lost }: { readonly story: Story; readonly lost: number },
): void {
  expect(model.askedOf(story).length, story.run).toBeLessThanOrEqual(idealRequests(story) + lost);
  expect(model.askedOf(story).length, story.run).toBeGreaterThanOrEqual(idealRequests(story));
  for (let turn = 1; turn <= story.turns; turn += 1)
    expect(notes.countOf(noteOf(story, turn)), `${story.run}, turn ${turn}`).toBeLessThanOrEqual(1);
}

/** Once no run is at work: the books are right, and nothing of a run is left in the store. */
export async function expectNothingKept({ place }: Pick<DurableService, "place">): Promise<void> {
  await expectSoundLedger(place);
  expect(
    await place.query("select id from runs where status in ('queued', 'running', 'cancelling')"),
  ).toEqual([]);
  expect(await place.query("select run_id from run_journal")).toEqual([]);
  expect(await place.query("select run_id from released_runs")).toEqual([]);
}

/** The last one counts: a worker that was lost at the end had reported them, too. "" where there is none. */
export function patchIn(events: readonly WrittenEvent[]): string {
  const changes = valuesOf(events, CHANGES_EVENT).at(-1);
  return changes === undefined ? "" : (changes as { readonly patch: string }).patch;
}

function valuesOf(events: readonly WrittenEvent[], name: string): readonly unknown[] {
  return events.flatMap((event) => {
    const { type, ...said }: { type: string; name?: unknown; value?: unknown } = event;
    return type === "CUSTOM" && said.name === name ? [said.value] : [];
  });
}
