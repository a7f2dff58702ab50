// Stores every folder and file of a commit, some at a time, so that a large repository takes no more memory than a small one.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { RepositoryObject, RepositoryTree } from "../../checkouts/repository-trees.ts";
import type { Core } from "../../core.ts";
import { MalformedObjectError } from "../objects/git-object.ts";
import { type Content, keepContents, keepObjects, rowObject, takeContent } from "../objects/keep-objects.ts";
import type { NewObject } from "../objects/store-port.ts";
import { parseTree } from "../objects/tree-object.ts";
import type { OperationError } from "../operations/operation.ts";
import type { OperationAtWork } from "../operations/operation-at-work.ts";
import { checkPath } from "../paths/workspace-path.ts";
import { keepingOf } from "../reach-workspace.ts";

const OBJECTS_A_STEP = 200;
const BYTES_A_STEP = 4_000_000;

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
  const batch = new Batch(core, { workspaceId, operationId: atWork.operation.id });
  try {
    for await (const object of tree.objects()) {
      atWork.signal.throwIfAborted();
      const fault = await (object.kind === "tree" ? takeTree(batch, object) : batch.takeFile(object));
      if (fault !== null) return refused(fault);
      atWork.tell({ objects: batch.objects, bytes: batch.bytes });
    }
    await batch.flush();
    return ok(null);
  } finally {
    await batch.release();
  }
}

async function takeTree(batch: Batch, { oid, content }: RepositoryObject): Promise<OperationError | null> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content()) chunks.push(chunk);
  const data = Buffer.concat(chunks);
  const fault = faultOf(data);
  if (fault !== null) return { code: "path_invalid", error: fault };
  await batch.add(rowObject({ kind: "tree", data }, oid));
  return null;
}

/** Why no workspace can have the folder. */
function faultOf(data: Uint8Array): string | null {
  try {
    const wrong = parseTree(data).find(({ name }) => !checkPath(name).ok);
    return wrong === undefined
      ? null
      : `The repository has ${JSON.stringify(wrong.name)}, which no path of a workspace may have in it.`;
  } catch (cause) {
    if (cause instanceof MalformedObjectError)
      return `The repository has a folder that can not be taken: ${cause.message}`;
    throw cause;
  }
}

/** Objects that wait to be stored together. */
class Batch {
  readonly #core: Core;
  readonly #of: { readonly workspaceId: string; readonly operationId: string };
  #rows: NewObject[] = [];
  #contents: Content[] = [];
  #waitingBytes = 0;
  objects = 0;
  bytes = 0;

  constructor(core: Core, of: { workspaceId: string; operationId: string }) {
    this.#core = core;
    this.#of = of;
  }

  async add(object: NewObject): Promise<void> {
    this.#rows.push(object);
    await this.#count(object.size);
  }

  async takeFile({ oid, content }: RepositoryObject): Promise<OperationError | null> {
    const { maxFileBytes: maxBytes } = keepingOf(this.#core).limits;
    const { workspaceId } = this.#of;
    const taken = await takeContent(this.#core, { workspaceId, content: content(), maxBytes });
    if (!taken.ok) {
      const error = `A file of the repository is larger than ${maxBytes} bytes, which is as large as a file of a workspace may be.`;
      return { code: "upload_too_large", error };
    }
    this.#contents.push(taken.value);
    if (taken.value.object.oid !== oid)
      throw new TypeError(`Object ${oid} has other contents than its name says.`);
    await this.#count(taken.value.object.size);
    return null;
  }

  async #count(size: number): Promise<void> {
    this.objects += 1;
    this.bytes += size;
    this.#waitingBytes += size;
    const waiting = this.#rows.length + this.#contents.length;
    if (waiting >= OBJECTS_A_STEP || this.#waitingBytes >= BYTES_A_STEP) await this.flush();
  }

  async flush(): Promise<void> {
    const [objects, contents] = [this.#rows, this.#contents];
    const { workspaceId, operationId } = this.#of;
    await this.#core.store.transact(async (tx) => {
      const now = this.#core.clock.now();
      await keepContents(tx, { workspaceId, contents, now });
      await keepObjects(tx, { workspaceId, objects, now });
      await tx.adoptions.tell({ operationId, objects: this.objects, bytes: this.bytes });
    });
    this.#rows = [];
    this.#contents = [];
    this.#waitingBytes = 0;
    for (const content of contents) await content.release();
  }

  /** Gives up what was not stored. */
  async release(): Promise<void> {
    for (const content of this.#contents) await content.release();
  }
}
