// What to do about a refused exchange, one line a reason. Pure.

import type { ApiError } from "../client/errors.ts";

const advice: Readonly<Record<string, string>> = {
  issuer_unknown:
    "The service does not know this job's token issuer. Its operator adds the issuer to CI_ISSUERS.",
  issuer_disabled: "The service's operator has switched this job's token issuer off.",
  token_expired: "The ID token had expired on arrival. Compare the clocks of the runner and the service.",
  token_not_yet_valid: "The ID token is not valid yet. Compare the clocks of the runner and the service.",
  token_replayed: "The ID token had been used before. Re-run the job.",
  keys_unavailable: "The service cannot fetch the issuer's keys at the moment. Re-run the job later.",
};

/** The message for a refusal that carries a reason; `expected` and `got` are named where the service tells them. */
export function exchangeMessage(error: ApiError): string {
  const { reason = error.code, expected, got } = error;
  if (reason === "audience_mismatch") {
    const fix = expected === undefined ? "the audience that the service expects" : `"audience: ${expected}"`;
    const was = got === undefined ? "" : `, got "${got}"`;
    return `The ID token was made for another audience${was}. Set ${fix} on this step.`;
  }
  if (reason === "event_refused") {
    const event = got === undefined ? "this event" : `"${got}"`;
    return `The service runs nothing for ${event}. Use "pull_request", "push", "schedule" or "workflow_dispatch".`;
  }
  return advice[reason] ?? `The service refused (${reason}): ${error.message}`;
}
