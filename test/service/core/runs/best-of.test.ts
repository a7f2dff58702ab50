// Which submissions may ask for several attempts, and what each refusal says.

import { describe, expect, it } from "vitest";
import type { SubmitRunRequest } from "../../../../src/contract/runs/run-requests.ts";
import { toProblem } from "../../../../src/service/api/shared/problems/to-problem.ts";
import { newAgent } from "../../../../src/service/core/agents/agent.ts";
import { bestOfIn, findBestOfFault } from "../../../../src/service/core/runs/best-of.ts";

const agent = {
  ...newAgent({
    id: "agent",
    name: "Agent",
    accountId: null,
    model: null,
    workspaceId: null,
    backend: "model",
    createdAt: 0,
  }),
  repository: {
    provider: "github",
    issuer: "https://issuer.example",
    id: "1",
    ownerId: "2",
    name: "octo/repo",
    visibility: "public" as const,
  },
};
const service = { coderWire: null, freeFor: "public_repositories" as const };

function refusalOf(
  body: SubmitRunRequest,
  more: {
    backend?: string;
    isInWorkspace?: boolean;
    isBare?: boolean;
    policy?: Parameters<typeof findBestOfFault>[0];
  } = {},
): string | null {
  const { backend = "model", isInWorkspace = false, isBare = false, policy = service } = more;
  const asked = { ...agent, backend, ...(isBare ? { repository: null } : {}) };
  const fault = findBestOfFault(policy, { agent: asked, body, isInWorkspace });
  return fault === null ? null : toProblem(fault).message;
}

describe("the attempts of a submission", () => {
  it("are as many as it says, or as it names models", () => {
    expect(bestOfIn({})).toBeNull();
    expect(bestOfIn({ best_of: 1 })).toBeNull();
    expect(bestOfIn({ best_of: 3 })).toEqual({ attempts: 3, models: [] });
    expect(bestOfIn({ best_of_models: ["a", "b"] })).toEqual({ attempts: 2, models: ["a", "b"] });
    expect(bestOfIn({ best_of: 3, best_of_models: ["a"] })).toEqual({ attempts: 3, models: ["a"] });
  });

  it("are made by the built-in agent on a repository, and refused elsewhere with what is allowed", () => {
    const two = { best_of: 2 };
    expect(refusalOf(two)).toBeNull();
    expect(refusalOf({}, { backend: "acp", isInWorkspace: true })).toBeNull();
    expect(refusalOf(two, { backend: "acp" })).toContain('are executed by "acp". Leave both out.');
    expect(refusalOf(two, { isInWorkspace: true })).toContain("works in a workspace");
    expect(refusalOf(two, { isBare: true })).toContain("agent agent has none");
    expect(refusalOf(two, { policy: { ...service, freeFor: "everyone" } })).toContain("Name a service");
    expect(refusalOf({ best_of: 1, best_of_models: ["a", "b"] })).toContain('Raise "best_of"');
    const access = {
      provider: "anthropic" as const,
      model: "m",
      access_token: "t",
      expires_at: "2026-01-01T00:00:00Z",
    };
    expect(refusalOf({ best_of_models: ["a"], model_access: access })).toContain(
      'Leave "best_of_models" out',
    );
    expect(refusalOf({ ...two, model_access: access })).toBeNull();
  });
});
