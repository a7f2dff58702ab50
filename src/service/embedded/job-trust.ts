// Whether whoever wrote what a job works on may execute commands on its machine anyway. Pure.

import { eventRules } from "../../contract/ci/events.ts";

export type JobOrigin = {
  /** "local" where no CI started it. */
  readonly provider: string;
  readonly event: string;
  readonly baseRef: string | null;
};

/** False for a pull request too, whoever's it is: a fork's has the same name. */
export function isWritersEvent({ provider, event, baseRef }: JobOrigin): boolean {
  if (provider === "local") return event === "local" && baseRef === null;
  return baseRef === null && eventRules(provider, event).isTrusted;
}
