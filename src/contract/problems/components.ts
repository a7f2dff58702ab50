// What the fields of a refusal mean. Pure.

import { type Components, component } from "../component.ts";
import { problemSchema } from "./problem.ts";

export const problemComponents: Components = {
  Problem: component(problemSchema, "The body of every refusal.", {
    error: "A message for people. Do not parse it.",
    code: "A stable word for the cause. Branch on this.",
    request_id: "Names the request in the service's log.",
    reason: "A finer stable word, where there is one.",
    expected: "What was expected, of a token or a policy.",
    got: "What the token had instead.",
    audience: "The kind of the account that has no credits, with a 402.",
    claim_url: "Where an account claims the repository's agent, with a 402; null where that is not possible.",
    approve_url: "Where the owner approves this request, with `owner_needed`.",
    fields: [
      "The fields of the query or the body that are wrong, with a 400.",
      {
        field: "The path of the field, its parts joined by dots.",
        allowed: "What is allowed there.",
        reason: "`unknown_field` where there is no such field. Absent: its value is wrong.",
      },
    ],
    current_etag: "The ETag that holds, with a 412.",
    workspace_ids: "The workspaces that the agent manages, with `workspace_manager_in_use`.",
    run_id: "The run that holds the copy, with `copy_held`.",
    current_revision: "The current revision, with `current_revision_conflict`.",
    paths: "The paths that it is about, where there are any.",
    cap_bytes: "How large a file may be that is read so, with `file_too_large`.",
  }),
};
