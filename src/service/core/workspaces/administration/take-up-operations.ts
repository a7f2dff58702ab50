// Operations whose process has died, or could not do them, are taken up by any other.

import type { Core } from "../../core.ts";
import { adoption } from "../adoption/adopt-storage.ts";
import { checkpointing } from "../copies/checkpoint.ts";
import { copyRemoval } from "../copies/delete-copy.ts";
import type { OperationKind } from "../operations/operation.ts";
import { type OperationWork, startOperation } from "../operations/run-operation.ts";
import { keepingOf } from "../reach-workspace.ts";
import { workspaceRemoval } from "./erase-workspace.ts";

/** Operations that one look takes up. */
const TAKEN_AT_ONCE = 8;

const operationWorks: Readonly<Record<OperationKind, OperationWork>> = {
  checkpoint: checkpointing,
  create_copy: endedAtOnce(),
  delete_copy: copyRemoval,
  adopt: adoption,
  rollback_adoption: endedAtOnce(),
  erase_workspace: workspaceRemoval,
};

/** A kind whose operations have ended when they are stored. */
function endedAtOnce(): OperationWork {
  return {
    run: async (_core, { operation }) => {
      throw new TypeError(`Operation ${operation.id} of the kind ${operation.kind} is not worked at.`);
    },
    giveUp: async () => {},
  };
}

/** Takes up operations that nobody works at. Returns how many. */
export async function takeUpOperations(core: Core): Promise<number> {
  const { store } = core;
  const ids = await store.committed.operations.listDue({ limit: TAKEN_AT_ONCE });
  let taken = 0;
  for (const id of ids) {
    if (keepingOf(core).operations.has(id)) continue;
    const operation = await store.transact((tx) => tx.operations.takeUp(id));
    if (operation === null) continue;
    taken += 1;
    startOperation(core, operation, operationWorks[operation.kind]);
  }
  return taken;
}
