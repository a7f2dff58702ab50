// The owner's policy against what a job's token says: each rule, the refs' patterns, and the words of a refusal.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeJob } from "../../../../fakes/records.ts";
import { type CiPolicy, ciPolicyRequestSchema } from "../../../../src/contract/agents/ci-policy.ts";
import { findPolicyFault, fitsRef } from "../../../../src/service/core/agents/ci-policy.ts";
import type { JobIdentity } from "../../../../src/service/core/ci-jobs/job-identity.ts";

const WORKFLOW = ".github/workflows/agent.yml";

function faultOf(ciPolicy: CiPolicy | null, job: Partial<JobIdentity> = {}) {
  return findPolicyFault({ id: "agent-1", ciPolicy }, makeJob(job));
}

describe("a policy", () => {
  it.each<[CiPolicy | null, Partial<JobIdentity>]>([
    [null, {}],
    [{}, {}],
    [null, { actorId: null, workflow: null, ref: "" }],
    [{ events: ["schedule", "push"] }, {}],
    [{ refs: ["refs/heads/main"] }, {}],
    [{ refs: ["refs/tags/v1", "refs/heads/*"] }, {}],
    [{ workflows: [WORKFLOW] }, { workflow: `${WORKFLOW}@refs/heads/anything/at/all` }],
    [{ workflows: [`${WORKFLOW}@refs/heads/release/*`] }, { workflow: `${WORKFLOW}@refs/heads/release/1` }],
    [{ workflows: [WORKFLOW] }, { workflow: `${WORKFLOW}@refs/heads/x@refs/heads/main` }],
    [{ actors: ["7", "12"] }, {}],
    [{ events: ["push"], refs: ["refs/**"], workflows: [WORKFLOW], actors: ["12"] }, {}],
  ])("of %j lets a job of %j run", (policy, job) => {
    expect(faultOf(policy, job)).toBeNull();
  });

  it.each<[CiPolicy, Partial<JobIdentity>, string]>([
    [{ events: ["push"] }, { event: "issue_comment" }, "event issue_comment"],
    [{ refs: ["refs/heads/main"] }, { ref: "refs/heads/main2" }, "ref refs/heads/main2"],
    [{ refs: ["refs/heads/main"] }, { ref: "refs/tags/main" }, "ref refs/tags/main"],
    [{ refs: ["refs/**"] }, { ref: "" }, "no ref in its token"],
    [{ workflows: [WORKFLOW] }, { workflow: ".github/workflows/other.yml@refs/heads/main" }, "other.yml"],
    [{ workflows: [WORKFLOW] }, { workflow: `evil/${WORKFLOW}@refs/heads/main` }, "evil/"],
    [{ workflows: [WORKFLOW] }, { workflow: null }, "no workflow in its token"],
    [{ workflows: [`${WORKFLOW}@refs/heads/main`] }, { workflow: WORKFLOW }, `workflow ${WORKFLOW}`],
    [{ workflows: [`${WORKFLOW}@refs/heads/main`] }, { workflow: `${WORKFLOW}@refs/pull/7/merge` }, "pull/7"],
    // A branch may have what looks like a ref in its name.
    [
      { workflows: [`${WORKFLOW}@refs/heads/main`] },
      { workflow: `${WORKFLOW}@refs/heads/x@refs/heads/main` },
      "x@",
    ],
    [{ actors: ["12"] }, { actorId: "121" }, "actor 121"],
    [{ actors: ["12"] }, { actorId: null }, "no actor in its token"],
    [{ events: ["push"], refs: ["refs/heads/other"] }, {}, "ref refs/heads/main"],
    // What is stored is checked again: an empty list allows nothing.
    [{ events: [] }, {}, "event push"],
  ])("of %j refuses a job of %j", (policy, job, got) => {
    expect(faultOf(policy, job)?.got).toContain(got);
  });

  it("says what is allowed, what came, and how that changes", () => {
    expect(faultOf({ events: ["push", "schedule"] }, { event: "issues" })).toEqual({
      expected: "event push or schedule",
      got: "event issues",
      detail:
        'The repository\'s owner allows only event push or schedule; this job has event issues. The owner changes that with "agent-service agents policy agent-1".',
    });
  });

  it("says it on one short line, whatever the names", () => {
    const refs = Array.from({ length: 50 }, (_, index) => `refs/heads/${"a".repeat(400)}${index}`);
    const fault = faultOf({ refs }, { ref: "refs/heads/a\u202eb\u2028c" });
    expect(fault?.expected).toMatch(/^.{501}$/);
    expect(fault?.got).toBe("ref refs/heads/a?b?c");
  });
});

describe("a ref's pattern", () => {
  it.each([
    ["refs/heads/main", "refs/heads/main", true],
    ["refs/heads/main", "refs/heads/main/x", false],
    ["refs/heads/main", "refs/heads/Main", false],
    ["refs/heads/*", "refs/heads/main", true],
    ["refs/heads/*", "refs/heads/a/b", false],
    ["refs/heads/*", "refs/heads", false],
    ["refs/heads/*", "refs/heads/", false],
    ["refs/heads/release-*", "refs/heads/release-1.x", true],
    ["refs/heads/release-*", "refs/heads/release-", true],
    ["refs/heads/release-*", "refs/heads/release", false],
    ["refs/heads/release-*", "refs/heads/release-1/x", false],
    ["refs/heads/*", "refs/tags/main", false],
    ["refs/pull/*/merge", "refs/pull/7/merge", true],
    ["refs/pull/*/merge", "refs/pull/7/head", false],
    ["refs/heads/**", "refs/heads/a", true],
    ["refs/heads/**", "refs/heads/a/b/c", true],
    ["refs/heads/**", "refs/heads", false],
    ["refs/heads/**", "refs/headsx/a", false],
    ["refs/heads/a.c", "refs/heads/abc", false],
    ["refs/heads/(a|b)", "refs/heads/a", false],
  ])("%s on %s: %s", (pattern, ref, fits) => {
    expect(fitsRef(pattern, ref)).toBe(fits);
  });

  const segment = fc.stringMatching(/^[a-z.+(){}|$-]{1,6}$/);
  const ref = fc.array(segment, { minLength: 1, maxLength: 5 }).map((rest) => ["refs", ...rest].join("/"));
  /** One written segment by segment, `**` only last, as the contract lets it be. */
  const pattern = fc
    .record({
      segments: fc.array(
        fc.oneof(
          segment,
          fc.constant("*"),
          segment.map((text) => `${text.slice(0, 2)}*`),
        ),
        { minLength: 1, maxLength: 4 },
      ),
      isDeep: fc.boolean(),
    })
    .map(({ segments, isDeep }) => ["refs", ...segments, ...(isDeep ? ["**"] : [])].join("/"));

  it("fits a ref that is written as it is, and no other", () => {
    fc.assert(
      fc.property(ref, ref, (one, other) => {
        expect(fitsRef(one, one)).toBe(true);
        expect(fitsRef(one, other)).toBe(one === other);
      }),
    );
  });

  it("fits what the same pattern as a regular expression fits", () => {
    const pieceOf = (entry: string) => {
      if (entry === "**") return "[^/]+(?:/[^/]+)*";
      if (entry === "*") return "[^/]+";
      return entry.replace(/[.+(){}|$-]/g, "\\$&").replace("*", "[^/]*");
    };
    const asExpression = (text: string) => new RegExp(`^${text.split("/").map(pieceOf).join("/")}$`);
    let fitting = 0;
    fc.assert(
      fc.property(pattern, ref, (wanted, given) => {
        const fits = fitsRef(wanted, given);
        if (fits) fitting += 1;
        expect(fits).toBe(asExpression(wanted).test(given));
      }),
      { numRuns: 3_000 },
    );
    expect(fitting).toBeGreaterThan(20);
  });

  it("fits no more with a `*` less: every ref of the narrower pattern is one of the wider", () => {
    fc.assert(
      fc.property(ref, fc.nat(5), (given, place) => {
        const segments = given.split("/");
        const at = 1 + (place % (segments.length - 1));
        const wider = segments.with(at, `${segments[at]?.slice(0, 1)}*`).join("/");
        expect(fitsRef(wider, given)).toBe(true);
        expect(fitsRef([...segments.slice(0, at), "**"].join("/"), given)).toBe(true);
        expect(fitsRef(wider, `${given}/more`)).toBe(false);
        expect(ciPolicyRequestSchema.safeParse({ refs: [wider] }).success).toBe(true);
      }),
    );
  });
});
