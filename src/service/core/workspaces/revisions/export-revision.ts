// GET …/revisions/{revisionID}/bundle: a revision with its whole history, as a file for `git clone`.

import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Bundle, GivenObject, ScratchRefusal } from "../../checkouts/git-scratch.ts";
import type { Core } from "../../core.ts";
import { parseCommit } from "../objects/commit-object.ts";
import { MissingObjectError } from "../objects/git-object.ts";
import { objectSource } from "../objects/object-source.ts";
import { parseTree } from "../objects/tree-object.ts";
import { filesFault, keepingOf, type WorkspaceRequest } from "../reach-workspace.ts";
import type { FilesClosedRefusal, WorkspaceRefusal } from "../refusals.ts";
import { findRevision } from "./read-revisions.ts";
import type { RevisionRefusal } from "./refusals.ts";

/** The ref of the revision in the bundle. */
const REF = "refs/heads/main";
const OBJECTS_AT_ONCE = 500;
const UNREAD_MS = 60_000;

type ExportRequest = WorkspaceRequest & { readonly revisionId: string; readonly signal: AbortSignal };

/** The file is removed once it was read, once `signal` aborts, or when nobody begins to read it. */
export async function exportRevision(
  core: Core,
  request: ExportRequest,
): Promise<
  Result<AsyncIterable<Uint8Array>, WorkspaceRefusal | FilesClosedRefusal | RevisionRefusal | ScratchRefusal>
> {
  const { workspaceId, signal } = request;
  const found = await findRevision(core, request);
  if (!found.ok) return found;
  const closed = filesFault(core);
  if (closed !== null) return refused(closed);
  const { commitOid: tip } = found.value.revision;
  const objects = historyOf(core, { workspaceId, tip });
  const bundle = await keepingOf(core).scratch.bundle({ tip, ref: REF, objects }, signal);
  return bundle.ok ? ok(readOnce(core, bundle.value, signal)) : bundle;
}

function readOnce({ clock }: Core, bundle: Bundle, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const begun = new AbortController();
  const either = AbortSignal.any([signal, begun.signal]);
  const isBegun = () => begun.signal.aborted;
  void clock
    .sleep(UNREAD_MS, either)
    .catch(() => {})
    .then(() => (isBegun() ? undefined : bundle.close()));
  return {
    async *[Symbol.asyncIterator]() {
      begun.abort();
      try {
        yield* bundle.read();
      } finally {
        await bundle.close();
      }
    },
  };
}

/** The commit, and all that it leads to. */
async function* historyOf(
  core: Core,
  { workspaceId, tip }: { workspaceId: string; tip: string },
): AsyncGenerator<GivenObject> {
  const { objects } = core.store.committed;
  const source = objectSource(core, workspaceId);
  const named = new Set([tip]);
  const files: string[] = [];
  for (let level = [tip]; level.length > 0; ) {
    const next: string[] = [];
    for (const oids of partsOf(level)) {
      const absent = new Set(oids);
      for (const { oid, kind, data } of await objects.findNodes({ workspaceId, oids })) {
        absent.delete(oid);
        yield { oid, kind, data };
        const below = kind === "tree" ? parseTree(data) : commitsAndTree(data);
        for (const { oid: child, mode } of below) {
          if (named.has(child) || mode === "160000") continue;
          named.add(child);
          if (mode === "40000") next.push(child);
          else files.push(child);
        }
      }
      if (absent.delete(EMPTY_TREE)) yield { oid: EMPTY_TREE, kind: "tree", data: new Uint8Array() };
      const [missing] = absent;
      if (missing !== undefined) throw new MissingObjectError(missing);
    }
    level = next;
  }
  for (const oids of partsOf(files)) {
    for (const { oid, size, data } of await objects.find({ workspaceId, oids })) {
      if (data !== null) yield { oid, kind: "blob", data };
      else yield { oid, kind: "blob", size, open: () => opened(source.open(oid)) };
    }
  }
}

/** As a tree names its folders. */
function commitsAndTree(data: Uint8Array): readonly { readonly oid: string; readonly mode: string }[] {
  const { tree, parents } = parseCommit(data);
  return [tree, ...parents].map((oid) => ({ oid, mode: "40000" }));
}

async function* opened(blob: Promise<{ readonly content: AsyncIterable<Uint8Array> }>) {
  yield* (await blob).content;
}

function partsOf(oids: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  for (let at = 0; at < oids.length; at += OBJECTS_AT_ONCE) parts.push(oids.slice(at, at + OBJECTS_AT_ONCE));
  return parts;
}
