// Advice about a refused exchange, one line a reason. Pure.

import type { ApiError } from "../client/errors.ts";
import type { JobWords } from "./job-words.ts";

const advice: ReadonlyMap<string, string> = new Map([
  [
    "issuer_unknown",
    "The service does not know this job's token issuer. Its operator adds the issuer to CI_ISSUERS.",
  ],
  ["issuer_disabled", "The service's operator has switched this job's token issuer off."],
  ["token_expired", "The ID token had expired on arrival. Compare the clocks of the runner and the service."],
  ["token_not_yet_valid", "The ID token is not valid yet. Compare the clocks of the runner and the service."],
  ["token_replayed", "The ID token had been used before. Re-run the job."],
  ["keys_unavailable", "The service cannot fetch the issuer's keys at the moment. Re-run the job later."],
]);

/** The message for a refusal with a reason. Names `expected` and `got` where the service does. */
export function exchangeMessage(error: ApiError, words: JobWords): string {
  const { reason = error.code, expected, got } = error;
  if (reason === "audience_mismatch") {
    const was = got === undefined ? "" : `, got "${got}"`;
    return `The ID token was made for another audience${was}. ${words.setAudience(expected)}`;
  }
  if (reason === "event_refused" && words.events !== null) {
    const event = got === undefined ? "this event" : `"${got}"`;
    return `The service runs nothing for ${event}. ${words.events}`;
  }
  if (reason === "policy_refused" && expected !== undefined && got !== undefined) {
    return `The repository's owner allows only ${expected}; this job has ${got}. The owner changes that with "agent-service agents policy".`;
  }
  return advice.get(reason) ?? `The service refused (${reason}): ${error.message}`;
}
