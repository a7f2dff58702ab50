// What the main step leaves for the post step.

import { getState, saveState } from "@actions/core";

/** "submitted": a run is in flight and this step has not concluded. "concluded": nothing is left to do but revoke. */
export type Phase = "granted" | "submitted" | "concluded";

export type State = {
  readonly phase: Phase | null;
  readonly capability: string;
  readonly agentId: string;
  readonly runId: string;
};

const names = { phase: "phase", capability: "capability", agentId: "agent-id", runId: "run-id" } as const;

/** Adds to what is left; a later value of a name replaces an earlier one. */
export function leaveState(state: Partial<State>): void {
  for (const key of ["capability", "agentId", "runId", "phase"] as const) {
    const value = state[key];
    if (value !== undefined && value !== null) saveState(names[key], value);
  }
}

/** What the main step left. Empty when it did not come that far. */
export function readState(): State {
  const phase = getState(names.phase);
  return {
    phase: phase === "granted" || phase === "submitted" || phase === "concluded" ? phase : null,
    capability: getState(names.capability),
    agentId: getState(names.agentId),
    runId: getState(names.runId),
  };
}
