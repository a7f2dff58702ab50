// What the fields of revisions mean. Pure.

import { type Components, component } from "../../component.ts";
import { actorTexts } from "../record.ts";
import { revisionListSchema, revisionSchema } from "./revision.ts";

export const revisionComponents: Components = {
  Revision: component(
    revisionSchema,
    "All files of a copy as they were once: saved, and not necessarily accepted.",
    {
      id: "The revision's id.",
      workspace_id: "The workspace's id.",
      commit: "Its commit, as git names it.",
      tree: "Its tree, as git names it.",
      parent_ids:
        "The revisions that it was made from. Of an accepted one the first is the one that was current before.",
      message: "What was changed, in its author's words.",
      author: ["Who made it.", actorTexts],
      files: "How many files it has.",
      bytes: "The size of all its files.",
      pinned: "Whether a retention pin keeps it.",
      created_at: "When it was made.",
      accepted_at: "When it became the current revision; null where it never did.",
    },
  ),
  RevisionList: component(revisionListSchema, "A page of revisions, newest first.", {
    items: "The revisions.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
};
