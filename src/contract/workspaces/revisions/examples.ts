// Examples of revisions. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { LATER_REVISION_ID, REVISION_ID, WORKSPACE_ID } from "../../story.ts";
import type { revisionRoutes } from "./routes.ts";

export const savedRevision = {
  id: LATER_REVISION_ID,
  workspace_id: WORKSPACE_ID,
  commit: "5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5f60718a9",
  tree: "9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a291807",
  parent_ids: [REVISION_ID],
  message: "Explain how to start",
  author: { type: "owner" as const },
  files: 12,
  bytes: 48_310,
  pinned: false,
  created_at: "2026-03-09T10:12:00.000Z",
  accepted_at: null,
};

export const revisionExamples: ExamplesOf<typeof revisionRoutes> = {
  list: {
    answers: {
      200: {
        revisionList: { summary: "One revision", value: { items: [savedRevision], next_cursor: "" } },
      },
    },
  },
  bundle: {},
  delete: { answers: { 200: { revisionDeleted: { summary: "It is deleted", value: savedRevision } } } },
  get: { answers: { 200: { revision: { summary: "A saved revision", value: savedRevision } } } },
};
