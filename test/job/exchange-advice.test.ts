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
