// What may stand in an owner's policy, and what is said of what may not.

import { describe, expect, it } from "vitest";
import {
  ciPolicyRequestSchema,
  MAX_POLICY_CHARS,
  MAX_POLICY_ENTRIES,
} from "../../../src/contract/agents/ci-policy.ts";

function faultOf(policy: unknown): string | undefined {
  const parsed = ciPolicyRequestSchema.safeParse(policy);
  return parsed.success ? undefined : parsed.error.issues[0]?.message;
}

describe("a policy on CI jobs", () => {
  it.each([
    { events: ["push", "workflow_dispatch"] },
    { refs: ["refs/heads/main", "refs/heads/release/*", "refs/heads/release-*", "refs/tags/**", "refs/**"] },
    { refs: ["refs/heads/grün/über", "refs/pull/*/merge", "refs/heads/a@b", "refs/heads/-x"] },
    { workflows: [".github/workflows/agent.yml", ".github/workflows/agent.yml@refs/heads/release/*"] },
    { workflows: [".gitlab-ci.yml", "ci/with space.yml@refs/heads/**"] },
    { actors: ["0", "583231"] },
    { events: ["a".repeat(64)], refs: undefined },
    { actors: Array.from({ length: MAX_POLICY_ENTRIES }, (_, index) => String(index)) },
  ])("may be %j", (policy) => {
    expect(faultOf(policy)).toBeUndefined();
  });

  it.each([
    [
      {},
      /^must have one of events, refs, workflows, actors, max_usd_per_day, mcp_servers, share, mint_keys; null allows all jobs$/,
    ],
    [{ events: [] }, /^must not be empty: leave the list out to allow all$/],
    [{ refs: ["refs/heads/main"], actors: [] }, /^must not be empty/],
    [{ event: ["push"] }, /^is not a known field\. Did you mean "events"\? Allowed: "actors", "events", /],
    [{ max_usd_per_day: 0 }, /^must be US dollars, a number from 0.01 to 1000000$/],
    ["push", /^must be null, or an object of/],
    [{ events: "push" }, /^must be a list of texts$/],
    [{ events: ["Push"] }, /^must be the name of an event, such as push$/],
    [{ events: ["*"] }, /event/],
    [{ mcp_servers: "all" }, /^must be one of none, workflow, repository$/],
    [{ actors: ["octocat"] }, /^must be a numeric id in a string, such as 583231$/],
    [{ actors: [583231] }, /^must be a numeric id in a string/],
    [{ refs: ["main"] }, /^must be a full ref, such as refs\/heads\/main/],
    [{ workflows: [".github/workflows/agent.yml@main"] }, /^must be the path of a workflow file/],
    [{ workflows: [".github/workflows/*.yml"] }, /workflow/],
    [{ workflows: ["/agent.yml"] }, /workflow/],
    [{ workflows: [""] }, /workflow/],
    [{ workflows: ["a\0b"] }, /workflow/],
    [{ refs: [`refs/heads/${"a".repeat(MAX_POLICY_CHARS)}`] }, /^must have at most 500 characters$/],
    [{ actors: Array.from({ length: MAX_POLICY_ENTRIES + 1 }, String) }, /at most 50 entries/],
  ])("is refused as %j", (policy, message) => {
    expect(faultOf(policy)).toMatch(message);
  });

  it.each([
    "refs",
    "refs/",
    "refs/heads/",
    "refs//main",
    "refs/heads/*x",
    "refs/heads/a*b",
    "refs/heads/***",
    "refs/**/main",
    "refs/heads/a**",
    "refs/heads/a?",
    "refs/heads/[ab]",
    "refs/heads/a b",
    "refs/heads/a\n",
    "refs/heads/a\0",
    "*",
    "**",
    "",
  ])("has no ref %j", (ref) => {
    expect(faultOf({ refs: [ref] })).toMatch(/^must be a full ref/);
    expect(faultOf({ workflows: [`agent.yml@${ref}`] })).toMatch(/^must be the path of a workflow file/);
  });

  it("is read in a time that grows with its length alone", () => {
    const long = `refs/${"a*/".repeat(160)}`;
    for (let times = 0; times < 100; times += 1) expect(faultOf({ refs: [long] })).toMatch(/full ref/);
  });
});
