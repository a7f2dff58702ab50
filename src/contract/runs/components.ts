// What the fields of runs mean. Those of their events are in event-components.ts. Pure.

import { type Components, collection, component, oneOf } from "../component.ts";
import { mcpServerSchema } from "./mcp-servers.ts";
import { modelAccessSchema, renewModelAccessRequestSchema } from "./model-access.ts";
import { pullRequestSchema } from "./pull-request.ts";
import {
  cancelRunResponseSchema,
  modelUsageSchema,
  roleUsageSchema,
  runListSchema,
  runSchema,
  spendingStops,
  stopReasons,
  submitRunResponseSchema,
} from "./run.ts";
import { messageSchema, partSchema, submitRunRequestSchema } from "./run-requests.ts";

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
  model_access:
    "Only for a CI job: the access to a model that the run uses instead of the service's. The repository's account at the provider pays for its tokens. It is kept until the run ends, and in no answer, event or log.",
  egress:
    "What the run may reach of the network: `none`, `setup` (package registries while the run's setup executes), `registries`, or a list of host names, in which `setup` and `registries` may stand too. What the agent's policy or the operator does not allow is left out, and the event `egress` says so. Left out: the agent's policy, or nothing.",
  mcp_servers:
    "MCP servers whose tools the run has, by their names: reached by https, within what the run may reach of the network, and without secrets. `tools` lists those that are offered, with `*` for any characters. Of servers of one name the operator's wins.",
  idempotency_key:
    "Makes the request safe to repeat for 24 hours. Not read when the header Idempotency-Key is sent.",
  max_turn_tokens:
    "Tokens that the run and its children may use; 0 or left out: the default. Input from a cache counts by its price relative to other input.",
  max_cost_usd:
    "What the models of the run and its children may cost, in US dollars: by the service's prices, or by those that the models' makers publish. It holds before each call. Refused for a model without a known price. Left out: the service's default, or no limit.",
  time_limit_seconds:
    "How long whoever asks waits for the run: the model is told to finish before that. The run is not stopped by it, and the service's own limit holds. It is no part of what an idempotency key compares.",
  setup:
    "The script of the repository that is executed before the agent, in place of `.github/agent/setup.sh`; null executes none. It is read from the commit that writers agreed to: of a pull request, its base.",
  output_schema:
    "A JSON Schema (2020-12) that the reply has to match; the reply then also comes as the event `output`.",
} as const;

export const runComponents: Components = {
  McpServer: component(mcpServerSchema, "An MCP server that a run has, reached by https.", {
    type: "Streamable HTTP, which is the only one.",
    url: "Its address, without credentials. Its host has to be one that the run may reach.",
    tools: "The tools that are offered, with `*` for any characters. Left out: all.",
  }),
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
      workspace_id: "The workspace that it works in; absent where it works in none.",
      commit: [
        "The commit that the run works on, where no job said it. Absent for a run of a job, and where no commit is needed.",
        {
          from: "`session`: that of the session's last run. `default_branch`: the newest of the default branch that a job has sent, or has named of a public repository. `code_host`: the newest of the default branch at the code host, by the access that the agent's owner chose.",
          sha: "The commit.",
          ref: "The branch, or the ref of a pull request, that it was found at.",
        },
      ],
      copy_id: "The copy of the workspace that it works in; absent where it has the accepted files.",
      credits: "Credits charged, after refunds; null where they are not known.",
      tokens: "Tokens used; null where they are not known.",
      gross_micro_usd: "What was used before refunds, in micro-USD (1,000,000 = 1 USD).",
      refunded_micro_usd: "What was refunded, in micro-USD.",
      refund_reason:
        "Why it was refunded. Its `cause`, where a caller can produce such a failure: these refunds are limited a day. Otherwise the service's own fault: `interrupted`, `stalled`, `storage_unavailable`, `contents_lost`, `misconfigured`, `internal_error`, `model_unavailable`, `model_key_refused`.",
      refund_withheld_reason:
        "Why a failed run was charged that would be refunded. `output_schema`: its reply never fit. `answered`: it had answered before its agent's process ended. `refund_limit`: as many runs of its billing account were refunded that day as may be.",
      model_billing:
        "Who paid for the model's tokens, where it is not the service: `repository`, by the access that the job brought. The run is charged without them.",
      usage_by_role: [
        "What each role used. Absent where it is not known.",
        {
          executor:
            "The model that does the work. The prices of the run itself and of tools are part of its costs.",
          advisor: "The stronger model that it may consult.",
          reviewer: "The model that reviews the work.",
        },
      ],
      usage_by_model:
        "What each model used, in the order of their first calls: a fallback and the models of other roles have entries of their own. Absent where it is not known.",
      budget: [
        "What the run and its children used of what they may use together. Absent where it is not known.",
        {
          counted_tokens:
            "Tokens as the budget counts them: input from a cache by its price relative to other input.",
          max_tokens: "The most of them; absent without a limit.",
          input_tokens: "Input of the run's own models.",
          cached_input_tokens: "How much of it came from a cache.",
          cost_micro_usd:
            "What the models cost by the service's prices, or the published ones, in micro-USD. Absent where a model has no known price. Who pays, and how much, is elsewhere.",
          max_cost_micro_usd: "The most of it; absent without a limit.",
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
      stop_reason: `Why it stopped. \`end_turn\`: its work is done. \`question\`: the next message of its session answers it. Cut before that: ${stopReasons
        .filter((reason) => reason !== "end_turn" && reason !== "question")
        .map((reason) => `\`${reason}\``)
        .join(
          ", ",
        )}. Of a failed run: what left nothing for a first call of its model (${spendingStops.map((stop) => `\`${stop}\``).join(", ")}).`,
      cause: "Why it failed or was cancelled.",
      retryable: "True when the same request may succeed later.",
    },
  ),
  RunList: collection(runListSchema, "Runs, newest first."),
  ModelUsage: component(modelUsageSchema, "What one model used.", {
    model: "The model, as its provider calls it. Empty for those beyond the first nineteen, together.",
    calls: "Calls.",
    input_tokens: "Input.",
    cached_input_tokens: "How much of it came from a cache.",
    output_tokens: "Output.",
    cost_micro_usd:
      "What they cost by the service's prices, or the published ones, in micro-USD. Absent where the model has no known price.",
  }),
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
    path: "Where it is in the checkout; with `data`, what it is called.",
    data: "With `image`: the image itself in base 64 (PNG, JPEG, GIF or WebP), shown to a model that can see. It is in no event, and not shown again to later runs of the session.",
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
      base_sha:
        "That branch's newest commit. Read where the job has sent the commits itself: nothing is fetched then.",
    },
  ),
  ModelAccess: component(
    modelAccessSchema,
    "An access token that a provider of models gave to the CI job for its ID token. It is sent to that provider alone.",
    {
      provider: "The provider: it decides the address and the protocol of the requests.",
      model: "The model, as the provider calls it. It wins over the agent's own.",
      access_token: "The access token. Never the ID token.",
      expires_at: "When it ends. Renew it before.",
    },
  ),
  RenewModelAccessRequest: component(renewModelAccessRequestSchema, "A newer access token for a run.", {
    access_token: "The access token, of the provider that the run was submitted with.",
    expires_at: "When it ends.",
  }),
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
