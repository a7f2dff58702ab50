// Advice where a service refuses a field that this version sends: it is older. Pure.

import type { SubmitRunRequest } from "../contract/runs/run-requests.ts";

/** As UNKNOWN_FIELD of the contract, whose schemas are not to load with a verdict. */
const UNKNOWN_FIELD = "unknown_field";

type RefusedField = { readonly field: string; readonly reason?: string | undefined };

/** The names that a face uses for itself and for the setting that sends a field. */
type OlderServiceWords = {
  /** "this version of the Action". */
  readonly self: string;
  /** A sentence that begins small, without its full stop; null where no setting keeps the field from being sent. */
  readonly leaveOut: (field: string) => string | null;
};

type Field = keyof SubmitRunRequest;

/** The settings of a job's submission that Action and command have by one name. Null: the field follows from the job. */
const settings: Readonly<Record<Field, string | null>> = {
  message: null,
  messages: null,
  session_key: null,
  new_session: null,
  pull_request: null,
  idempotency_key: null,
  session_id: "session",
  max_turn_tokens: "max-turn-tokens",
  max_cost_usd: "max-cost",
  time_limit_seconds: "timeout-minutes",
  // Sent again without it.
  may_park: null,
  delivers: null,
  about: null,
  output_schema: "output-schema",
  setup: "setup",
  egress: "egress",
  mcp_servers: "mcp-servers",
  outputs: "outputs",
  best_of: "best-of",
  best_of_models: "best-of-models",
  model_access: "model",
  mcp_access: "mcp-servers",
};

const inputAdvice: Partial<Record<Field, string>> = {
  session_key: 'set the input "session" to "new"',
  new_session: 'write "/agent" in place of "/agent new"',
  output_schema: 'leave out the input "output-schema", or "findings" where that is what sets it',
  model_access: 'leave out the input "model" and the identifiers of its provider',
};

export const inputWords: OlderServiceWords = {
  self: "this version of the Action",
  leaveOut: (field) => {
    const name = settingOf(field);
    return adviceOf(field) ?? (name === null ? null : `leave out the input "${name}"`);
  },
};

export const flagWords: OlderServiceWords = {
  self: "this version of the command",
  leaveOut: (field) => {
    const name = settingOf(field);
    return name === null ? null : `leave out --${name}`;
  },
};

/** Null where no field is refused as unknown. */
export function olderServiceText(fields: readonly RefusedField[], words: OlderServiceWords): string | null {
  const unknown = fields.filter(({ reason }) => reason === UNKNOWN_FIELD).map(({ field }) => field);
  if (unknown.length === 0) return null;
  const names = unknown.map((field) => `"${field}"`).join(", ");
  const advice = [...new Set(unknown.map((field) => words.leaveOut(field.split(".", 1)[0] ?? "")))];
  const known = advice.filter((one) => one !== null);
  const isAvoidable = known.length === advice.length;
  const way = `${isAvoidable ? `${known.join(" and ")}, or ` : ""}let its operator update it.`;
  return `The service is older than ${words.self}: it does not know ${names}. ${capital(way)}`;
}

function settingOf(field: string): string | null {
  return ownValue(settings, field);
}

function adviceOf(field: string): string | null {
  return ownValue(inputAdvice, field);
}

/** Names of fields come from the service. */
function ownValue(table: Readonly<Record<string, string | null>>, name: string): string | null {
  return Object.hasOwn(table, name) ? (table[name] ?? null) : null;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
