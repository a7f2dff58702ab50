// What a job is told of a refused exchange.

import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/client/errors.ts";
import { exchangeMessage } from "../../src/job/exchange-advice.ts";

function refusal(fields: { reason: string; expected?: string; got?: string }): ApiError {
  return new ApiError({
    status: 403,
    code: "invalid_grant",
    message: "As the service says it.",
    requestId: "r",
    ...fields,
  });
}

describe("an owner's policy", () => {
  it("is told with what it allows, what the job has, and how it changes", () => {
    const error = refusal({ reason: "policy_refused", expected: "event push", got: "event issues" });
    expect(exchangeMessage(error)).toBe(
      'The repository\'s owner allows only event push; this job has event issues. The owner changes that with "agent-service agents policy".',
    );
  });

  it("is told in the service's words where it does not name them", () => {
    expect(exchangeMessage(refusal({ reason: "policy_refused" }))).toBe(
      "The service refused (policy_refused): As the service says it.",
    );
  });
});
