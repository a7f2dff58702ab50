// What the fields of copies mean. Pure.

import { type Components, component } from "../../component.ts";
import { actorTexts } from "../record.ts";
import { checkpointRequestSchema, copyListSchema, copySchema, createCopyRequestSchema } from "./copy.ts";

const key = "Makes the request safe to repeat, where it has no header Idempotency-Key.";

export const copyComponents: Components = {
  WorkingCopy: component(
    copySchema,
    "A copy of a workspace's files: a revision, and what was written since.",
    {
      id: "The copy's id.",
      workspace_id: "The workspace's id.",
      is_canonical: "True for the one copy whose base is the accepted revision.",
      state: "`held` while a run works in it: nobody else writes then.",
      base_revision_id: "The revision that the changes of the copy are on top of.",
      saved_revision_id: "The newest revision that was saved of it; null where there is none.",
      changed_files: "How many paths were written or deleted since the base revision, and are not saved.",
      held_by_run_id: "The run that works in it; null where there is none.",
      created_by: ["Who made it.", actorTexts],
      created_at: "When it was made.",
    },
  ),
  WorkingCopyList: component(copyListSchema, "A page of copies, newest first.", {
    items: "The copies.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
  CreateCopyRequest: component(createCopyRequestSchema, "A working copy to make.", {
    base_revision_id: "The revision that it is a copy of. Left out: the accepted one.",
    idempotency_key: key,
  }),
  CheckpointRequest: component(checkpointRequestSchema, "What to save as a revision.", {
    working_copy_id: "The copy to save. Left out: the canonical one.",
    message: "What was changed, in words.",
    idempotency_key: key,
  }),
};
