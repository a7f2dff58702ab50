// GET …/copies and …/copies/{workingCopyID}.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { CopyViewState } from "../../../../contract/workspaces/copies/copy.ts";
import type { Core } from "../../core.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "../page.ts";
import { reachWorkspace, type WorkspaceRequest } from "../reach-workspace.ts";
import type { CopyRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { Copy } from "./copy.ts";
import type { CopyReader } from "./store-port.ts";

/** With how many paths were written or deleted in it since its base. */
export type CountedCopy = { readonly copy: Copy; readonly changedFiles: number };

export async function listCopies(
  core: Core,
  { query, ...request }: WorkspaceRequest & { query: PageRequest & { state?: CopyViewState | undefined } },
): Promise<Result<Page<CountedCopy>, WorkspaceRefusal | CursorRefusal>> {
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const { copies } = core.store.committed;
  const { state = null } = query;
  const page = await pageById(query, (part) =>
    copies.list({ workspaceId: request.workspaceId, state, ...part }),
  );
  if (!page.ok) return page;
  return ok({ ...page.value, items: await counted(copies, page.value.items) });
}

export async function findCopy(
  core: Core,
  request: WorkspaceRequest & { copyId: string },
): Promise<Result<CountedCopy, WorkspaceRefusal | CopyRefusal>> {
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const { copies } = core.store.committed;
  const { copyId, workspaceId } = request;
  const copy = await copies.find(copyId);
  if (copy === null || copy.workspaceId !== workspaceId) return refused({ reason: "copy_not_found", copyId });
  const [found] = await counted(copies, [copy]);
  return ok(found ?? { copy, changedFiles: 0 });
}

async function counted(reader: CopyReader, copies: readonly Copy[]): Promise<readonly CountedCopy[]> {
  const changes = await reader.countChanges(copies.map(({ id }) => id));
  return copies.map((copy) => ({ copy, changedFiles: changes.get(copy.id) ?? 0 }));
}
