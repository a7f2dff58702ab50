// Rich reasons inside, poor codes outside: from a refusal of the core to what its caller is told, for every
// transport. Pure.

import { accountProblems } from "./account-problems.ts";
import { adoptionProblems } from "./adoption-problems.ts";
import { agentProblems } from "./agent-problems.ts";
import { approvalProblems } from "./approval-problems.ts";
import { changesetProblems } from "./changeset-problems.ts";
import { ciProblems } from "./ci-problems.ts";
import { claimProblems } from "./claim-problems.ts";
import { commitProblems } from "./commit-problems.ts";
import { consumerProblems } from "./consumer-problems.ts";
import { copyProblems } from "./copy-problems.ts";
import { fileProblems } from "./file-problems.ts";
import { idempotencyProblems } from "./idempotency-problems.ts";
import { limitProblems } from "./limit-problems.ts";
import { memberProblems } from "./member-problems.ts";
import { modelAccessProblems } from "./model-access-problems.ts";
import { moneyProblems } from "./money-problems.ts";
import type { PublicProblem } from "./public-problem.ts";
import { runProblems } from "./run-problems.ts";
import { scheduleProblems } from "./schedule-problems.ts";
import { sessionProblems } from "./session-problems.ts";
import { storageProblems } from "./storage-problems.ts";
import { workerProblems } from "./worker-problems.ts";
import { workflowProblems } from "./workflow-problems.ts";
import { workspaceProblems } from "./workspace-problems.ts";
import { workspaceRunProblems } from "./workspace-run-problems.ts";

/** The problem of every reason. A reason is written once, in the table of its noun. */
const tables = {
  ...accountProblems,
  ...adoptionProblems,
  ...agentProblems,
  ...approvalProblems,
  ...changesetProblems,
  ...ciProblems,
  ...claimProblems,
  ...commitProblems,
  ...fileProblems,
  ...idempotencyProblems,
  ...limitProblems,
  ...memberProblems,
  ...modelAccessProblems,
  ...moneyProblems,
  ...runProblems,
  ...scheduleProblems,
  ...sessionProblems,
  ...storageProblems,
  ...workflowProblems,
  ...workspaceProblems,
  ...consumerProblems,
  ...copyProblems,
  ...workerProblems,
  ...workspaceRunProblems,
};

type Tables = typeof tables;
type Reason = keyof Tables;
type RefusalsByReason = {
  readonly [One in Reason]: Parameters<Tables[One]>[0] & { readonly reason: One };
};

/** Every refusal that has a public problem. */
export type Refusal<Of extends Reason = Reason> = { [One in Of]: RefusalsByReason[One] }[Of];

const problems: { readonly [One in Reason]: (refusal: RefusalsByReason[One]) => PublicProblem } = tables;

/** What the caller is told. A refusal with a reason that no table has does not compile. */
export function toProblem<Of extends Reason>(refusal: Refusal<Of>): PublicProblem {
  return problems[refusal.reason](refusal);
}
