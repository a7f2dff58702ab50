// The owner's policy for CI jobs that may run a repository's agent. Pure.

import * as z from "zod/mini";
import { field, object, strictObject } from "../field.ts";

/** Bounds of a list: entries, and characters of each. */
export const MAX_POLICY_ENTRIES = 50;
export const MAX_POLICY_CHARS = 500;

/** In US dollars. */
export const LEAST_USD_PER_DAY = 0.01;
export const MOST_USD_PER_DAY = 1_000_000;
const AMOUNT_FORM = `must be US dollars, a number from ${LEAST_USD_PER_DAY} to ${MOST_USD_PER_DAY}`;

export const ciPolicyRules = ["events", "refs", "workflows", "actors"] as const;
export type CiPolicyRule = (typeof ciPolicyRules)[number];

/**
 * Whose MCP servers runs of the agent may have, beside the operator's: nobody's, the workflow's, or also those of the
 * repository's own `.mcp.json`, of the commit that writers agreed to. Not there: the workflow's.
 */
export const mcpServerSources = ["none", "workflow", "repository"] as const;

/**
 * Whether a link that the job's log shows opens the page of a run for everybody who has it. Not there: `log` for a public
 * repository, `off` for every other.
 */
export const shareModes = ["off", "log"] as const;

/** A list that is not there allows all. */
export const ciPolicySchema = object({
  events: field(
    z.optional(z.array(z.string())),
    "Events, such as `push` or `schedule`; `pull_request` for every provider's.",
  ),
  refs: field(
    z.optional(z.array(z.string())),
    "Full refs. `*` matches the rest of a segment, `**` all segments that follow.",
  ),
  workflows: field(
    z.optional(z.array(z.string())),
    "The file that started the job, on any ref, or with `@` on one.",
  ),
  actors: field(
    z.optional(z.array(z.string())),
    "The provider's numeric ids of those who may start the job.",
  ),
  max_usd_per_day: field(
    z.optional(z.number()),
    "What the models of the jobs' runs may cost in a day (UTC), in US dollars, by the service's prices or the published ones. A run reserves its `max_cost_usd`, or a quarter of the cap, within what is left, and is held to that. Beyond it a submission is answered 402, `day_cap_reached`.",
  ),
  mcp_servers: field(
    z.optional(z.enum(mcpServerSources)),
    "Whose MCP servers runs of the agent may have, beside the operator's: `none`; `workflow`, those of the submission, the default; or `repository`, also those of the repository's own `.mcp.json`, of the commit that writers agreed to.",
  ),
  share: field(
    z.optional(z.enum(shareModes)),
    "Whether the link in a job's log opens the page of its run for everybody who has it: `log` or `off`. Left out: `log` for a public repository, `off` for every other. `off` ends links that were given out before.",
  ),
  mint_keys: field(
    z.optional(z.boolean()),
    "Whether jobs of the repository may exchange their ID token at `/oauth/token` for an access token of the owner's account, as an AI client. Only jobs of events that a writer causes. Left out: `false`.",
  ),
});

export type CiPolicy = z.infer<typeof ciPolicySchema>;

/** Characters that git allows in a ref between two slashes, where no `*` is. */
const REF_SEGMENT = String.raw`[^\s\p{Cc}~^:?*[\\/]`;
const REF_PATTERN = String.raw`refs(?=\/)(?:\/(?:${REF_SEGMENT}+\*?|\*))*(?:\/\*\*)?`;
const refPattern = new RegExp(`^${REF_PATTERN}$`, "u");
const workflowPattern = new RegExp(String.raw`^(?!\/)[^\p{Cc}@*]+(?:@${REF_PATTERN})?$`, "u");

const REF_FORM =
  "such as refs/heads/main, refs/heads/release/* or refs/tags/**, with * at the end of a segment";

/** A cap of cost a day. */
export const usdPerDaySchema = z
  .number(AMOUNT_FORM)
  .check(z.minimum(LEAST_USD_PER_DAY, AMOUNT_FORM), z.maximum(MOST_USD_PER_DAY, AMOUNT_FORM));

/** An empty list is refused: it would allow nothing, and who means that retires the agent. */
export const ciPolicyRequestSchema = strictObject(
  {
    events: field(
      list(/^[a-z_]{1,64}$/, "the name of an event, such as push"),
      "Events, such as `push` or `schedule`; `pull_request` for every provider's.",
    ),
    refs: field(
      list(refPattern, `a full ref, ${REF_FORM}`),
      "Full refs. `*` matches the rest of a segment, `**` all segments that follow.",
    ),
    workflows: field(
      list(workflowPattern, `the path of a workflow file, alone or with "@" and a full ref, ${REF_FORM}`),
      "The file that started the job, on any ref, or with `@` on one.",
    ),
    actors: field(
      list(/^[0-9]{1,20}$/, "a numeric id in a string, such as 583231"),
      "The provider's numeric ids of those who may start the job.",
    ),
    max_usd_per_day: field(
      z.optional(usdPerDaySchema),
      "What the models of the jobs' runs may cost in a day (UTC), in US dollars, by the service's prices or the published ones. A run reserves its `max_cost_usd`, or a quarter of the cap, within what is left, and is held to that. Beyond it a submission is answered 402, `day_cap_reached`.",
    ),
    mcp_servers: field(
      z.optional(z.enum(mcpServerSources, `must be one of ${mcpServerSources.join(", ")}`)),
      "Whose MCP servers runs of the agent may have, beside the operator's: `none`; `workflow`, those of the submission, the default; or `repository`, also those of the repository's own `.mcp.json`, of the commit that writers agreed to.",
    ),
    share: field(
      z.optional(z.enum(shareModes, `must be one of ${shareModes.join(", ")}`)),
      "Whether the link in a job's log opens the page of its run for everybody who has it: `log` or `off`. Left out: `log` for a public repository, `off` for every other. `off` ends links that were given out before.",
    ),
    mint_keys: field(
      z.optional(z.boolean("must be true or false")),
      "Whether jobs of the repository may exchange their ID token at `/oauth/token` for an access token of the owner's account, as an AI client. Only jobs of events that a writer causes. Left out: `false`.",
    ),
  },
  {
    fault: `must be null, or an object of ${ciPolicyRules.join(", ")}, max_usd_per_day, mcp_servers, share, mint_keys`,
  },
).check(
  z.refine(
    (policy) => Object.values(policy).some((entries) => entries !== undefined),
    `must have one of ${ciPolicyRules.join(", ")}, max_usd_per_day, mcp_servers, share, mint_keys; null allows all jobs`,
  ),
);

function list(pattern: RegExp, form: string) {
  const entry = z.string(`must be ${form}`).check(
    z.maxLength(MAX_POLICY_CHARS, `must have at most ${MAX_POLICY_CHARS} characters`),
    // A refinement and no `regex`: other readers of the document would have to know its flag.
    z.refine((text) => pattern.test(text), `must be ${form}`),
  );
  const entries = z
    .array(entry, "must be a list of texts")
    .check(
      z.minLength(1, "must not be empty: leave the list out to allow all"),
      z.maxLength(MAX_POLICY_ENTRIES, `must have at most ${MAX_POLICY_ENTRIES} entries`),
    );
  return z.optional(entries);
}
