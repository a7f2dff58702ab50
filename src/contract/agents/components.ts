// What the fields of agents mean. Pure.

import { type Components, collection, component } from "../component.ts";
import {
  agentListSchema,
  agentSchema,
  createAgentRequestSchema,
  createAgentResponseSchema,
  updateAgentRequestSchema,
} from "./agent.ts";
import { ciPolicyRequestSchema, ciPolicySchema } from "./ci-policy.ts";

const agentFields = {
  id: "The agent's id.",
  user_id: "The account that owns it.",
  name: "Its name. `if_exists: return` finds it by this.",
  backend: "What executes its runs.",
  model: "The model that its runs use.",
  config: "What its creator stored with it. The service does not read it.",
  entity_disk_id: "The id of its storage.",
  status: "The state of its session; absent while it is not known.",
  created_at: "When it was made.",
  kind: "`independent` for a member of workspaces; absent for every other agent.",
  workspace_id:
    "The workspace that it was made with, as its manager. It is outside of the plan's cap of agents, and ends with the workspace. Absent for every other agent.",
  advisor_max_spend_micro_usd:
    "What its advisor may spend a turn, in micro-USD (1,000,000 = 1 USD). 0 stops the advisor; absent: no cap.",
  ci_policy: "Which CI jobs may run a repository's agent. Null: every job of its repository.",
  egress:
    "What its runs may reach of the network, at most, and what a run has that asks for nothing: `none`, `setup` (package registries while the run's setup executes), `registries`, or a list of host names, in which `setup` and `registries` may stand too. Absent: the operator's limit, for runs that ask.",
  retired_at: "When it was retired; absent while it takes work.",
} as const;

const policyFields = {
  events: "Events, such as `push` or `schedule`; `pull_request` for every provider's.",
  refs: "Full refs. `*` matches the rest of a segment, `**` all segments that follow.",
  workflows: "The file that started the job, on any ref, or with `@` on one.",
  actors: "The provider's numeric ids of those who may start the job.",
  max_usd_per_day:
    "What the models of the jobs' runs may cost in a day (UTC), in US dollars, by the service's prices or the published ones. A run reserves its `max_cost_usd`, or a quarter of the cap, within what is left, and is held to that. Beyond it a submission is answered 402, `day_cap_reached`.",
  mcp_servers:
    "Whose MCP servers runs of the agent may have, beside the operator's: `none`; `workflow`, those of the submission, the default; or `repository`, also those of the repository's own `.mcp.json`, of the commit that writers agreed to.",
  share:
    "Whether the link in a job's log opens the page of its run for everybody who has it: `log` or `off`. Left out: `log` for a public repository, `off` for every other. `off` ends links that were given out before.",
  mint_keys:
    "Whether jobs of the repository may exchange their ID token at `/oauth/token` for an access token of the owner's account, as an AI client. Only jobs of events that a writer causes. Left out: `false`.",
} as const;

export const agentComponents: Components = {
  Agent: component(agentSchema, "A long-lived worker of an account.", agentFields),
  AgentList: collection(agentListSchema, "Agents, newest first."),
  CreateAgentRequest: component(createAgentRequestSchema, "The agent to make, or to find.", {
    name: "Its name.",
    model: "The model that its runs use. Left out: the service's default.",
    config: "Any JSON object. The service stores it and does not read it.",
    if_exists:
      "`return` gives the account's agent of this name where there is one; `error`, the default, always makes one.",
    kind: "`independent` makes a member of workspaces. It needs the header Idempotency-Key.",
    user_id: "Not read: the owner is the credential's account.",
  }),
  CreateAgentResponse: component(createAgentResponseSchema, "The agent that was made or found.", {
    ...agentFields,
    existing: "True when the agent was there before the request.",
  }),
  UpdateAgentRequest: component(
    updateAgentRequestSchema,
    "What to change. A field that is left out stays as it is.",
    {
      advisor_max_spend_micro_usd:
        "What the advisor may spend a turn, in micro-USD. 0 stops it, null clears the cap.",
      ci_policy: "The whole policy, which replaces the one before. Null clears it.",
      egress: "What its runs may reach of the network, at most. Null clears it.",
    },
  ),
  CiPolicy: component(
    ciPolicySchema,
    "Which CI jobs may run an agent. A list that is absent allows all.",
    policyFields,
  ),
  CiPolicyRequest: component(
    ciPolicyRequestSchema,
    "A policy to set. It needs at least one rule, and no list is empty.",
    policyFields,
  ),
};
