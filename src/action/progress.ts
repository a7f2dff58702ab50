// What the main step knows so far: filled in as the recipe goes, read when it ends, wherever that is.

import type { ExchangeResponse } from "../contract/exchange.ts";
import type { EmbeddedService } from "./embedded-service.ts";
import type { FollowLog } from "./follow-log.ts";
import type { Inputs } from "./inputs.ts";
import type { JobFiles } from "./job-files.ts";

export type Progress = {
  inputs: Inputs | null;
  /** The service inside this job; null where it is another one, or has not started. */
  embedded: EmbeddedService | null;
  grant: ExchangeResponse | null;
  isSubmitting: boolean;
  /** The URL is null where nobody can follow it: the service ends with the step. */
  run: { readonly id: string; readonly url: string | null; readonly sessionId: string } | null;
  files: JobFiles | null;
  log: FollowLog | null;
};
