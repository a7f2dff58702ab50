// Retention of a workspace's contents, as the contract shows it. Pure.

import type {
  CleanupItemView,
  PinView,
  RetentionAnswer,
} from "../../../contract/workspaces/retention/retention.ts";
import { isoTime } from "../../core/ports/problem.ts";
import type { DueItem, Retention } from "../../core/workspaces/retention/read-retention.ts";
import type { Pin } from "../../core/workspaces/retention/retention.ts";
import { toPage } from "./workspace-view.ts";

export function toRetention(retention: Retention): RetentionAnswer {
  switch (retention.view) {
    case "cleanup":
      return { view: "cleanup", ...toPage(toCleanupItem)(retention.page) };
    case "pins":
      return { view: "pins", ...toPage(toPin)(retention.page) };
    case "usage":
      return { view: "usage", ...retention.usage };
  }
}

export function toPin({ id, revisionId, reason, until, createdAt }: Pin): PinView {
  return {
    id,
    revision_id: revisionId,
    reason,
    until: until === null ? null : isoTime(until),
    created_at: isoTime(createdAt),
  };
}

function toCleanupItem({ item, deleteAt }: DueItem): CleanupItemView {
  const delete_at = isoTime(deleteAt);
  if (item.kind === "revision") return { kind: "revision", delete_at, revision_id: item.revisionId };
  const { copyId, handle, path } = item;
  return { kind: "trash", delete_at, working_copy_id: copyId, handle, path };
}
