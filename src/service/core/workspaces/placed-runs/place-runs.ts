// Places of runs that work in workspaces: a read of its own, which services without workspaces do not make.

import type { Core } from "../../core.ts";
import type { RunRecord, RunWorkspace } from "../../runs/run-record.ts";

/** A run, and where it works. Undefined: in no workspace. */
export type PlacedRun = { readonly run: RunRecord; readonly place: RunWorkspace | undefined };

/** In the order of the runs. */
export async function placeRuns(core: Core, runs: readonly RunRecord[]): Promise<readonly PlacedRun[]> {
  const ids = runs.map(({ id }) => id);
  const places = core.workspaces === null ? [] : await core.store.committed.workspaceRuns.find(ids);
  const byRun = new Map(places.map((place) => [place.runId, place]));
  return runs.map((run) => ({ run, place: byRun.get(run.id) }));
}
