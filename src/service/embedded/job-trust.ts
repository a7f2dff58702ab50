// Whether the authors of what a job works on may execute commands on its machine anyway. Pure.

import { eventRules } from "../../contract/ci/events.ts";

export type JobOrigin = {
  /** "local" where no CI started it. */
  readonly provider: string;
  readonly event: string;
  readonly baseRef: string | null;
};

/** False for every pull request: a fork's has the same event. */
export function isWritersEvent({ provider, event, baseRef }: JobOrigin): boolean {
  if (provider === "local") return event === "local" && baseRef === null;
  return baseRef === null && eventRules(provider, event).isTrusted;
}
