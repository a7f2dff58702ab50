// GET /v1/workspaces.

import type { Result } from "../../../base/result.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "./page.ts";
import type { Workspace } from "./workspace.ts";

/** The account's workspaces, newest first. */
export async function listWorkspaces(
  core: Core,
  { caller: { accountId }, query }: { readonly caller: AccountCaller; readonly query: PageRequest },
): Promise<Result<Page<Workspace>, CursorRefusal>> {
  return await pageById(query, (page) => core.store.committed.workspaces.list({ accountId, ...page }));
}
