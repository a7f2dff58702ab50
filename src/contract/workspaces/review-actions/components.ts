// What the fields of review actions mean. Pure.

import { type Components, component } from "../../component.ts";
import { reviewActionSchema } from "./review-action.ts";

export const reviewActionComponents: Components = {
  ReviewAction: component(reviewActionSchema, "What somebody asked for and only the owner may do.", {
    id: "The action's id, which is that of its approval.",
    workspace_id: "The workspace.",
    kind: "What is done once it is approved.",
    state: "`waiting` until it is decided. `resolved_elsewhere`: the changeset was decided without it.",
    approve_url: "Where the owner decides it.",
    changeset_id: "The changeset.",
    revision_id: "What it proposes.",
    expected_current_revision:
      "The revision that was current when it was asked for: another one cannot be approved.",
    resolved_revision_id: "A revision that has the changeset's conflicts settled. Null: it has none.",
    title: "What the changeset is about.",
    validation_evidence: [
      "How it was validated.",
      { kind: "What was done.", text: "What came of it.", run_id: "The run that did it." },
    ],
    created_at: "When it was asked for.",
    expires_at: "Until when it can be decided.",
    decided_at: "When it was decided. Null until then.",
  }),
};
