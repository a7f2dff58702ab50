// What a job is told of a refused exchange.

import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/client/errors.ts";
import { exchangeMessage } from "../../src/job/exchange-advice.ts";
import { actionWords } from "../../src/job/job-words.ts";

function refusal(fields: { reason: string; expected?: string; got?: string }): ApiError {
  return new ApiError({
    status: 403,
    code: "invalid_grant",
    message: "As the service says it.",
    requestId: "r",
    ...fields,
  });
}

describe("a refusal by the owner's policy", () => {
  it("names what the policy allows, what the job has, and how to change the policy", () => {
    const error = refusal({ reason: "policy_refused", expected: "event push", got: "event issues" });
    expect(exchangeMessage(error, actionWords)).toBe(
      'The repository\'s owner allows only event push; this job has event issues. The owner changes that with "agent-service agents policy".',
    );
  });

  it("repeats the service's message where that names neither", () => {
    expect(exchangeMessage(refusal({ reason: "policy_refused" }), actionWords)).toBe(
      "The service refused (policy_refused): As the service says it.",
    );
  });
});

describe("a refusal for another reason", () => {
  it.each([
    ["issuer_unknown", /does not know this job's token issuer.*CI_ISSUERS/],
    ["issuer_disabled", /operator has switched this job's token issuer off/],
    ["token_expired", /had expired on arrival\. Compare the clocks/],
    ["token_not_yet_valid", /is not valid yet\. Compare the clocks/],
    ["token_replayed", /had been used before\. Re-run the job\./],
    ["keys_unavailable", /cannot fetch the issuer's keys at the moment\. Re-run the job later\./],
    ["another", /^The service refused \(another\): As the service says it\.$/],
  ])("says what to do: %s", (reason, text) => {
    expect(exchangeMessage(refusal({ reason }), actionWords)).toMatch(text);
  });

  it("names the audience that the token was made for, and the event that nothing is done for", () => {
    const audience = refusal({ reason: "audience_mismatch", expected: "agents.example.com", got: "other" });
    expect(exchangeMessage(audience, actionWords)).toMatch(
      /another audience, got "other"\. .*agents\.example\.com/,
    );
    const event = refusal({ reason: "event_refused", got: "fork" });
    expect(exchangeMessage(event, actionWords)).toMatch(/^The service runs nothing for "fork"\. ./);
  });
});
