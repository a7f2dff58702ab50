// The table of a run's attempts in log, comment, summary and page.

import { describe, expect, it } from "vitest";
import type { Attempt, AttemptsEvent } from "../../src/contract/runs/attempts.ts";
import { attemptNotes, attemptsSection } from "../../src/render/attempts.ts";

const check = (exit_code: number | null) => ({ command: "npm test", kind: "test" as const, exit_code });
const attempt = (number: number, changes: Partial<Attempt>): Attempt => ({
  number,
  run_id: `run-${number}`,
  model: null,
  state: "completed",
  files: 1,
  checks: { state: "passed", results: [check(0)] },
  claims_passed: true,
  cost_usd: 0.42,
  seconds: 83,
  is_chosen: false,
  outcome: "not_chosen",
  ...changes,
});

const value: AttemptsEvent["value"] = {
  attempts: [
    attempt(1, {
      model: "a|b",
      checks: { state: "failed", results: [check(1), check(null)] },
      outcome: "claimed_checks_passed",
    }),
    attempt(2, { is_chosen: true, outcome: "chosen_by_judge" }),
    attempt(3, { state: "cancelled", checks: null, cost_usd: null, seconds: null, outcome: "too_late" }),
    attempt(4, { state: "failed", checks: null, outcome: "failed", detail: "It failed: backend_error." }),
  ],
  judge: { run_id: "run-5", cost_usd: 0.003, reason: "It covers <b>more</b>." },
};

describe("the attempts of a run", () => {
  it("are a table, with what the judge said below it", () => {
    expect(attemptsSection(value).split("\n\n")).toEqual([
      "**Attempts**",
      [
        "| Attempt | Model | Checks | Cost | Time | Result |",
        "| --- | --- | --- | --- | --- | --- |",
        "| 1 | a&#124;b | failed: npm test, exit code 1, and 1 more | $0.42 | 1 min 23 s | lost: it says that its checks pass, and they fail |",
        "| 2 | the default | passed (1) | $0.42 | 1 min 23 s | chosen by the judge ✅ |",
        "| 3 | the default | not executed |  |  | cancelled: it took too long |",
        "| 4 | the default | not executed | $0.42 | 1 min 23 s | lost: It failed: backend&#95;error |",
      ].join("\n"),
      "The judge (&#36;0.0030), which was not told the models: It covers &lt;b&gt;more&lt;/b&gt;.",
    ]);
    expect(attemptsSection(null)).toBe("");
  });

  it("are a line each in the log, and one line when they begin", () => {
    expect(attemptNotes(value)).toHaveLength(5);
    expect(attemptNotes(value)[1]).toBe(
      "Attempt 2 (the default, checks passed (1), $0.42, 1 min 23 s): chosen by the judge.",
    );
    const begun = [1, 2].map((number) =>
      attempt(number, { state: "running", checks: null, outcome: "pending" }),
    );
    expect(attemptNotes({ attempts: begun, judge: null })).toEqual([
      "2 of 2 attempts have begun, each a run of its own.",
    ]);
  });

  it("say so where none passes", () => {
    const failing = attempt(1, {
      checks: { state: "failed", results: [check(1)] },
      is_chosen: true,
      outcome: "only_one_left",
    });
    expect(attemptNotes({ attempts: [failing], judge: null }).at(-1)).toBe("No attempt passes the checks.");
  });
});
