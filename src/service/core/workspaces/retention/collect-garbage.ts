// Objects of a workspace that nothing names any more are deleted: marked from what names objects, at one time, then swept.
// Who names an object that is there already touches it in the same transaction, so that what is named after the mark is
// younger than what is swept.
// Why: docs/decisions/083-what-workspaces-keep.md

import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import type { Core } from "../../core.ts";
import { parseCommit } from "../objects/commit-object.ts";
import { MissingObjectError } from "../objects/git-object.ts";
import type { ObjectNode } from "../objects/store-port.ts";
import { parseTree } from "../objects/tree-object.ts";

/** Objects touched within this are not swept: longer than any upload, and any transaction. */
export const GRACE_MS = 24 * 60 * 60_000;

/** Trees and commits that are read at once. */
const NODES_AT_ONCE = 1_000;
const SWEPT_AT_ONCE = 500;

type GarbageRequest = {
  readonly workspaceId: string;
  readonly touchedBefore: number;
  readonly signal: AbortSignal;
};

/** Returns how many objects were deleted. Throws a MissingObjectError, with nothing deleted, where a tree or a commit is absent. */
export async function collectGarbage(core: Core, request: GarbageRequest): Promise<number> {
  const { workspaceId, touchedBefore, signal } = request;
  const { store, clock } = core;
  const marked = await mark(core, request);
  let after: string | null = null;
  let count = 0;
  while (!signal.aborted) {
    const query = { workspaceId, touchedBefore, after, limit: SWEPT_AT_ONCE };
    const old: readonly string[] = await store.committed.objects.listOld(query);
    after = old.at(-1) ?? null;
    if (after === null) return count;
    const oids = old.filter((oid) => !marked.has(oid));
    if (oids.length === 0) continue;
    count += await store.transact(async (tx) => {
      const { deleted, blobKeys } = await tx.objects.deleteOld({ workspaceId, oids, touchedBefore });
      // The blobs themselves go with all others that nothing names.
      await tx.blobs.discard({ keys: blobKeys, now: clock.now() });
      return deleted;
    });
  }
  return count;
}

/** All that is named, by whatever is. */
async function mark(core: Core, { workspaceId, signal }: GarbageRequest): Promise<ReadonlySet<string>> {
  const { objects } = core.store.committed;
  const roots = await objects.listRoots(workspaceId);
  const marked = new Set(roots);
  // Roots may be files.
  let nodes = await nodesOf(core, { workspaceId, oids: roots, signal });
  while (nodes.length > 0) {
    const next: string[] = [];
    for (const node of nodes) {
      for (const { oid, isNode } of namedBy(node)) {
        if (marked.has(oid)) continue;
        marked.add(oid);
        if (isNode) next.push(oid);
      }
    }
    nodes = await nodesOf(core, { workspaceId, oids: next, signal });
    const found = new Set(nodes.map(({ oid }) => oid));
    const missing = next.find((oid) => !found.has(oid) && oid !== EMPTY_TREE);
    if (missing !== undefined) throw new MissingObjectError(missing);
  }
  return marked;
}

async function nodesOf(
  { store }: Core,
  { workspaceId, oids, signal }: { workspaceId: string; oids: readonly string[]; signal: AbortSignal },
): Promise<readonly ObjectNode[]> {
  const nodes: ObjectNode[] = [];
  for (let at = 0; at < oids.length; at += NODES_AT_ONCE) {
    signal.throwIfAborted();
    const part = oids.slice(at, at + NODES_AT_ONCE);
    nodes.push(...(await store.committed.objects.findNodes({ workspaceId, oids: part })));
  }
  return nodes;
}

function namedBy({ kind, data }: ObjectNode): readonly { readonly oid: string; readonly isNode: boolean }[] {
  if (kind === "tree") return parseTree(data).map(({ oid, mode }) => ({ oid, isNode: mode === "40000" }));
  const { tree, parents } = parseCommit(data);
  return [tree, ...parents].map((oid) => ({ oid, isNode: true }));
}
