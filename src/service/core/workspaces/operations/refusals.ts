// Why an operation is not shown, or fails. Pure.

import type { CopyRefusal } from "../copies/refusals.ts";
import type { PathCollision } from "../paths/portable-path.ts";
import type { PathRefusal } from "../paths/workspace-path.ts";
import type { CopyHeldRefusal, WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { RevisionRefusal } from "../revisions/refusals.ts";

export type OperationRefusal = { readonly reason: "operation_not_found"; readonly operationId: string };

/** What its work is refused for. */
export type OperationFault =
  | WorkspaceRefusal
  | WorkRefusal
  | CopyRefusal
  | CopyHeldRefusal
  | RevisionRefusal
  | PathRefusal
  | PathCollision;
