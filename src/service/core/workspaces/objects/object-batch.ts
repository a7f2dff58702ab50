// Objects that come from git, stored some at a time, so that many take no more memory than few. Until a commit of theirs is a revision
// nobody names them, so that what is left behind is swept.

import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { checkPath } from "../paths/workspace-path.ts";
import { keepingOf } from "../reach-workspace.ts";
import { MalformedObjectError } from "./git-object.ts";
import {
  type Content,
  type ContentTooLargeRefusal,
  keepContents,
  keepObjects,
  rowObject,
  takeContent,
} from "./keep-objects.ts";
import type { NewObject } from "./store-port.ts";
import { parseTree } from "./tree-object.ts";

const OBJECTS_A_STEP = 200;
const BYTES_A_STEP = 4_000_000;
/** A folder of some hundred thousand files, or a commit's message. */
const MAX_NODE_BYTES = 32_000_000;

type ArrivingObject = {
  readonly kind: "blob" | "tree" | "commit";
  readonly oid: string;
  readonly size: number;
  /** Once. */
  content(): AsyncIterable<Uint8Array>;
};

/** `why` goes on after what the object came from. */
export type ObjectFault =
  | { readonly reason: "object_unusable"; readonly why: string }
  | ContentTooLargeRefusal;

type BatchOptions = {
  readonly workspaceId: string;
  /** In the transaction that stores some. Counts are of all that were added. */
  readonly onStored?: (tx: StoreTransaction, counts: { objects: number; bytes: number }) => Promise<void>;
};

/** Objects that wait to be stored together. To be flushed at the end, and released, whatever happened. */
export class ObjectBatch {
  readonly #core: Core;
  readonly #options: BatchOptions;
  #rows: NewObject[] = [];
  #contents: Content[] = [];
  #waitingBytes = 0;
  objects = 0;
  bytes = 0;

  constructor(core: Core, options: BatchOptions) {
    this.#core = core;
    this.#options = options;
  }

  /** Null where it was taken. */
  async add(object: ArrivingObject): Promise<ObjectFault | null> {
    return await (object.kind === "blob" ? this.#addFile(object) : this.#addNode(object.kind, object));
  }

  async #addNode(
    kind: "tree" | "commit",
    { oid, size, content }: ArrivingObject,
  ): Promise<ObjectFault | null> {
    if (size > MAX_NODE_BYTES)
      return {
        reason: "object_unusable",
        why: `has a ${kind} of ${size} bytes, ${MAX_NODE_BYTES} are allowed.`,
      };
    const chunks: Uint8Array[] = [];
    for await (const chunk of content()) chunks.push(chunk);
    const data = Buffer.concat(chunks);
    const why = kind === "tree" ? faultOf(data) : null;
    if (why !== null) return { reason: "object_unusable", why };
    this.#rows.push(rowObject({ kind, data }, oid));
    await this.#count(size);
    return null;
  }

  async #addFile({ oid, content }: ArrivingObject): Promise<ObjectFault | null> {
    const { maxFileBytes: maxBytes } = keepingOf(this.#core).limits;
    const { workspaceId } = this.#options;
    const taken = await takeContent(this.#core, { workspaceId, content: content(), maxBytes });
    if (!taken.ok) return taken.refusal;
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
    const { workspaceId, onStored } = this.#options;
    await this.#core.store.transact(async (tx) => {
      const now = this.#core.clock.now();
      await keepContents(tx, { workspaceId, contents, now });
      await keepObjects(tx, { workspaceId, objects, now });
      await onStored?.(tx, { objects: this.objects, bytes: this.bytes });
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

/** Why no workspace can have the folder. */
function faultOf(data: Uint8Array): string | null {
  try {
    const wrong = parseTree(data).find(({ name }) => !checkPath(name).ok);
    return wrong === undefined
      ? null
      : `has ${JSON.stringify(wrong.name)}, which no path of a workspace may have in it.`;
  } catch (cause) {
    if (cause instanceof MalformedObjectError) return `has a folder that can not be taken: ${cause.message}`;
    throw cause;
  }
}
