// Approvals: acts that an AI client or a run asked for and may not do, which wait for the account's owner. A union on `kind`.
// Pure.

import * as z from "zod/mini";
import { field, object, strictObject } from "../field.ts";
import { wholeNumber } from "../fields.ts";
import { evidenceSchema } from "../workspaces/changesets/changeset.ts";

export const approvalStatuses = ["pending", "approved", "denied", "expired", "resolved_elsewhere"] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

export const approvalKinds = [
  "confirm_schedule",
  "activate_workflow",
  "run_workflow",
  "grant_writes",
  "accept_changeset",
] as const;

const timestamp = z.iso.datetime();

const requesterSchema = object({
  type: field(z.enum(["ai_client", "run"]), "A client that acts for the owner, or a run."),
  name: field(z.optional(z.string()), "What the client is called."),
  run_id: field(z.optional(z.string()), "The run that asked."),
});

const common = {
  id: field(z.uuid(), "The approval's id. An approval of a schedule has the schedule's id."),
  agent_id: field(z.uuid(), "The agent that it is about."),
  status: field(
    z.enum(approvalStatuses),
    "`pending` until it is decided. `resolved_elsewhere`: it was done, or became pointless, without the approval.",
  ),
  requested_by: field(requesterSchema, "Who asked for it."),
  created_at: field(timestamp, "When it was requested first."),
  expires_at: field(timestamp, "Until when it can be approved."),
  decided_at: field(z.optional(timestamp), "When it was decided."),
  decided_by: field(
    z.optional(z.enum(["owner", "ai_client", "service"])),
    "Who decided it. `service`: it expired or was resolved elsewhere.",
  ),
  approve_url: field(z.url(), "Where the owner decides it."),
};
const workflow = {
  workflow_id: field(z.string(), "The workflow."),
  name: field(z.string(), "The workflow's name."),
  version: field(z.int(), "The version of the workflow."),
  prompt: field(z.string(), "What the run is asked."),
};

const kind = <Name extends string>(name: Name) => field(z.literal(name), "What is done once it is approved.");

export const approvalSchema = z.discriminatedUnion("kind", [
  object({
    kind: kind("confirm_schedule"),
    ...common,
    schedule_id: field(z.uuid(), "The schedule."),
    prompt: field(z.string(), "What the run is asked."),
    fire_at: field(timestamp, "When the schedule fires."),
  }),
  object({ kind: kind("activate_workflow"), ...common, ...workflow }),
  object({
    kind: kind("run_workflow"),
    ...common,
    ...workflow,
    input: field(z.optional(z.string()), "What follows the prompt."),
    run_id: field(z.optional(z.string()), "The run that the approval started."),
  }),
  object({
    kind: kind("grant_writes"),
    ...common,
    server: field(z.string(), "The MCP server whose tools may change something."),
    tool: field(z.string(), "The tool that was called first."),
  }),
  object({
    kind: kind("accept_changeset"),
    ...common,
    workspace_id: field(z.uuid(), "The workspace."),
    changeset_id: field(z.uuid(), "The changeset that is to be accepted."),
    revision_id: field(z.uuid(), "What it proposes."),
    expected_current_revision: field(
      z.uuid(),
      "The revision that was current when it was asked for: another one cannot be approved.",
    ),
    resolved_revision_id: field(
      z.optional(z.uuid()),
      "A revision that has the changeset's conflicts settled.",
    ),
    title: field(z.string(), "What the changeset is about."),
    files: field(z.int(), "How many files it changes."),
    additions: field(z.optional(z.int()), "Lines that it adds, where they could be counted."),
    deletions: field(z.optional(z.int()), "Lines that it removes, where they could be counted."),
    validation_evidence: field(evidenceSchema, "How it was validated."),
  }),
]);

/** One proposed call of a tool that waits for a person, or was decided. A union on `status`. */
export type Approval = z.infer<typeof approvalSchema>;

export const approvalListSchema = z.array(approvalSchema);

export const listApprovalsQuerySchema = strictObject({
  status: field(z.optional(z.enum(approvalStatuses)), "Only those in this state."),
  agent_id: field(z.optional(z.uuid()), "Only those of this agent."),
  before: field(z.optional(z.uuid()), "The id of the approval that the page comes after."),
  limit: field(wholeNumber({ min: 1, max: 100, fallback: 50 }), "Approvals at most."),
});
