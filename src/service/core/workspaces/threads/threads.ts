// The sessions of a workspace: listed, begun.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Unkeyed } from "../../../../contract/fields.ts";
import type { CreateThreadRequest } from "../../../../contract/workspaces/threads.ts";
import type { AccountCaller } from "../../accounts/caller.ts";
import type { AgentEndingRefusal, AgentRefusal } from "../../agents/refusals.ts";
import type { Core } from "../../core.ts";
import { onceByKey } from "../../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import { lockOwnAgent } from "../lock-own-agent.ts";
import { findExecutor } from "../members/find-executor.ts";
import type { MemberRefusal } from "../members/refusals.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "../page.ts";
import { reachForWork, reachWorkspace } from "../reach-workspace.ts";
import type { WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { Thread } from "./thread.ts";

type InWorkspace = { readonly caller: AccountCaller; readonly workspaceId: string };
type KeyRefusal = KeyInFlightRefusal | KeyReusedRefusal;
type CreateRefusal = WorkspaceRefusal | WorkRefusal | MemberRefusal | AgentRefusal | AgentEndingRefusal;

/** Newest first. */
export async function listThreads(
  core: Core,
  { query, ...request }: InWorkspace & { readonly query: PageRequest },
): Promise<Result<Page<Thread>, WorkspaceRefusal | CursorRefusal>> {
  const workspace = await reachWorkspace(core, request);
  if (!workspace.ok) return workspace;
  const { workspaceId } = request;
  return await pageById(query, (of) => core.store.committed.threads.list({ workspaceId, ...of }));
}

/** Begins a session of the manager, or of another member, without a run. Safe to repeat with a key. */
export async function createThread(
  core: Core,
  request: InWorkspace & {
    readonly body: Unkeyed<CreateThreadRequest>;
    readonly idempotencyKey: string | null;
  },
): Promise<OnceResult<Thread, CreateRefusal | KeyRefusal>> {
  const { caller, workspaceId, body: asked, idempotencyKey: key } = request;
  const { accountId } = caller;
  const keyed = { scope: `threads ${workspaceId}`, accountId, key, request: asked };
  const made = await onceByKey<CreateRefusal>(core, keyed, async (tx) => {
    await tx.workspaces.lock(workspaceId);
    const workspace = await reachForWork(core, request, tx);
    if (!workspace.ok) return workspace;
    const executor = await findExecutor(tx, { workspace: workspace.value, agentId: asked.agent_id });
    if (!executor.ok) return executor;
    const agentId = executor.value;
    const agent = await lockOwnAgent(tx, { accountId, agentId });
    if (!agent.ok) return agent;
    const createdAt = core.clock.now();
    const id = core.random.uuid(createdAt);
    await tx.sessions.insert({ id, agentId, createdAt });
    await tx.threads.insert({ id, workspaceId, agentId, title: asked.title ?? null, createdAt });
    return ok(id);
  });
  if (!made.ok) return made;
  const thread = await core.store.committed.threads.find(made.value.subjectId);
  return thread === null
    ? refused({ reason: "workspace_not_found", workspaceId })
    : onceResult(ok(thread), made.value);
}
