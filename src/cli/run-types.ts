// Types that `agent-service run` adds to the recipe's own, shared by its parts. Types only.

import type { Environment } from "../base/environment.ts";
import type { Ending } from "../job/ending.ts";
import type { JobLog, JobPlan, JobSettings } from "../job/job-types.ts";
import type { OpenedService } from "./opened-service.ts";
import type { RunFiles } from "./run-files.ts";
import type { RunOutputs } from "./run-outputs.ts";
import type { RunOrigin } from "./run-service.ts";
import type { RunSettings } from "./run-settings.ts";
import type { WriteBack } from "./run-write-back.ts";

export type CommandTypes = {
  readonly settings: JobSettings;
  readonly plan: JobPlan;
  readonly log: JobLog;
};

export type CommandEnding = Ending<CommandTypes>;

export type RunSurroundings = OpenedService & {
  readonly env: Environment;
  readonly settings: RunSettings;
  readonly origin: RunOrigin;
  readonly files: RunFiles;
  /** Null: the job writes nothing for the run. */
  readonly outputs: RunOutputs | null;
  /** Null: the job writes nothing on the code host. */
  readonly writeBack: WriteBack | null;
};
