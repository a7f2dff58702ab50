// Refusals to show an operation, failures of one, and their problems. Pure.

import { notFound, type ProblemTable, type RefusalOf } from "../../ports/problem.ts";
import type { PathCollision } from "../paths/portable-path.ts";
import type { PathRefusal } from "../paths/workspace-path.ts";
import type { CopyHeldRefusal, CopyRefusal, WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { RevisionRefusal } from "../revisions/refusals.ts";
import type { OperationError } from "./operation.ts";

declare module "../workspace-keeping.ts" {
  interface WorkspaceKeeping {
    /** A refusal as the caller of an operation is told of it. */
    readonly describe: (refusal: OperationFault) => OperationError;
  }
}

/** Refusals of its work. */
export type OperationFault =
  | WorkspaceRefusal
  | WorkRefusal
  | CopyRefusal
  | CopyHeldRefusal
  | RevisionRefusal
  | PathRefusal
  | PathCollision;

export const operationProblems = {
  operation_not_found: ({ operationId }: { operationId: string }) =>
    notFound(`The workspace has no operation ${operationId}.`),
} satisfies ProblemTable;

export type OperationRefusal = RefusalOf<typeof operationProblems>;
