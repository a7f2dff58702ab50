// The schedules of a workspace: as an agent's, of its manager.
// Why: docs/decisions/087-consumers-of-a-workspace.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Unkeyed } from "../../../../contract/fields.ts";
import type { CreateScheduleRequest } from "../../../../contract/schedules/schedule.ts";
import type { AccountCaller } from "../../accounts/caller.ts";
import type { AgentEndingRefusal, AgentRefusal } from "../../agents/refusals.ts";
import { scheduleSubject } from "../../approvals/approval-subject.ts";
import { resolveElsewhere } from "../../approvals/request-approval.ts";
import type { Core } from "../../core.ts";
import { onceByKey } from "../../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import { cancelWithin } from "../../schedules/cancel-schedule.ts";
import { type InsertRefusal, insertSchedule } from "../../schedules/insert-schedule.ts";
import type { ScheduleRefusal } from "../../schedules/refusals.ts";
import type { ScheduleRecord } from "../../schedules/schedule-machine.ts";
import { lockOwnAgent } from "../lock-own-agent.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "../page.ts";
import { reachForWork, reachWorkspace } from "../reach-workspace.ts";
import type { WorkRefusal, WorkspaceRefusal, WorkspaceRunRefusal } from "../refusals.ts";

type InWorkspace = { readonly caller: AccountCaller; readonly workspaceId: string };
type CreateRefusal =
  | WorkspaceRefusal
  | WorkRefusal
  | AgentRefusal
  | AgentEndingRefusal
  | InsertRefusal
  | WorkspaceRunRefusal;

/** Newest first. */
export async function listWorkspaceSchedules(
  core: Core,
  { query, ...request }: InWorkspace & { readonly query: PageRequest },
): Promise<Result<Page<ScheduleRecord>, WorkspaceRefusal | CursorRefusal>> {
  const workspace = await reachWorkspace(core, request);
  if (!workspace.ok) return workspace;
  const { workspaceId } = request;
  return await pageById(query, (of) => core.store.committed.workspaceSchedules.list({ workspaceId, ...of }));
}

/** Creates a schedule; one of an AI client waits for the owner. Safe to repeat with a key. */
export async function createWorkspaceSchedule(
  core: Core,
  request: InWorkspace & {
    readonly body: Unkeyed<CreateScheduleRequest>;
    readonly idempotencyKey: string | null;
  },
): Promise<OnceResult<ScheduleRecord, CreateRefusal | KeyInFlightRefusal | KeyReusedRefusal>> {
  const { caller, workspaceId, body, idempotencyKey: key } = request;
  const { accountId } = caller;
  const keyed = { scope: `schedules ${workspaceId}`, accountId, key, request: body };
  const made = await onceByKey<CreateRefusal>(core, keyed, async (tx) => {
    await tx.workspaces.share(workspaceId);
    const workspace = await reachForWork(core, request, tx);
    if (!workspace.ok) return workspace;
    const agent = await lockOwnAgent(tx, { accountId, agentId: workspace.value.managerAgentId });
    if (!agent.ok) return agent;
    const { session_id: sessionId } = body;
    if (sessionId !== undefined && (await tx.threads.find(sessionId))?.workspaceId !== workspaceId) {
      return refused({ reason: "session_of_no_workspace", sessionId, workspaceId });
    }
    const schedule = await insertSchedule(core, tx, { agent: agent.value, caller, body });
    if (!schedule.ok) return schedule;
    const { id: scheduleId } = schedule.value;
    await tx.workspaceSchedules.insert({ workspaceId, scheduleId });
    return ok(scheduleId);
  });
  if (!made.ok) return made;
  core.scheduleAlarm.ring();
  return onceResult(
    await findScheduleOf(core, { workspaceId, scheduleId: made.value.subjectId }),
    made.value,
  );
}

export async function findWorkspaceSchedule(
  core: Core,
  { scheduleId, ...request }: InWorkspace & { readonly scheduleId: string },
): Promise<Result<ScheduleRecord, WorkspaceRefusal | ScheduleRefusal>> {
  const workspace = await reachWorkspace(core, request);
  if (!workspace.ok) return workspace;
  return await findScheduleOf(core, { workspaceId: request.workspaceId, scheduleId });
}

/** Also for an account whose new work is not taken. */
export async function cancelWorkspaceSchedule(
  core: Core,
  request: InWorkspace & { readonly scheduleId: string },
): Promise<Result<ScheduleRecord, WorkspaceRefusal | ScheduleRefusal>> {
  const found = await findWorkspaceSchedule(core, request);
  if (!found.ok) return found;
  const { id: scheduleId, agentId } = found.value;
  const settled = await core.store.transact(async (tx) => {
    const done = await cancelWithin(tx, scheduleId);
    if (done.ok) await resolveElsewhere(core, tx, { agentId, subject: scheduleSubject(scheduleId) });
    return done;
  });
  if (settled.ok) core.scheduleAlarm.ring();
  return settled;
}

async function findScheduleOf(
  { store: { committed } }: Core,
  { workspaceId, scheduleId }: { readonly workspaceId: string; readonly scheduleId: string },
): Promise<Result<ScheduleRecord, ScheduleRefusal>> {
  const isOfWorkspace = (await committed.workspaceSchedules.findWorkspace(scheduleId)) === workspaceId;
  const schedule = isOfWorkspace ? await committed.schedules.find(scheduleId) : null;
  return schedule === null ? refused({ reason: "schedule_not_found", scheduleId }) : ok(schedule);
}
