// What the fields of runs mean. Those of their events are in event-components.ts. Pure.

import { type Components, collection, component, oneOf } from "../component.ts";
import { pullRequestSchema } from "./pull-request.ts";
import {
  cancelRunResponseSchema,
  roleUsageSchema,
  runListSchema,
  runSchema,
  submitRunResponseSchema,
} from "./run.ts";
import { messageSchema, partSchema, submitRunRequestSchema } from "./run-requests.ts";
import { stopReasons } from "./stop-reason.ts";

/** The frame of the socket that submits a run has them too. */
export const submitRunFields = {
  message: "What the agent is asked, as the one message of its user. Not read when `messages` is sent.",
  messages: "What the agent is asked, as a list of messages. It wins when both are sent.",
  session_id: "The session to continue. With neither this nor `session_key` the run begins one.",
  session_key:
    "Names the session by a key of the caller's own, instead of `session_id`: the first run with the key begins it, every later one continues it. Keys belong to the agent: whoever may submit runs of it reaches each of its sessions by the key. A key keeps sessions apart and protects nothing: make it of what the CI vouches for, such as the number of an issue, and not of text that an outsider wrote.",
  new_session: "With `session_key`: begins the session anew, and the key names that one from then on.",
  pull_request:
    "Only for a CI job: the pull request whose head the run works on, instead of the job's commit.",
  idempotency_key:
    "Makes the request safe to repeat for 24 hours. Not read when the header Idempotency-Key is sent.",
  max_turn_tokens: "Tokens that the run may use; 0 or left out: the default.",
  output_schema:
    "A JSON Schema (2020-12) that the reply has to match; the reply then also comes as the event `output`.",
} as const;

export const runComponents: Components = {
  Run: component(
    runSchema,
    "A run: its status and its accounting, without its output. A union on `status`.",
    {
      status: "Where the run stands.",
      id: "The run's id.",
      agent_id: "The agent that runs.",
      thread_id: "The run's session.",
      origin: "What started the run.",
      parent_run_id: "The run that delegated this one.",
      credits: "Credits charged, after refunds; null where they are not known.",
      tokens: "Tokens used; null where they are not known.",
      gross_micro_usd: "What was used before refunds, in micro-USD (1,000,000 = 1 USD).",
      refunded_micro_usd: "What was refunded, in micro-USD.",
      refund_reason: "Why it was refunded.",
      refund_withheld_reason:
        "Why a failed run was charged that would be refunded. `output_schema`: its reply never fit. `answered`: it had answered before its agent's process ended. `refund_limit`: as many runs of its billing account were refunded that day as may be.",
      usage_by_role: [
        "What each role used. Absent where it is not known.",
        {
          executor:
            "The model that does the work. The prices of the run itself and of tools are part of its costs.",
          advisor: "The stronger model that it may consult.",
          reviewer: "The model that reviews the work.",
        },
      ],
      advisor: [
        "How the stronger model was consulted.",
        {
          calls_used: "Calls made.",
          calls_allowed: "Calls that the run may make.",
          spend_micro_usd:
            "What they cost before refunds, in micro-USD: the advisor's part of `usage_by_role`.",
          spend_cap_micro_usd: "What they may cost; absent without a cap.",
        },
      ],
      started_at: "When it began.",
      last_heartbeat_at: "When its executor last reported.",
      ended_at: "When it ended.",
      stop_reason: `Why it stopped. \`end_turn\`: its work is done. Cut before that: ${stopReasons
        .filter((reason) => reason !== "end_turn")
        .map((reason) => `\`${reason}\``)
        .join(", ")}.`,
      cause: "Why it failed or was cancelled.",
      retryable: "True when the same request may succeed later.",
    },
  ),
  RunList: collection(runListSchema, "Runs, newest first."),
  RoleUsage: component(roleUsageSchema, "What one role used.", {
    credits: "Credits before refunds, not rounded.",
    micro_usd: "The same in micro-USD. The roles' amounts sum to `gross_micro_usd`.",
    tokens: "Tokens.",
    calls: "Calls of the model.",
    estimated:
      "True where the service estimated some of it, because a model's server reported no usage or an impossible one.",
  }),
  Message: component(messageSchema, "A message of the conversation.", {
    role: "Who says it.",
    content: "What is said.",
    tool_call_id: "The tool call that it answers.",
    parts: "What it is made of beside text.",
  }),
  MessagePart: component(partSchema, "A part of a message.", {
    type: "What it is.",
    path: "Where it is.",
    mime: "Its media type.",
    w: "Its width in pixels.",
    h: "Its height in pixels.",
  }),
  PullRequest: component(
    pullRequestSchema,
    "A pull request, or merge request, of the job's own repository.",
    {
      number: "Its number.",
      head_sha: "The whole name of the commit at its head. It must still be in the history of that head.",
      base_ref: "The branch that it goes to, by its plain name, such as `main`.",
    },
  ),
  SubmitRunRequest: component(
    submitRunRequestSchema,
    "A run to queue. Exactly one of `message` and `messages` is required.",
    submitRunFields,
    oneOf("message", "messages"),
  ),
  SubmitRunResponse: component(submitRunResponseSchema, "The run that was queued.", {
    run_id: "The run's id.",
    session_id: "The session's id.",
  }),
  CancelRunResponse: component(cancelRunResponseSchema, "The run that was asked to end.", {
    runId: "The run's id.",
    status: "Always `cancelling`: read the run to see it end.",
  }),
};
