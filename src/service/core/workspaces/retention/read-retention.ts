// GET …/retention: things that are going to be deleted, pins, and totals.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { RetentionView } from "../../../../contract/workspaces/retention/retention.ts";
import type { Core } from "../../core.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "../page.ts";
import { keepingOf, reachWorkspace, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkspaceRefusal } from "../refusals.ts";
import type { CleanupItem, Pin, RetentionUsage } from "./retention.ts";
import type { CleanupPlace } from "./store-port.ts";

/** `deleteAt` is when it may be deleted. */
export type DueItem = { readonly item: CleanupItem; readonly deleteAt: number };

export type Retention =
  | { readonly view: "cleanup"; readonly page: Page<DueItem> }
  | { readonly view: "pins"; readonly page: Page<Pin> }
  | { readonly view: "usage"; readonly usage: RetentionUsage };

const cursorPattern = /^(\d{1,15})_(.{1,200})$/s;

export async function readRetention(
  core: Core,
  {
    view,
    query,
    ...request
  }: WorkspaceRequest & { readonly view: RetentionView; readonly query: PageRequest },
): Promise<Result<Retention, WorkspaceRefusal | CursorRefusal>> {
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const { workspaceId } = request;
  const { retention } = core.store.committed;
  switch (view) {
    case "usage":
      return ok({ view, usage: await retention.measure(workspaceId) });
    case "pins": {
      const page = await pageById(query, (part) => retention.listPins({ workspaceId, ...part }));
      return page.ok ? ok({ view, page: page.value }) : page;
    }
    case "cleanup": {
      const page = await pageOfCleanup(core, workspaceId, query);
      return page.ok ? ok({ view, page: page.value }) : page;
    }
  }
}

/** Where nothing is deleted by its age, there is nothing to show. */
async function pageOfCleanup(
  core: Core,
  workspaceId: string,
  { cursor = "", limit }: PageRequest,
): Promise<Result<Page<DueItem>, CursorRefusal>> {
  const { keptMs } = keepingOf(core).limits;
  const after = cursor === "" ? null : placeOf(cursor);
  if (cursor !== "" && after === null) return refused({ reason: "cursor_malformed", cursor });
  if (keptMs === 0) return ok({ items: [], nextCursor: null });
  const page = { workspaceId, now: core.clock.now(), after, limit: limit + 1 };
  const rows = await core.store.committed.retention.listCleanup(page);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? `${last.at}_${last.id}` : null;
  const items = shown.map(({ at, id: _id, ...item }) => ({ item, deleteAt: at + keptMs }));
  return ok({ items, nextCursor });
}

function placeOf(cursor: string): CleanupPlace | null {
  const [, at, id] = cursorPattern.exec(cursor) ?? [];
  return at === undefined || id === undefined ? null : { at: Number(at), id };
}
