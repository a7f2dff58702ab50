// POST …/storage/adopt: the files of a commit of an agent's repository become the current revision of a workspace without files.
// Why: docs/decisions/078-what-adoption-takes.md

import * as z from "zod/mini";
import { ok, type Result, refused } from "../../../../base/result.ts";
import type { AdoptRequest } from "../../../../contract/workspaces/adoption.ts";
import type { OwnerNeededRefusal } from "../../accounts/refusals.ts";
import type { AgentEndingRefusal, AgentRefusal } from "../../agents/refusals.ts";
import type { CheckoutSource } from "../../checkouts/checkout.ts";
import { findHeldSource } from "../../commits/held-source.ts";
import type { Core } from "../../core.ts";
import { onceByKey } from "../../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import type { StoreReader, StoreTransaction } from "../../ports/store.ts";
import type { RunInput } from "../../runs/run-record.ts";
import { landTree, prepareTree } from "../changesets/land-tree.ts";
import { lockOwnAgent } from "../lock-own-agent.ts";
import {
  type Operation,
  type OperationEnd,
  type OperationError,
  queuedOperation,
} from "../operations/operation.ts";
import type { OperationAtWork } from "../operations/operation-at-work.ts";
import { afterMoment } from "../operations/read-operation.ts";
import { type GivenUp, type OperationWork, startOperation } from "../operations/run-operation.ts";
import { keepingOf, reachForWork, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { Workspace } from "../workspace.ts";
import { isWorkspaceOwner } from "../workspace-caller.ts";
import { workspaceUrl } from "../workspace-url.ts";
import type { Adoption } from "./adoption.ts";
import { CANCELLED } from "./change-adoption.ts";
import type { AdoptRefusal } from "./refusals.ts";
import { storeTree } from "./store-tree.ts";

/** Runs that are looked through for one that came from CI. */
const RUNS_LOOKED_AT = 50;

const inputSchema = z.object({ run_id: z.string(), sha: z.string() });

type Refusal =
  | WorkspaceRefusal
  | WorkRefusal
  | OwnerNeededRefusal
  | AgentRefusal
  | AgentEndingRefusal
  | AdoptRefusal;

export async function adoptStorage(
  core: Core,
  request: WorkspaceRequest & { readonly body: AdoptRequest; readonly idempotencyKey: string | null },
): Promise<OnceResult<Operation, Refusal | KeyInFlightRefusal | KeyReusedRefusal>> {
  const { caller, workspaceId, body, idempotencyKey: key } = request;
  const reached = await reachForWork(core, request);
  // A repeated request finds its own adoption at work: its key says so.
  if (!reached.ok && reached.refusal.reason !== "storage_adopting") return reached;
  if (!isWorkspaceOwner(caller)) {
    const url = workspaceUrl(core.policy, workspaceId);
    return refused({ reason: "owner_needed", what: "fill a workspace with a repository's files", url });
  }
  if (key === null) return refused({ reason: "adoption_key_missing" });
  let queued: Operation | null = null;
  const { accountId } = caller;
  const made = await onceByKey<Refusal>(
    core,
    { scope: `adoption ${workspaceId}`, accountId, key, request: body },
    async (tx) => {
      const begun = await begin(core, tx, request);
      if (!begun.ok) return begun;
      queued = begun.value;
      return ok(begun.value.id);
    },
  );
  if (!made.ok) return made;
  if (!made.value.isReplay && queued !== null) startOperation(core, queued, adoption);
  return onceResult(ok(await afterMoment(core, made.value.subjectId)), made.value);
}

async function begin(
  core: Core,
  tx: StoreTransaction,
  { caller: { accountId }, workspaceId, body }: WorkspaceRequest & { readonly body: AdoptRequest },
): Promise<Result<Operation, Refusal>> {
  const { agent_id: agentId } = body;
  const workspace = await tx.workspaces.lock(workspaceId);
  if (workspace === null) return refused({ reason: "workspace_not_found", workspaceId });
  if (workspace.state === "adopting") return refused({ reason: "storage_adopting", workspaceId });
  if (workspace.state === "erasing") return refused({ reason: "workspace_erasing", workspaceId });
  const agent = await lockOwnAgent(tx, { accountId, agentId });
  if (!agent.ok) return agent;
  if (agent.value.repository === null)
    return refused({ reason: "adoption_agent_without_repository", agentId });
  if (!(await isEmpty(tx, workspace))) return refused({ reason: "adoption_needs_empty", workspaceId });
  const newest = await newestJob(tx, agentId);
  if (newest === null) return refused({ reason: "adoption_commit_unknown", agentId });
  const sha = body.sha ?? newest.sha;
  const now = core.clock.now();
  const operation = queuedOperation({
    id: core.random.uuid(now),
    workspaceId,
    accountId,
    now,
    kind: "adopt",
    input: { run_id: newest.runId, sha },
  });
  await tx.operations.insert(operation);
  await tx.adoptions.put({
    workspaceId,
    agentId,
    status: "running",
    sha,
    objects: 0,
    bytes: 0,
    error: null,
    beforeRevisionId: workspace.currentRevisionId,
    revisionId: null,
    operationId: operation.id,
    createdAt: now,
    endedAt: null,
  });
  await tx.workspaces.setState({ id: workspaceId, state: "adopting" });
  return ok(operation);
}

async function isEmpty(tx: StoreTransaction, workspace: Workspace): Promise<boolean> {
  const current = await tx.revisions.find(workspace.currentRevisionId);
  const copyId = workspace.canonicalCopyId;
  const unsaved = await tx.copyEntries.list({ copyId, from: null, before: null, limit: 1 });
  return current?.files === 0 && unsaved.length === 0;
}

/** The newest run of the agent that a job submitted: it says where its repository is. */
async function newestJob(
  { runs }: Pick<StoreReader, "runs">,
  agentId: string,
): Promise<{ readonly runId: string; readonly sha: string } | null> {
  for (const { id: runId } of await runs.list({
    agentId,
    sessionId: null,
    before: null,
    limit: RUNS_LOOKED_AT,
  })) {
    const job = (await runs.findInput(runId))?.job;
    if (job !== undefined && job !== null) return { runId, sha: job.sha };
  }
  return null;
}

export const adoption: OperationWork = { run: adopt, giveUp: failAdoption };

async function adopt(core: Core, atWork: OperationAtWork): Promise<void> {
  const { operation, signal } = atWork;
  const { workspaceId, accountId } = operation;
  const { run_id: runId, sha } = inputSchema.parse(operation.input);
  const input = await core.store.committed.runs.findInput(runId);
  const source = input === null ? null : await sourceOf(core, { input, sha, operationId: operation.id });
  if (source === null) {
    return await fail(core, atWork, {
      code: "commit_missing",
      error:
        "What is known of the repository was deleted with the run that told it. Run the agent from CI again, then adopt.",
    });
  }
  const opened = await keepingOf(core).repositories.open(source, signal);
  if (!opened.ok) {
    return await fail(core, atWork, { code: "commit_missing", error: opened.refusal.detail });
  }
  const tree = opened.value;
  try {
    const stored = await storeTree(core, { workspaceId, tree, atWork });
    if (!stored.ok) return await fail(core, atWork, stored.refusal);
    await finish(core, atWork, { treeOid: tree.root, repository: source.repository, sha, accountId });
  } finally {
    await tree.close();
  }
}

/** As a run of that job would have it. */
async function sourceOf(
  core: Core,
  { input, sha, operationId }: { input: RunInput; sha: string; operationId: string },
): Promise<CheckoutSource | null> {
  const { job } = input;
  if (job === null) return null;
  const { name: repository, visibility } = job.repository;
  const ofCommit = { ...job, sha };
  const held = await findHeldSource(core, { job: ofCommit });
  const source = { ...ofCommit, runId: operationId, repository, visibility };
  return held === null ? source : { ...source, held };
}

async function finish(
  core: Core,
  atWork: OperationAtWork,
  adopted: { treeOid: string; repository: string; sha: string; accountId: string },
): Promise<void> {
  const { workspaceId } = atWork.operation;
  const { treeOid, repository, sha } = adopted;
  const workspace = await core.store.committed.workspaces.find(workspaceId);
  const current =
    workspace === null ? null : await core.store.committed.revisions.find(workspace.currentRevisionId);
  if (current === null) throw new TypeError(`Workspace ${workspaceId} has no current revision.`);
  const prepared = await prepareTree(core, {
    current,
    parents: [],
    treeOid,
    made: [],
    signal: atWork.signal,
  });
  try {
    await atWork.end(async (tx): Promise<OperationEnd> => {
      const locked = await lockRunning(tx, atWork.operation);
      if (locked === null) return CANCELLED;
      const { workspace, adoption } = locked;
      const message = `Adopt ${repository} at ${sha}`;
      const landed = await landTree(core, tx, { workspace, prepared, message, author: { type: "owner" } });
      const now = core.clock.now();
      await tx.workspaces.setState({ id: workspaceId, state: "ready" });
      if (!landed.ok) {
        const error = {
          code: "current_revision_conflict",
          error:
            "Canonical files were written while the repository was read. Empty the workspace, then adopt again.",
        };
        await tx.adoptions.put({ ...adoption, status: "failed", error, endedAt: now });
        return { status: "failed", error };
      }
      const revisionId = landed.value.id;
      const moves = [{ what: "revision", id: revisionId, state: "accepted" }] as const;
      await tx.workspaceEvents.append({ workspaceId, moves, now });
      await tx.adoptions.put({ ...adoption, status: "ready", revisionId, endedAt: now });
      return { status: "succeeded", result: { revisionId } };
    });
  } finally {
    await prepared.release();
  }
}

async function fail(core: Core, atWork: OperationAtWork, error: OperationError): Promise<void> {
  const { operation } = atWork;
  await atWork.end(async (tx) => {
    const isOurs = await failAdoption(core, tx, { operation, error });
    return isOurs ? { status: "failed", error } : CANCELLED;
  });
}

/** The workspace takes files again. False where the adoption was cancelled, or the workspace is no more. */
async function failAdoption(
  core: Core,
  tx: StoreTransaction,
  { operation, error }: GivenUp,
): Promise<boolean> {
  const locked = await lockRunning(tx, operation);
  if (locked === null) return false;
  const { workspace, adoption } = locked;
  await tx.workspaces.setState({ id: workspace.id, state: "ready" });
  await tx.adoptions.put({ ...adoption, status: "failed", error, endedAt: core.clock.now() });
  return true;
}

/** Null where it was cancelled, or the workspace is no more. */
async function lockRunning(
  tx: StoreTransaction,
  operation: Operation,
): Promise<{ readonly workspace: Workspace; readonly adoption: Adoption } | null> {
  const workspace = await tx.workspaces.lock(operation.workspaceId);
  const adoption = workspace === null ? null : await tx.adoptions.find(workspace.id);
  if (workspace === null || adoption === null || adoption.operationId !== operation.id) return null;
  return adoption.status === "running" && workspace.state === "adopting" ? { workspace, adoption } : null;
}
