// Types that the Action adds to the recipe's own, shared by its parts.

import type { Environment } from "../base/environment.ts";
import type { CiProvider } from "../ci/provider.ts";
import type { Transport } from "../client/transport.ts";
import type { TypedOutputs } from "../contract/runs/typed-outputs.ts";
import type { AgentRequest } from "../github/trigger/agent-request.ts";
import type { Ending } from "../job/ending.ts";
import type { JobLog, JobPlan, JobSettings } from "../job/job-types.ts";
import type { Interrupts } from "../job/signals.ts";
import type { StatusComment } from "../job/status-comment/status-comment.ts";
import type { Inputs } from "./inputs.ts";
import type { JobFiles } from "./job-files.ts";

export const USER_AGENT = "agent-service-action";

/** The main step's surroundings. */
export type ActionStep = {
  readonly env: Environment;
  /** The job, as GitHub says it is. */
  readonly github: CiProvider;
  /** Aborted by the runner's signals when the job is cancelled. */
  readonly interrupts: Interrupts;
  readonly transport: Transport;
};

export type ActionTypes = {
  readonly settings: JobSettings & {
    readonly inputs: Inputs;
    /** The typed outputs that the step declares. */
    readonly outputs: TypedOutputs | null;
  };
  readonly plan: ActionPlan;
  readonly log: JobLog & { readonly files: JobFiles };
};

export type ActionPlan = JobPlan & {
  /** Null for a step that only examines the job. */
  readonly request: AgentRequest | null;
  /** Null where there is nobody to answer, or no permission to write. */
  readonly statusComment: StatusComment | null;
};

export type ActionEnding = Ending<ActionTypes>;
