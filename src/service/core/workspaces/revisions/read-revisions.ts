// GET …/revisions and …/revisions/{revisionID}.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "../page.ts";
import { reachWorkspace, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkspaceRefusal } from "../refusals.ts";
import type { RevisionRefusal } from "./refusals.ts";
import type { Revision } from "./revision.ts";
import type { RevisionReader } from "./store-port.ts";

export type SeenRevision = { readonly revision: Revision; readonly isPinned: boolean };

export async function listRevisions(
  core: Core,
  { query, isAccepted, ...request }: WorkspaceRequest & { query: PageRequest; isAccepted: boolean | null },
): Promise<Result<Page<SeenRevision>, WorkspaceRefusal | CursorRefusal>> {
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const { revisions } = core.store.committed;
  const page = await pageById(query, (part) =>
    revisions.list({ workspaceId: request.workspaceId, isAccepted, ...part }),
  );
  if (!page.ok) return page;
  return ok({ ...page.value, items: await seen(core, revisions, page.value.items) });
}

export async function findRevision(
  core: Core,
  request: WorkspaceRequest & { revisionId: string },
): Promise<Result<SeenRevision, WorkspaceRefusal | RevisionRefusal>> {
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const { revisions } = core.store.committed;
  const { revisionId, workspaceId } = request;
  const revision = await revisions.find(revisionId);
  if (revision === null || revision.workspaceId !== workspaceId) {
    return refused({ reason: "revision_not_found", revisionId });
  }
  const [found] = await seen(core, revisions, [revision]);
  return ok(found ?? { revision, isPinned: false });
}

async function seen(
  { clock }: Core,
  reader: RevisionReader,
  revisions: readonly Revision[],
): Promise<readonly SeenRevision[]> {
  const pinned = await reader.findPinned({ ids: revisions.map(({ id }) => id), now: clock.now() });
  return revisions.map((revision) => ({ revision, isPinned: pinned.has(revision.id) }));
}
