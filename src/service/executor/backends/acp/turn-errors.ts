// Errors that end a turn of an agent early, beside faults of its own.

import type { Excess } from "./model-proxy/proxy-budget.ts";
import type { AgentPlace } from "./taken-up/agent-journal.ts";

/** The agent does not go on with the session of an earlier process, and has said nothing. */
export class SessionLostError extends Error {
  override readonly name = "SessionLostError";
  readonly code = "session_lost";
}

/** The connection to an agent that works elsewhere was cut: what was said to it cannot be said again. What it has left is to be gone on with. */
export class AgentCutError extends Error {
  override readonly name = "AgentCutError";
  readonly code = "agent_cut";
  /** Null where it had no session yet. */
  readonly left: AgentPlace | null;

  constructor(left: AgentPlace | null) {
    super("The connection to the agent was cut.");
    this.left = left;
  }
}

/** The turn has used more than it may. */
export class BoundPassed extends Error {
  readonly code = "bound_passed";
  readonly excess: Excess;

  constructor(excess: Excess) {
    super(`The turn has passed a bound: ${excess}.`);
    this.excess = excess;
  }
}
