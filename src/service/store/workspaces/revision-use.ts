// Uses of a revision, in SQL.

import { type RawBuilder, sql } from "kysely";
import type { RevisionUse } from "../../core/workspaces/revisions/refusals.ts";

type Use = { readonly use: RevisionUse; readonly rows: RawBuilder<unknown> };

/** A query for each use, the most telling first: it has rows where the revision is used so. `id` is a value or a column. */
export function usesOf(id: RawBuilder<unknown>, now: number): readonly Use[] {
  return [
    { use: "current", rows: sql`select 1 from workspaces where current_revision_id = ${id}` },
    {
      use: "pin",
      rows: sql`select 1 from retention_pins where revision_id = ${id} and ("until" is null or "until" > ${now})`,
    },
    { use: "copy", rows: sql`select 1 from copies where base_revision_id = ${id}` },
    {
      use: "changeset",
      rows: sql`select 1 from changesets where (revision_id = ${id} or base_revision_id = ${id}) and status in ('open', 'conflicted')`,
    },
    { use: "site", rows: sql`select 1 from sites where revision_id = ${id}` },
    {
      use: "adoption",
      rows: sql`select 1 from adoptions where (before_revision_id = ${id} or revision_id = ${id}) and status in ('running', 'ready')`,
    },
  ];
}

/** True where nothing needs the revision. */
export function isUnused(id: RawBuilder<unknown>, now: number): RawBuilder<boolean> {
  const used = usesOf(id, now).map(({ rows }) => sql`not exists (${rows})`);
  return sql<boolean>`${sql.join(used, sql` and `)}`;
}
