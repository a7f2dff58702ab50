import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/client/errors.ts";
import { ciProviderNames, ciProviders } from "../../src/contract/ci/providers.ts";
import { commandWords } from "../../src/job/command-words.ts";
import { concludeOutcome } from "../../src/job/conclusion.ts";
import { faultOf } from "../../src/job/fault.ts";
import { actionWords } from "../../src/job/job-words.ts";
import { resumingOfRun } from "../../src/job/resume-advice.ts";
import type { Surroundings } from "../../src/job/run-verdict.ts";

const refusal = (reason: string) =>
  new ApiError({
    status: 401,
    code: "invalid_target",
    message: "Said by the service.",
    requestId: "r1",
    reason,
    expected: "agents.example.com",
    got: "other.example",
  });
const said = (provider: Parameters<typeof commandWords>[0], reason: string) =>
  conclude(refusal(reason), { words: commandWords(provider) }).message;
const conclude = (error: ApiError, more: Partial<Surroundings>) =>
  concludeOutcome(
    { type: "fault", fault: faultOf(error) },
    {
      words: actionWords,
      isEmbedded: false,
      modelAdvice: null,
      claimUrl: null,
      claimObstacle: null,
      resuming: resumingOfRun("run-1"),
      ...more,
    },
  );

describe("a wrong audience", () => {
  it.each([
    ["github", "Add --audience agents.example.com to the command."],
    ["circleci", "Add --audience agents.example.com to the command."],
    ["buildkite", "Add --audience agents.example.com to the command."],
    ["gitlab", "  id_tokens:\n    AGENT_SERVICE_ID_TOKEN:\n      aud: agents.example.com\n"],
    ["bitbucket", "      oidc:\n        audiences:\n          - agents.example.com\n"],
  ] as const)("is fixed in the words of %s", (provider, words) => {
    const message = said(provider, "audience_mismatch");
    expect(message).toContain('The ID token was made for another audience, got "other.example".');
    expect(message).toContain(words);
    expect(message).not.toContain("on this step");
  });
});

describe("a refused event", () => {
  it("keeps the service's message", () => {
    const message = said("gitlab", "event_refused");
    expect(message).toBe("The service refused (event_refused): Said by the service. (request r1)");
  });
});

describe("a repository that cannot be claimed", () => {
  const obstacle = ciProviders.circleci.claimObstacle ?? "";
  const quota = (reason: string) =>
    conclude(
      new ApiError({
        status: 402,
        code: "insufficient_credits",
        message: "",
        requestId: "r1",
        reason,
        claimUrl: null,
      }),
      { claimObstacle: obstacle },
    );

  it.each([
    ["repository_private", /^Free credits are for public repositories\. A repository of CircleCI cannot/],
    ["credits_ended", /^The free credits of this repository's owner are used up\. A repository of CircleCI/],
  ])("gets the reason in place of a link (%s)", (reason, message) => {
    const verdict = quota(reason);
    expect(verdict).toMatchObject({ conclusion: "quota", reason, claimUrl: null });
    expect(verdict.message).toMatch(message);
    expect(verdict.message).not.toMatch(/Claim (its|this)/);
  });

  it("is CircleCI's alone", () => {
    const unclaimable = ciProviderNames.filter((name) => ciProviders[name].claimObstacle !== null);
    expect(unclaimable).toEqual(["circleci"]);
  });
});
