// Rich reasons inside, poor codes outside: from a refusal of the core to the problem of its caller, for every transport. Pure.

import { accountProblems } from "../../../core/accounts/refusals.ts";
import { agUiProblems } from "../../../core/ag-ui/refusals.ts";
import { agentProblems } from "../../../core/agents/refusals.ts";
import { approvalProblems } from "../../../core/approvals/refusals.ts";
import { ciProblems } from "../../../core/ci/refusals.ts";
import { claimProblems } from "../../../core/claims/refusals.ts";
import { uploadProblems } from "../../../core/commit-uploads/refusals.ts";
import { commitProblems } from "../../../core/commits/refusals.ts";
import { connectionProblems } from "../../../core/connections/refusals.ts";
import { idempotencyProblems } from "../../../core/idempotency/refusals.ts";
import { limitProblems } from "../../../core/limits/refusals.ts";
import { accountMemberProblems } from "../../../core/members/refusals.ts";
import { modelAccessProblems } from "../../../core/model-access/refusals.ts";
import { moneyProblems } from "../../../core/money/refusals.ts";
import type { PublicProblem, RefusalOf } from "../../../core/ports/problem.ts";
import { storageProblems } from "../../../core/ports/storage-full.ts";
import { questionProblems } from "../../../core/questions/refusals.ts";
import { repositoryAccessProblems } from "../../../core/repository-access/refusals.ts";
import { runIdentityProblems } from "../../../core/run-identity/refusals.ts";
import { runProblems } from "../../../core/runs/refusals.ts";
import { scheduleProblems } from "../../../core/schedules/refusals.ts";
import { sessionProblems } from "../../../core/sessions/refusals.ts";
import { workflowProblems } from "../../../core/workflows/refusals.ts";
import { adoptionProblems } from "../../../core/workspaces/adoption/refusals.ts";
import { changesetProblems } from "../../../core/workspaces/changesets/refusals.ts";
import { consumerProblems } from "../../../core/workspaces/consumers/refusals.ts";
import { contextItemProblems } from "../../../core/workspaces/context-items/refusals.ts";
import { fileProblems } from "../../../core/workspaces/files/refusals.ts";
import { gitProblems } from "../../../core/workspaces/git/refusals.ts";
import { memberProblems } from "../../../core/workspaces/members/refusals.ts";
import { operationProblems } from "../../../core/workspaces/operations/refusals.ts";
import { workspaceProblems } from "../../../core/workspaces/refusals.ts";
import { retentionProblems } from "../../../core/workspaces/retention/refusals.ts";
import { revisionProblems } from "../../../core/workspaces/revisions/refusals.ts";
import { taskGroupProblems } from "../../../core/workspaces/task-groups/refusals.ts";
import { workerProblems } from "../../../core/workspaces/workers/refusals.ts";

/** The problem of every reason. A reason is written once, in the table of its noun. */
const tables = {
  ...accountProblems,
  ...agUiProblems,
  ...agentProblems,
  ...approvalProblems,
  ...runIdentityProblems,
  ...ciProblems,
  ...claimProblems,
  ...uploadProblems,
  ...commitProblems,
  ...connectionProblems,
  ...idempotencyProblems,
  ...limitProblems,
  ...modelAccessProblems,
  ...moneyProblems,
  ...storageProblems,
  ...questionProblems,
  ...repositoryAccessProblems,
  ...runProblems,
  ...scheduleProblems,
  ...sessionProblems,
  ...workflowProblems,
  ...adoptionProblems,
  ...changesetProblems,
  ...consumerProblems,
  ...contextItemProblems,
  ...fileProblems,
  ...gitProblems,
  ...accountMemberProblems,
  ...memberProblems,
  ...operationProblems,
  ...workspaceProblems,
  ...retentionProblems,
  ...revisionProblems,
  ...taskGroupProblems,
  ...workerProblems,
};

type Tables = typeof tables;
type Reason = keyof Tables;

/** Every refusal that has a public problem. */
export type Refusal<Of extends Reason = Reason> = RefusalOf<Tables, Of>;

const problems: { readonly [One in Reason]: (refusal: Refusal<One>) => PublicProblem } = tables;

/** The problem that the caller is told. A refusal with a reason that no table has does not compile. */
export function toProblem<Of extends Reason>(refusal: Refusal<Of>): PublicProblem {
  return problems[refusal.reason](refusal);
}
