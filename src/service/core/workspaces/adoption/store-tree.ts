// Stores every folder and file of a commit, some at a time, so that a large repository takes no more memory than a small one.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { RepositoryTree } from "../../checkouts/repository-trees.ts";
import type { Core } from "../../core.ts";
import { ObjectBatch, type ObjectFault } from "../objects/object-batch.ts";
import type { OperationError } from "../operations/operation.ts";
import type { OperationAtWork } from "../operations/operation-at-work.ts";

type Storing = {
  readonly workspaceId: string;
  readonly tree: RepositoryTree;
  readonly atWork: OperationAtWork;
};

/** Refused for a file that no workspace can have. What was stored by then nobody names, so that it is swept. */
export async function storeTree(
  core: Core,
  { workspaceId, tree, atWork }: Storing,
): Promise<Result<null, OperationError>> {
  const operationId = atWork.operation.id;
  const batch = new ObjectBatch(core, {
    workspaceId,
    onStored: (tx, { objects, bytes }) => tx.adoptions.tell({ operationId, objects, bytes }),
  });
  try {
    for await (const object of tree.objects()) {
      atWork.signal.throwIfAborted();
      const fault = await batch.add(object);
      if (fault !== null) return refused(errorOf(fault));
      atWork.tell({ objects: batch.objects, bytes: batch.bytes });
    }
    await batch.flush();
    return ok(null);
  } finally {
    await batch.release();
  }
}

function errorOf(fault: ObjectFault): OperationError {
  switch (fault.reason) {
    case "object_unusable":
      return { code: "path_invalid", error: `The repository ${fault.why}` };
    case "upload_file_too_large": {
      const error = `A file of the repository is larger than ${fault.capBytes} bytes, which is as large as a file of a workspace may be.`;
      return { code: "upload_too_large", error };
    }
  }
}
