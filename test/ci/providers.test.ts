// What a provider's file here declares, beside what the contract's table says of it.

import { describe, expect, it } from "vitest";
import { GITLAB_TOKEN_VARIABLE } from "../../src/ci/gitlab.ts";
import { providerDefinitions } from "../../src/ci/providers.ts";
import { ciProviderNames, ciProviders } from "../../src/contract/ci/providers.ts";

describe.each(ciProviderNames)("the definition of %s", (name) => {
  const { token } = ciProviders[name];
  const { tokenLines } = providerDefinitions[name];

  it("has lines that give a job a token where tokens are given, and nowhere else", () => {
    expect(tokenLines !== null).toBe(token.type === "variable");
    if (tokenLines !== null) expect(tokenLines("agents.example.com")).toMatch(/^ +.*agents\.example\.com$/ms);
  });

  it("takes no job without variables for its own", () => {
    expect(providerDefinitions[name].isJob({})).toBe(false);
  });
});

it("the variable of GitLab's token is the one that the table names", () => {
  expect(ciProviders.gitlab.token).toEqual({ type: "variable", variable: GITLAB_TOKEN_VARIABLE });
});
