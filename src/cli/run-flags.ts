// The flags of `agent-service run`.

import { integer, line, oneOf } from "../base/settings/kinds.ts";
import type { ValuesOf } from "../base/settings/setting.ts";
import {
  cancelActions,
  DEFAULT_IDLE_MINUTES,
  DEFAULT_TIMEOUT_MINUTES,
  failOn,
  MAX_TURN_TOKENS,
} from "../job/job-settings.ts";
import type { Conclusion } from "../report/conclusion.ts";
import { serviceUrlFlag } from "./account.ts";
import { anyText, switchFlag, valueFlag } from "./flags.ts";

const MAX_TIMEOUT_MINUTES = 1_440;
const DEFAULT_FAIL_ON: readonly Conclusion[] = ["failure", "quota", "incomplete", "cancelled"];

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
      "With --embedded: the model. Without one, the agent only writes a briefing of the repository.",
    shownDefault: "MODEL",
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
    description: "With --embedded: openai-compatible or anthropic.",
    shownDefault: "MODEL_PROVIDER, by the address",
  }),
  "prompt-file": valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<file>",
    description: "A file with the prompt, in place of the argument.",
  }),
  "max-turn-tokens": valueFlag({
    kind: integer({ min: 0, max: MAX_TURN_TOKENS }),
    fallback: null,
    takes: "<n>",
    description: "The token budget. 0 is the service's default.",
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
  "fail-on": valueFlag({
    kind: failOn,
    fallback: new Set(DEFAULT_FAIL_ON),
    takes: "<list>",
    description: "The conclusions that end with exit code 1.",
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
  json: switchFlag("Print the run's events as JSON, one a line."),
};

export type RunFlags = ValuesOf<typeof runFlags>;
