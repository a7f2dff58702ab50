// The flags of `agent-service run`.

import { dollars, integer, line, oneOf } from "../base/settings/kinds.ts";
import type { ValuesOf } from "../base/settings/setting.ts";
import { codingAgentNames } from "../contract/ci/coding-agents.ts";
import { egressKind } from "../contract/egress.ts";
import { modelPrice } from "../contract/models/model-price.ts";
import { efforts } from "../contract/models/protocols.ts";
import { modelProviderNames } from "../contract/models/providers.ts";
import {
  attemptModels,
  cancelActions,
  cloneModes,
  DEFAULT_IDLE_MINUTES,
  DEFAULT_TIMEOUT_MINUTES,
  failOn,
  MAX_ATTEMPTS,
  MAX_COST_LIMITS,
  MAX_TURN_TOKENS,
  setup,
} from "../job/job-settings.ts";
import type { FailOnWord } from "../report/conclusion.ts";
import { serviceUrlFlag } from "./account.ts";
import { anyText, switchFlag, valueFlag } from "./flags.ts";
import { federationFlags } from "./model-flags.ts";
import { writeBackFlags } from "./write-back-flags.ts";

const MAX_TIMEOUT_MINUTES = 1_440;
const MAX_ISSUE = 2_147_483_647;
const DEFAULT_FAIL_ON: readonly FailOnWord[] = ["failure", "quota", "incomplete", "cancelled"];

/** By their names. */
export const runFlags = {
  embedded: switchFlag("Run inside this process, on the checkout in this folder, without a server."),
  "base-url": serviceUrlFlag,
  audience: valueFlag({
    kind: line({ maxChars: 255 }),
    fallback: null,
    takes: "<text>",
    description: "What the job's token is made for.",
    shownDefault: "the host of the base URL",
  }),
  account: valueFlag({
    kind: line({ maxChars: 255 }),
    fallback: null,
    takes: "<id>",
    description: "The account that accepts a pending claim of this repository.",
  }),
  session: valueFlag({
    kind: line({ maxChars: 255 }),
    fallback: null,
    takes: "<id>",
    description: "The session to continue.",
    shownDefault: "a new one",
  }),
  model: valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<name>",
    description:
      "With --embedded, or with the identifiers of a model's provider: the model. Without one, the agent only writes a briefing of the repository.",
    shownDefault: "MODEL",
  }),
  "fallback-model": valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<name>",
    description:
      "With --embedded: a model of the same API with which the run goes on when its own is overloaded, fails again and again, or is not there any more.",
    shownDefault: "FALLBACK_MODEL",
  }),
  "explore-model": valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<name>",
    description:
      "With --embedded: a model of the same API, such as a cheaper one, that reads the repository for the agent and answers its questions about it.",
    shownDefault: "EXPLORE_MODEL",
  }),
  "model-base-url": valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<url>",
    description: "With --embedded: the address of the model's API. Its key is in MODEL_API_KEY.",
    shownDefault: "MODEL_BASE_URL",
  }),
  "model-provider": valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<name>",
    description: `With --embedded: whose API it is. ${modelProviderNames.join(", ")}, or openai-compatible for the protocol alone.`,
    shownDefault: "MODEL_PROVIDER, by the address",
  }),
  agent: valueFlag({
    kind: oneOf(["built-in", ...codingAgentNames]),
    fallback: "built-in",
    takes: "<name>",
    description: `With --embedded: the coding agent that works on the model, built-in, ${codingAgentNames.join(", ")}.`,
  }),
  effort: valueFlag({
    kind: oneOf(efforts),
    fallback: null,
    takes: "<how>",
    description:
      "With --embedded: how hard the model thinks, where it can be told: low, medium, high or max.",
    shownDefault: "MODEL_EFFORT, the model's own",
  }),
  "model-price": valueFlag({
    kind: modelPrice,
    fallback: null,
    takes: "<dollars>",
    description:
      'With --embedded: what the model costs for a million tokens of input and of output, such as "2.5 / 15", or with cached input between them. Needed for --max-cost where no price of the model is published.',
    shownDefault: "the published one",
  }),
  ...federationFlags,
  "prompt-file": valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<file>",
    description: "A file with the prompt, in place of the argument.",
  }),
  egress: valueFlag({
    kind: egressKind,
    fallback: null,
    takes: "<policy>",
    description:
      "What the run may reach of the network: none, setup (package registries, while its setup executes), registries, or names of hosts, separated by commas.",
    shownDefault: "what the agent's owner has set; with --embedded none",
  }),
  "mcp-servers": valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<file>",
    description:
      "A JSON file of MCP servers whose tools the run has. .mcp.json stands for those of the repository itself, with --embedded, on the commit that writers agreed to.",
  }),
  "max-turn-tokens": valueFlag({
    kind: integer({ min: 0, max: MAX_TURN_TOKENS }),
    fallback: null,
    takes: "<n>",
    description: "The token budget. 0 is the service's default.",
  }),
  "max-cost": valueFlag({
    kind: dollars(MAX_COST_LIMITS),
    fallback: null,
    takes: "<dollars>",
    description: "The most that the models of the run may cost in US dollars. The model needs a known price.",
    shownDefault: "the service's",
  }),
  "best-of": valueFlag({
    kind: integer({ min: 1, max: MAX_ATTEMPTS }),
    fallback: 1,
    takes: "<n>",
    description:
      "Attempts at the same task on a service, 1 to 5. The repository's checks, executed by the service, and then a judge choose one.",
  }),
  "best-of-models": valueFlag({
    kind: attemptModels,
    fallback: null,
    takes: "<list>",
    description: "The models of the attempts, in turn: models of the service.",
    shownDefault: "the agent's model for each",
  }),
  setup: valueFlag({
    kind: setup,
    fallback: null,
    takes: "<path>",
    description:
      'The script of the repository that is executed before the agent, to install what its commands need. "none" executes none.',
    shownDefault: ".github/agent/setup.sh, where it exists",
  }),
  "timeout-minutes": valueFlag({
    kind: integer({ min: 1, max: MAX_TIMEOUT_MINUTES }),
    fallback: DEFAULT_TIMEOUT_MINUTES,
    takes: "<n>",
    description: "Cancel a run that takes longer.",
  }),
  "idle-minutes": valueFlag({
    kind: integer({ min: 0, max: MAX_TIMEOUT_MINUTES }),
    fallback: DEFAULT_IDLE_MINUTES,
    takes: "<n>",
    description: "Cancel a run that is silent for longer. 0 is never.",
  }),
  "on-cancel": valueFlag({
    kind: oneOf(cancelActions),
    fallback: "cancel",
    takes: "<action>",
    description: "What happens to the run when the job is cancelled.",
  }),
  clone: valueFlag({
    kind: oneOf(cloneModes),
    fallback: "auto",
    takes: "<mode>",
    description:
      "How the service gets the commit: push, the job sends it. auto: only where nobody else may read it.",
  }),
  "fail-on": valueFlag({
    kind: failOn,
    fallback: new Set(DEFAULT_FAIL_ON),
    takes: "<list>",
    description:
      "The conclusions that end with exit code 1; checks-failed for a run whose checks fail since its last edit.",
    shownDefault: DEFAULT_FAIL_ON.join(","),
  }),
  "output-dir": valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<folder>",
    description: "Where reply, summary, events and patch go.",
    shownDefault: "agent-service-output in a CI job, else none",
  }),
  "output-schema": valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<file>",
    description: "A file with the JSON Schema that the reply must match.",
  }),
  outputs: valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<yaml>",
    description:
      "On GitLab: what the job writes for the run after it, as YAML. Any of labels, assign, reviewers, close and issue, each with the values that the run may choose from and how many. Each is a tool of the built-in agent. Needs a token in AGENT_SERVICE_GITLAB_TOKEN.",
    shownDefault: "AGENT_SERVICE_OUTPUTS",
  }),
  issue: valueFlag({
    kind: integer({ min: 1, max: MAX_ISSUE }),
    fallback: null,
    takes: "<n>",
    description:
      "With --outputs: the issue of this project that the run is about, by its number. Its title and text are handed to the agent.",
    shownDefault: "the merge request of the job, or none",
  }),
  ...writeBackFlags,
  json: switchFlag("Print the run's events as JSON, one a line."),
};

export type RunFlags = ValuesOf<typeof runFlags>;
