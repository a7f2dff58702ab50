// Examples of copies. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { COPY_ID, REVISION_ID, WORKSPACE_ID } from "../../story.ts";
import { copiedOperation, deletingOperation, savedOperation } from "../operations.ts";
import type { copyRoutes } from "./routes.ts";

const copy = {
  id: COPY_ID,
  workspace_id: WORKSPACE_ID,
  is_canonical: false,
  state: "ready" as const,
  base_revision_id: REVISION_ID,
  saved_revision_id: null,
  changed_files: 2,
  held_by_run_id: null,
  created_by: { type: "owner" as const },
  created_at: "2026-03-09T10:11:00.000Z",
};

export const copyExamples: ExamplesOf<typeof copyRoutes> = {
  list: {
    answers: {
      200: { copyList: { summary: "One copy", value: { items: [copy], next_cursor: "" } } },
    },
  },
  create: {
    body: {
      copyOfCurrent: { summary: "Of the accepted revision", value: {} },
      copyOfRevision: { summary: "Of a saved revision", value: { base_revision_id: REVISION_ID } },
    },
    answers: { 202: { copyMade: { summary: "The copy is ready", value: copiedOperation } } },
  },
  delete: {
    answers: { 202: { copyDeleting: { summary: "The copy is being deleted", value: deletingOperation } } },
  },
  checkpoint: {
    body: {
      checkpointOfCopy: {
        summary: "A copy",
        value: { working_copy_id: COPY_ID, message: "Explain how to start" },
      },
      checkpointOfCanonical: { summary: "The canonical files", value: {} },
    },
    answers: { 202: { copySaved: { summary: "The copy is saved", value: savedOperation } } },
  },
  get: { answers: { 200: { copy: { summary: "A copy with unsaved changes", value: copy } } } },
};
