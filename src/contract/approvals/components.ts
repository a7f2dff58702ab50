// What the fields of approvals mean. Pure.

import { type Components, collection, component } from "../component.ts";
import { approvalListSchema, approvalSchema } from "./approval.ts";

export const approvalComponents: Components = {
  Approval: component(
    approvalSchema,
    "What an AI client or a run asked for and only the account's owner may do. A union on `kind`.",
    {
      kind: "What is done once it is approved.",
      id: "The approval's id. An approval of a schedule has the schedule's id.",
      agent_id: "The agent that it is about.",
      status:
        "`pending` until it is decided. `resolved_elsewhere`: it was done, or became pointless, without the approval.",
      requested_by: [
        "Who asked for it.",
        {
          type: "A client that acts for the owner, or a run.",
          name: "What the client is called.",
          run_id: "The run that asked.",
        },
      ],
      created_at: "When it was requested first.",
      expires_at: "Until when it can be approved.",
      decided_at: "When it was decided.",
      decided_by: "Who decided it. `service`: it expired or was resolved elsewhere.",
      approve_url: "Where the owner decides it.",
      schedule_id: "The schedule.",
      prompt: "What the run is asked.",
      fire_at: "When the schedule fires.",
      workflow_id: "The workflow.",
      name: "The workflow's name.",
      version: "The version of the workflow.",
      input: "What follows the prompt.",
      run_id: "The run that the approval started.",
      server: "The MCP server whose tools may change something.",
      tool: "The tool that was called first.",
      workspace_id: "The workspace.",
      changeset_id: "The changeset that is to be accepted.",
      revision_id: "What it proposes.",
      expected_current_revision:
        "The revision that was current when it was asked for: another one cannot be approved.",
      resolved_revision_id: "A revision that has the changeset's conflicts settled.",
      title: "What the changeset is about.",
      files: "How many files it changes.",
      additions: "Lines that it adds, where they could be counted.",
      deletions: "Lines that it removes, where they could be counted.",
      validation_evidence: [
        "How it was validated.",
        { kind: "What was done.", text: "What came of it.", run_id: "The run that did it." },
      ],
    },
  ),
  ApprovalList: collection(approvalListSchema, "Approvals, newest first."),
};
