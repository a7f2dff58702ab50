// Examples of changesets. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { CHANGESET_ID, COPY_ID, LATER_REVISION_ID, REVISION_ID, RUN_ID, WORKSPACE_ID } from "../../story.ts";
import type { changesetRoutes } from "./routes.ts";

const ACCEPTED_REVISION_ID = "0198d2c4-9e55-7197-a8ba-93df4152607c";
const changeset = {
  id: CHANGESET_ID,
  workspace_id: WORKSPACE_ID,
  status: "open" as const,
  title: "Say hello in German",
  summary: "Adds a greeting and its test.",
  working_copy_id: COPY_ID,
  revision_id: LATER_REVISION_ID,
  base_revision_id: REVISION_ID,
  compared_revision_id: REVISION_ID,
  mergeable: true,
  files: 2,
  additions: 14,
  deletions: 1,
  conflicts: [],
  validation_evidence: null,
  reject_reason: null,
  accepted_revision_id: null,
  task_group_id: null,
  created_by: { type: "owner" as const },
  created_at: "2026-03-09T10:24:00.000Z",
  decided_by: null,
  decided_at: null,
};
const conflicted = {
  ...changeset,
  status: "conflicted" as const,
  mergeable: false,
  conflicts: [
    {
      path: "src/greeting.ts",
      kind: "content" as const,
      base: { oid: "ce013625030ba8dba906f756967f9e9ca394464a", mode: "100644" },
      ours: { oid: "cc628ccd10742baea8241c5924df992b5c019f71", mode: "100644" },
      theirs: { oid: "94954abda49de8615a048f8d2e64b5de848e27a1", mode: "100644" },
      related_paths: [],
    },
  ],
};
const decided = { decided_by: { type: "owner" as const }, decided_at: "2026-03-09T10:31:00.000Z" };
const evidence = [{ kind: "tests", text: "All 214 tests pass.", run_id: RUN_ID }];
const accepted = {
  ...changeset,
  ...decided,
  status: "accepted" as const,
  validation_evidence: evidence,
  accepted_revision_id: ACCEPTED_REVISION_ID,
};
const patch =
  "diff --git a/src/greeting.ts b/src/greeting.ts\n--- a/src/greeting.ts\n+++ b/src/greeting.ts\n";

export const changesetExamples: ExamplesOf<typeof changesetRoutes> = {
  list: {
    answers: {
      200: { changesetList: { summary: "One changeset", value: { items: [changeset], next_cursor: "" } } },
    },
  },
  create: {
    body: {
      changesetOfCopy: {
        summary: "What a copy has saved",
        value: { working_copy_id: COPY_ID, title: changeset.title, summary: changeset.summary },
      },
    },
    answers: { 201: { changesetMade: { summary: "It can be accepted", value: changeset } } },
  },
  get: {
    answers: {
      200: {
        changesetConflicted: { summary: "It has a conflict", value: conflicted },
        changesetWithPatch: {
          summary: "With its diff",
          value: {
            ...changeset,
            changes: [{ path: "src/greeting.ts", status: "modified", additions: 14, deletions: 1 }],
            patch,
            patch_is_whole: true,
          },
        },
      },
    },
  },
  reject: {
    body: { rejectChangeset: { summary: "With a reason", value: { reason: "The greeting is too formal." } } },
    answers: {
      200: {
        changesetRejected: {
          summary: "Rejected",
          value: {
            ...changeset,
            ...decided,
            status: "rejected",
            reject_reason: "The greeting is too formal.",
          },
        },
      },
    },
  },
  accept: {
    body: {
      acceptChangeset: {
        summary: "After its tests",
        value: { expected_current_revision: REVISION_ID, validation_evidence: evidence },
      },
    },
    answers: { 200: { changesetAccepted: { summary: "Accepted", value: accepted } } },
  },
  resolve: {
    body: {
      resolveChangeset: {
        summary: "Path by path",
        value: {
          expected_current_revision: REVISION_ID,
          validation_evidence: "Read and tested.",
          resolutions: [{ path: "src/greeting.ts", take: "theirs" }],
        },
      },
    },
    answers: { 200: { changesetResolved: { summary: "Accepted", value: accepted } } },
  },
};
