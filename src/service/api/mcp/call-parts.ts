// What every call of one request has.

import type { AccountCaller } from "../../core/accounts/caller.ts";
import type { Core } from "../../core/core.ts";
import type { RunSubmitter } from "../../core/runs/submit-run.ts";
import type { Waits } from "./waits.ts";

export type CallParts = {
  readonly core: Core;
  readonly submitter: RunSubmitter;
  /** An AI client, whatever credential the request has. */
  readonly caller: AccountCaller;
  readonly requestId: string;
  readonly waits: Waits;
};
