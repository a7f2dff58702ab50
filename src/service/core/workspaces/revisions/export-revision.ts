// GET …/revisions/{revisionID}/bundle: a revision with its whole history, as a file for `git clone`.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Bundle, ScratchRefusal } from "../../checkouts/git-scratch.ts";
import type { Core } from "../../core.ts";
import { readHistory } from "../objects/read-history.ts";
import { filesFault, keepingOf, type WorkspaceRequest } from "../reach-workspace.ts";
import type { FilesClosedRefusal, WorkspaceRefusal } from "../refusals.ts";
import { findRevision } from "./read-revisions.ts";
import type { RevisionRefusal } from "./refusals.ts";

/** The ref of the revision in the bundle. */
const REF = "refs/heads/main";
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
  const objects = readHistory(core, { workspaceId, tips: [tip] });
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
