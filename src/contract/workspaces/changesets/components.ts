// What the fields of changesets mean. Pure.

import { type Components, component } from "../../component.ts";
import { actorTexts } from "../record.ts";
import {
  acceptChangesetRequestSchema,
  changesetDetailSchema,
  changesetListSchema,
  changesetSchema,
  createChangesetRequestSchema,
  rejectChangesetRequestSchema,
  resolveChangesetRequestSchema,
} from "./changeset.ts";

const side = (whose: string) =>
  [
    `What is there ${whose}. Null: nothing.`,
    { oid: "Git's name of its contents.", mode: "Its mode, as git writes it." },
  ] as const;
const evidence = [
  "How it was validated: text, or a list of texts.",
  {
    kind: "What was done: `tests`, `review` and the like.",
    text: "What came of it.",
    run_id: "The run that did it.",
  },
] as const;
const key = "The idempotency key. The header wins over it.";
const expected = "The revision that is current, as the caller has seen it.";

const changeset = {
  id: "The changeset's id.",
  workspace_id: "The workspace.",
  status:
    "`conflicted`: it cannot be accepted as it is, since the current revision has changed the same. It is then resolved, or rejected.",
  title: "What it is about, in one line.",
  summary: "What it changes and why.",
  working_copy_id: "The copy that it was made of. Null where it was made of a revision.",
  revision_id: "The revision that is proposed. It stays the same.",
  base_revision_id: "Where the revision and the accepted ones went apart.",
  compared_revision_id: "The current revision that `mergeable` and `conflicts` are about.",
  mergeable: "Whether it has no conflicts with that revision.",
  files: "How many files it changes.",
  additions: "Lines that it adds. Null where its files are too large to be compared.",
  deletions: "Lines that it removes. Null as above.",
  conflicts: [
    "What both sides changed. In the order of paths.",
    {
      path: "The path.",
      kind: "What happened there. `file_location`: one side renamed a folder, and it is unclear where a file belongs.",
      base: side("where both sides came from"),
      ours: side("in the current revision"),
      theirs: side("in the changeset"),
      related_paths: "Other paths of the same conflict.",
    },
  ],
  validation_evidence: evidence,
  reject_reason: "Why it was rejected, where that was said.",
  accepted_revision_id: "The revision that it became part of. Null until it is accepted.",
  task_group_id: "The task group of the worker that made it. Null: none.",
  created_by: ["Who made it.", actorTexts],
  created_at: "When it was made.",
  decided_by: ["Who accepted or rejected it. Null until then.", actorTexts],
  decided_at: "When it was accepted or rejected.",
} as const;

export const changesetComponents: Components = {
  Changeset: component(changesetSchema, "A revision that is proposed to be accepted.", changeset),
  ChangesetDetail: component(
    changesetDetailSchema,
    "A changeset, with what it changes where that was asked for.",
    {
      ...changeset,
      changes: [
        "The changed files.",
        {
          path: "The file, as it is called now.",
          status: "What happened to it.",
          additions: "Lines added. 0 for a binary file.",
          deletions: "Lines removed.",
        },
      ],
      patch: "A unified diff for people: binary files are named alone.",
      patch_is_whole: "False where the diff was cut.",
    },
  ),
  ChangesetList: component(changesetListSchema, "A page of changesets, newest first.", {
    items: "The changesets.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
  CreateChangesetRequest: component(
    createChangesetRequestSchema,
    "What is proposed: a copy or a revision, not both.",
    {
      idempotency_key: key,
      working_copy_id: "A copy without unsaved changes.",
      revision_id: "A revision of the workspace.",
      title: "What it is about, in one line.",
      summary: "What it changes and why.",
    },
  ),
  RejectChangesetRequest: component(rejectChangesetRequestSchema, "Why it is rejected.", {
    idempotency_key: key,
    reason: "For whoever made it.",
  }),
  AcceptChangesetRequest: component(acceptChangesetRequestSchema, "What was seen and validated.", {
    idempotency_key: key,
    expected_current_revision: expected,
    validation_evidence: evidence,
  }),
  ResolveChangesetRequest: component(
    resolveChangesetRequestSchema,
    "How the conflicts are settled: path by path, or by a revision.",
    {
      idempotency_key: key,
      expected_current_revision: expected,
      validation_evidence: evidence,
      resolutions: [
        "One for every path in conflict.",
        {
          path: "A path of `conflicts`.",
          take: "`ours`: what the current revision has there, also where that is nothing. `theirs`: what the changeset has. `content`: the text that follows.",
          content: "The file, as text.",
        },
      ],
      resolved_revision_id: "A revision that was made from the current one, instead of `resolutions`.",
    },
  ),
};
