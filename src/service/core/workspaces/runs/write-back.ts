// The write-back of a run's changes from a folder to its copy: contents first, then all paths in one transaction, so that a
// worker that dies on the way has changed everything since its last word, or nothing.

import { assertNever } from "../../../../base/assert-never.ts";
import { ok, type Result, refused } from "../../../../base/result.ts";
import type { FolderChange, FolderChanges, FolderContent } from "../../checkouts/copy-folders.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { Copy, Holder } from "../copies/copy.ts";
import type { CopyEntry } from "../copies/copy-entry.ts";
import { type HoldLostRefusal, lockHeld } from "../copies/copy-lease.ts";
import {
  type Content,
  keepContents,
  keepObjects,
  MAX_ROW_BYTES,
  rowObject,
  takeContent,
} from "../objects/keep-objects.ts";
import { objectSource } from "../objects/object-source.ts";
import type { NewObject } from "../objects/store-port.ts";
import { findFile } from "../objects/tree-source.ts";
import { keepingOf } from "../reach-workspace.ts";

/** Small contents are written so many at once. */
const OBJECTS_AT_ONCE = 500;
const BYTES_AT_ONCE = 4_000_000;

type WriteBack = {
  readonly copy: Pick<Copy, "id" | "workspaceId">;
  readonly holder: Holder;
  readonly folder: Pick<FolderChanges, "changes" | "contents" | "kept">;
  readonly signal: AbortSignal;
};

type WrittenBack = { readonly files: number };
type WriteBackRefusal =
  | HoldLostRefusal
  /** While it was read, the file became another one. */
  | { readonly reason: "content_changed"; readonly oid: string };

/** Safe to repeat. Where it is refused, or throws, the copy is as it was. */
export async function writeBack(
  core: Core,
  { copy: { id: copyId, workspaceId }, holder, folder, signal }: WriteBack,
): Promise<Result<WrittenBack, WriteBackRefusal>> {
  const { changes } = folder;
  if (changes.length === 0) return ok({ files: 0 });
  const large: Content[] = [];
  const sizes = new Map<string, number>();
  try {
    const small = new SmallObjects(core, workspaceId);
    for await (const content of folder.contents()) {
      const taken = await take(core, { workspaceId, content, small, signal });
      if (taken.object.oid !== content.oid) return refused({ reason: "content_changed", oid: content.oid });
      sizes.set(content.oid, content.size);
      if (taken.kind === "large") large.push(taken);
    }
    await small.flush();
    const written = await core.store.transact(async (tx): Promise<Result<WrittenBack, WriteBackRefusal>> => {
      const held = await lockHeld(tx, { copyId, holder });
      if (!held.ok) return held;
      const now = core.clock.now();
      await keepContents(tx, { workspaceId, contents: large, now });
      const absent = await tx.objects.touch({ workspaceId, oids: [...sizes.keys()], now });
      if (absent.length > 0) throw new TypeError(`Objects of copy ${copyId} are gone before they were used.`);
      await putEntries(core, tx, { copy: held.value, changes, sizes, now });
      return ok({ files: changes.length });
    });
    if (written.ok) folder.kept();
    return written;
  } finally {
    for (const content of large) await content.release();
  }
}

/** The text of a refusal, for a log or a reader. */
export function describeWriteBack(refusal: WriteBackRefusal): string {
  switch (refusal.reason) {
    case "hold_lost":
      return "The run did not hold the copy any more: another worker has it, or the service was away for too long.";
    case "content_changed":
      return "A file changed while it was read.";
    default:
      return assertNever(refusal);
  }
}

type Taken = { readonly kind: "small"; readonly object: NewObject } | (Content & { readonly kind: "large" });

async function take(
  core: Core,
  options: { workspaceId: string; content: FolderContent; small: SmallObjects; signal: AbortSignal },
): Promise<Taken> {
  const { workspaceId, content, small, signal } = options;
  if (content.size <= MAX_ROW_BYTES) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content.read()) chunks.push(chunk);
    const object = rowObject({ kind: "blob", data: Buffer.concat(chunks) });
    await small.add(object);
    return { kind: "small", object };
  }
  const { maxFileBytes } = keepingOf(core).limits;
  const taken = await takeContent(core, {
    workspaceId,
    content: content.read(),
    maxBytes: maxFileBytes,
    signal,
  });
  // The folder holds back what is larger.
  if (!taken.ok) throw new TypeError(`A file of ${content.size} bytes is larger than ${maxFileBytes}.`);
  return { kind: "large", ...taken.value };
}

/** Nobody names them yet: what is left of a worker that dies here is swept. */
class SmallObjects {
  readonly #core: Core;
  readonly #workspaceId: string;
  #objects: NewObject[] = [];
  #bytes = 0;

  constructor(core: Core, workspaceId: string) {
    this.#core = core;
    this.#workspaceId = workspaceId;
  }

  async add(object: NewObject): Promise<void> {
    this.#objects.push(object);
    this.#bytes += object.size;
    if (this.#objects.length >= OBJECTS_AT_ONCE || this.#bytes >= BYTES_AT_ONCE) await this.flush();
  }

  async flush(): Promise<void> {
    const objects = this.#objects;
    if (objects.length === 0) return;
    this.#objects = [];
    this.#bytes = 0;
    const { clock, store } = this.#core;
    const workspaceId = this.#workspaceId;
    await store.transact((tx) => keepObjects(tx, { workspaceId, objects, now: clock.now() }));
  }
}

async function putEntries(
  core: Core,
  tx: StoreTransaction,
  options: {
    copy: Copy;
    changes: readonly FolderChange[];
    sizes: ReadonlyMap<string, number>;
    now: number;
  },
): Promise<void> {
  const { copy, changes, sizes, now } = options;
  const entries: CopyEntry[] = [];
  const removed: string[] = [];
  const source = objectSource(core, copy.workspaceId, tx);
  for (const { path, file } of changes) {
    if (file !== null) {
      const size = sizes.get(file.oid) ?? 0;
      entries.push({ path, file: { ...file, size }, changedAt: now });
    } else if ((await findFile(source, copy.baseTreeOid, path)) === null) removed.push(path);
    else entries.push({ path, file: null, changedAt: now });
  }
  await tx.copyEntries.remove({ copyId: copy.id, paths: removed });
  await tx.copyEntries.put({ copyId: copy.id, entries });
}
