// Pages of a workspace's things, newest first: the cursor is the id of the last one shown. Pure.

import { ok, type Result, refused } from "../../../base/result.ts";

export type Page<Item> = {
  readonly items: readonly Item[];
  /** Null at the end. */
  readonly nextCursor: string | null;
};

export type PageRequest = { readonly cursor?: string | undefined; readonly limit: number };

export type CursorRefusal = { readonly reason: "cursor_malformed"; readonly cursor: string };

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * A page of rows with ids that grow with time. `read` gets one row more than is shown, so that the last page is known to be the
 * last. A cursor that is no id is refused.
 */
export async function pageById<Item extends { readonly id: string }>(
  { cursor = "", limit }: PageRequest,
  read: (page: { readonly before: string | null; readonly limit: number }) => Promise<readonly Item[]>,
): Promise<Result<Page<Item>, CursorRefusal>> {
  if (cursor !== "" && !idPattern.test(cursor)) return refused({ reason: "cursor_malformed", cursor });
  const rows = await read({ before: cursor === "" ? null : cursor, limit: limit + 1 });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return ok({ items, nextCursor: rows.length > limit && last !== undefined ? last.id : null });
}
