// What the main step knows so far: filled in as the recipe goes, read when it ends, wherever that is.

import type { ExchangeResponse } from "../contract/exchange.ts";
import type { FollowLog } from "./follow-log.ts";
import type { Inputs } from "./inputs.ts";
import type { JobFiles } from "./job-files.ts";

export type Progress = {
  inputs: Inputs | null;
  grant: ExchangeResponse | null;
  isSubmitting: boolean;
  run: { readonly id: string; readonly url: string; readonly sessionId: string } | null;
  files: JobFiles | null;
  log: FollowLog | null;
};
