// Symbolic links of a workspace: files whose contents are the path that they lead to. None is ever followed by the service.
// Why: docs/decisions/126-portable-paths-and-symbolic-links.md

import type { ObjectSource } from "../objects/object-source.ts";
import { MAX_PATH_BYTES } from "../paths/workspace-path.ts";
import type { ViewFile, ViewFolder } from "./copy-view.ts";

export const LINK_MODE = "120000";

/** Whether a link leads to something in the same tree: a relative path that nowhere leaves it. */
export function staysInside(path: string, target: string): boolean {
  if (target === "" || target.startsWith("/") || target.includes("\0") || target.includes("\\")) return false;
  let depth = path.split("/").length - 1;
  for (const segment of target.split("/")) {
    if (segment === "..") depth -= 1;
    else if (segment !== "." && segment !== "") depth += 1;
    if (depth < 0) return false;
  }
  return true;
}

/** The target of a link with these contents. Null where they are no path: too long, or no text. */
export function targetOf(data: Uint8Array | null): string | null {
  if (data === null || data.length > MAX_PATH_BYTES) return null;
  const text = Buffer.from(data).toString("utf8");
  return Buffer.from(text).equals(data) ? text : null;
}

/** The entries, those that are links with where they lead. */
export async function withTargets<Item extends ViewFile | ViewFolder>(
  source: Pick<ObjectSource, "rows">,
  items: readonly Item[],
): Promise<readonly Item[]> {
  const oids = items.flatMap(({ mode, oid }) => (mode === LINK_MODE && oid !== null ? [oid] : []));
  if (oids.length === 0) return items;
  const rows = await source.rows([...new Set(oids)]);
  return items.map((item) =>
    item.mode === LINK_MODE ? { ...item, target: targetOf(rows.get(item.oid) ?? null) } : item,
  );
}
