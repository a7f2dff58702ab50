// State that the main step leaves for the post step.

import { getState, saveState } from "@actions/core";

/** "submitted": a run is in flight and this step has not concluded. "concluded": there is nothing to do but revoke. */
type SavedState = {
  readonly phase?: "granted" | "submitted" | "concluded";
  readonly capability?: string;
  readonly agentId?: string;
  readonly runId?: string;
  /** The address where people follow it. */
  readonly runUrl?: string;
};

/** Work that is left for the post step. */
export type Leftover =
  | { readonly type: "nothing" }
  | { readonly type: "capability"; readonly capability: string }
  | {
      readonly type: "run";
      readonly capability: string;
      readonly agentId: string;
      readonly runId: string;
      readonly runUrl: string;
    };

const names = {
  phase: "phase",
  capability: "capability",
  agentId: "agent-id",
  runId: "run-id",
  runUrl: "run-url",
} as const;

/** Adds to what is saved; a later value of a name replaces an earlier one. */
export function leaveState(state: SavedState): void {
  for (const key of ["capability", "agentId", "runId", "runUrl", "phase"] as const) {
    const value = state[key];
    if (value !== undefined) saveState(names[key], value);
  }
}

export function readLeftover(): Leftover {
  const capability = getState(names.capability);
  if (capability === "") return { type: "nothing" };
  const runId = getState(names.runId);
  const isInFlight = getState(names.phase) === "submitted" && runId !== "";
  return isInFlight
    ? { type: "run", capability, agentId: getState(names.agentId), runId, runUrl: getState(names.runUrl) }
    : { type: "capability", capability };
}
