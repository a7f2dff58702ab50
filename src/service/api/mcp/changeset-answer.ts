// Changesets as the tools answer with them. Pure.

import type * as z from "zod/mini";
import { singleLine, visibleText } from "../../../base/untrusted-text.ts";
import type { toolChangesetSchema } from "../../../contract/mcp/changeset-tools.ts";
import type { Changeset } from "../../core/workspaces/changesets/changeset.ts";
import { toChangeset } from "../shared/changeset-view.ts";

export type ToolChangeset = z.infer<typeof toolChangesetSchema>;

const MAX_CONFLICTS = 50;
const MAX_PATH_CHARS = 300;
const MAX_TITLE_CHARS = 200;

export function toToolChangeset(changeset: Changeset): ToolChangeset {
  const { id, status, title, working_copy_id, revision_id, compared_revision_id, mergeable, ...view } =
    toChangeset(changeset);
  const { files, additions, deletions, accepted_revision_id, created_at, decided_at } = view;
  const paths = view.conflicts.map(({ path }) => visibleText(path).slice(0, MAX_PATH_CHARS));
  const more = paths.length - MAX_CONFLICTS;
  return {
    ...{ id, status, title: singleLine(title, MAX_TITLE_CHARS), working_copy_id, revision_id },
    ...{ compared_revision_id, mergeable, files, additions, deletions },
    conflicts: paths.slice(0, MAX_CONFLICTS),
    ...(more > 0 ? { conflicts_omitted: more } : {}),
    ...{ accepted_revision_id, created_at, decided_at },
  };
}

export function changesetLine({
  id,
  status,
  files,
  conflicts,
  title,
  compared_revision_id,
}: ToolChangeset): string {
  const where = conflicts.length === 0 ? "" : `, in conflict at ${conflicts.join(", ")}`;
  return `Changeset ${id}: ${status}, ${files} files, compared with revision ${compared_revision_id}${where}. ${title}`;
}
