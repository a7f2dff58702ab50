// What each kind of operation does. Each ends its operation itself, with the last of its work.

import type { Core } from "../../core.ts";
import type { OperationKind } from "./operation.ts";
import type { OperationAtWork } from "./operation-at-work.ts";

export type OperationWork = (core: Core, atWork: OperationAtWork) => Promise<void>;

export const operationWorks: Readonly<Record<OperationKind, OperationWork>> = {
  checkpoint: notYet,
  // It has ended when it is stored.
  create_copy: notYet,
  delete_copy: notYet,
  adopt: notYet,
  rollback_adoption: notYet,
  erase_workspace: notYet,
};

async function notYet(_core: Core, { operation }: OperationAtWork): Promise<void> {
  throw new TypeError(`Operation ${operation.id} of the kind ${operation.kind} is not worked at.`);
}
