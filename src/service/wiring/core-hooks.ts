// Hooks of core nouns into nouns of lower floors, which do not know them.

import type { Core } from "../core/core.ts";
import { scheduleApproval } from "../core/schedules/approve-schedule.ts";
import { finishSchedule } from "../core/schedules/end-schedules.ts";
import { activationApproval, executionApproval } from "../core/workflows/approve-workflow.ts";
import { changesetApproval } from "../core/workspaces/changesets/approve-changeset.ts";
import { findPlaceFault } from "../core/workspaces/runs/find-place-fault.ts";
import { grantApproval } from "../core/write-grants/approve-grant.ts";

export const coreHooks: Pick<Core, "approvables" | "onRunContinues" | "onRunEnded"> = {
  approvables: {
    confirm_schedule: scheduleApproval,
    activate_workflow: activationApproval,
    run_workflow: executionApproval,
    grant_writes: grantApproval,
    accept_changeset: changesetApproval,
  },
  onRunContinues: [findPlaceFault],
  onRunEnded: [finishSchedule],
};
