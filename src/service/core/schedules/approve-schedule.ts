// The approval of a schedule: it is confirmed, or cancelled.

import type { AgentEndingRefusal, AgentRefusal } from "../agents/refusals.ts";
import { type Approvable, inTransaction } from "../approvals/approvable.ts";
import { cancelWithin } from "./cancel-schedule.ts";
import { confirmWithin } from "./confirm-schedule.ts";
import type { ScheduleRefusal } from "./refusals.ts";

declare module "../approvals/approvable.ts" {
  interface ActRefusals {
    confirm_schedule: AgentRefusal | AgentEndingRefusal | ScheduleRefusal;
  }
}

export const scheduleApproval: Approvable<"confirm_schedule"> = {
  approve: inTransaction((core, tx, { agentId, action: { scheduleId } }) =>
    confirmWithin(core, tx, { agentId, scheduleId }),
  ),
  deny: (tx, { scheduleId }) => cancelWithin(tx, scheduleId),
  decided: (core) => core.scheduleAlarm.ring(),
};
