// Ends what an agent was to do in a workspace later: its schedules are cancelled, its workflows deactivated. Of every agent, when
// the workspace is deleted: then its workflows are, too.

import { scheduleSubject } from "../../approvals/approval-subject.ts";
import { resolveElsewhere } from "../../approvals/request-approval.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { cancelled, notDispatched, type ScheduleRecord } from "../../schedules/schedule-machine.ts";

const PAGE = 100;

/** The caller wakes the scheduler once it is committed. Null: of every agent. */
export async function endConsumersOf(
  core: Core,
  tx: StoreTransaction,
  { workspaceId, agentId }: { readonly workspaceId: string; readonly agentId: string | null },
): Promise<void> {
  const now = core.clock.now();
  for (const id of await tx.workspaceSchedules.listOpen({ workspaceId, agentId })) {
    const schedule = await tx.schedules.lock(id);
    if (schedule === null) continue;
    const move = moveToEnd(schedule, now);
    if (move !== null && (await tx.schedules.move(move)) !== null) {
      await resolveElsewhere(core, tx, { agentId: schedule.agentId, subject: scheduleSubject(id) });
    }
  }
  for (let before: string | null = null; ; ) {
    const workflows = await tx.workspaceWorkflows.list({ workspaceId, before, limit: PAGE });
    for (const { id, agentId: executor } of workflows) {
      // Without their workspace they are nobody's.
      if (agentId === null) await tx.workflows.delete(id);
      else if (agentId === executor) await tx.workflows.deactivate({ id, now });
    }
    const last = workflows.at(-1);
    if (workflows.length < PAGE || last === undefined) return;
    before = last.id;
  }
}

/** One that is firing fails: its run is undone, unless it was committed before. */
function moveToEnd(schedule: ScheduleRecord, now: number) {
  if (schedule.status !== "firing") return cancelled(schedule);
  const error = "workspace_left: the agent does not work in the workspace any more.";
  return notDispatched(schedule, { error, isPassing: false, now, random: 0 });
}
