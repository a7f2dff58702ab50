// What the fields of workers mean. Pure.

import { type Components, component, oneOf } from "../../component.ts";
import { submitRunFields } from "../../runs/components.ts";
import { actorTexts } from "../record.ts";
import { startWorkerRequestSchema, workerListSchema, workerSchema } from "./worker.ts";

const {
  message,
  messages,
  egress,
  mcp_servers,
  idempotency_key,
  max_turn_tokens,
  max_cost_usd,
  time_limit_seconds,
  output_schema,
} = submitRunFields;

export const workerComponents: Components = {
  Worker: component(workerSchema, "A run in a copy, for a task group.", {
    id: "The worker's id.",
    workspace_id: "The workspace's id.",
    task_group_id: "The task group that it works for.",
    working_copy_id: "The copy that it works in, alone.",
    executor_agent_id: "The agent that runs.",
    run_id: "Its run.",
    run_status: "Where the run stands.",
    save_state:
      "What of its changes is saved: `none` while it works, `saving`, then `saved`, `unchanged` where there was nothing to save, or `failed`. A run that has completed is not saved by that.",
    saved_revision_id:
      "The revision of what it left: for `saved` one of its own, for `unchanged` the one that it began with. It is not accepted: make a changeset of it.",
    save_error:
      "Why nothing could be saved, where `save_state` is `failed`. What was written before stays in the copy.",
    created_by: ["Who started it.", actorTexts],
    created_at: "When it was started.",
    saved_at: "When its changes were saved, or could not be.",
  }),
  WorkerList: component(workerListSchema, "A page of workers, newest first.", {
    items: "The workers.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
  StartWorkerRequest: component(
    startWorkerRequestSchema,
    "A worker to start. Exactly one of `message` and `messages` is needed, and at most one of `working_copy_id` and `base_revision_id`.",
    {
      ...{ message, messages, egress, mcp_servers, idempotency_key },
      ...{ max_turn_tokens, max_cost_usd, time_limit_seconds, output_schema },
      task_group_id: "The task group that it works for.",
      working_copy_id: "The copy that it works in. Left out: a new one.",
      base_revision_id: "The revision that its new copy is of. Left out: the accepted one.",
      executor_agent_id: "The member that runs. Left out: the workspace's manager.",
    },
    oneOf("message", "messages"),
  ),
};
