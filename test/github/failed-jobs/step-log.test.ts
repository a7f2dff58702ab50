// What is left of a job's log for a prompt: the failed steps, readable, without secrets, within a bound.

import { describe, expect, it } from "vitest";
import { runnerLog } from "../../../fakes/code-host/workflow-runs.ts";
import { failedStepsLog } from "../../../src/github/failed-jobs/step-log.ts";

const at = (second: number) => `2026-01-15T09:30:${String(second).padStart(2, "0")}Z`;
const steps = [
  { name: "Set up job", conclusion: "success", started_at: at(0), completed_at: at(2) },
  { name: "Run npm ci", conclusion: "success", started_at: at(2), completed_at: at(5) },
  { name: "Run npm test", conclusion: "failure", started_at: at(5), completed_at: at(9) },
  { name: "Post checkout", conclusion: "success", started_at: at(9), completed_at: at(9) },
];
const log = runnerLog([
  [at(1), "Current runner version: '2.330.0'"],
  [at(2), "##[group]Run npm ci\nnpm ci\n##[endgroup]"],
  [at(5), "added 12 packages"],
  [at(5), "##[group]Run npm test\n\u001B[36;1mnpm test\u001B[0m\n##[endgroup]"],
  [at(7), "10%\r50%\r100% of sum.test.mjs"],
  [at(9), "\u001B]0;title\u0007\u001B[31mAssertionError\u001B[39m: 2 and 3 make 5"],
  [at(9), "##[error]Process completed with exit code 1."],
  [at(9), "Post job cleanup.\n##[group]Run git config"],
]);

describe("the log of failed steps", () => {
  it("begins and ends with the step, where its neighbours share its first and last second", () => {
    expect(failedStepsLog(log, steps)).toBe(
      [
        "Run npm test",
        "npm test",
        "100% of sum.test.mjs",
        "AssertionError: 2 and 3 make 5",
        "Error: Process completed with exit code 1.",
      ].join("\n"),
    );
  });

  it("is the whole log where no step's time selects a line", () => {
    const shown = failedStepsLog(log, [{ name: "Set up job", conclusion: "failure" }]);
    expect(shown).toMatch(/^Current runner version/);
    expect(shown).toContain("added 12 packages");
  });

  it("has every failed step, and none that passed", () => {
    const both = steps.map((step) => ({
      ...step,
      conclusion: step.name === "Run npm ci" ? "timed_out" : step.conclusion,
    }));
    const shown = failedStepsLog(log, both);
    expect(shown).toContain("added 12 packages");
    expect(shown).toContain("2 and 3 make 5");
    expect(shown).not.toContain("runner version");
  });

  it("keeps its beginning and its end, and says how much is left out", () => {
    const lines = Array.from({ length: 20_000 }, (_, line) => `line ${line} of many`);
    const shown = failedStepsLog(runnerLog(lines.map((line) => [at(6), line])), steps);
    expect(shown.length).toBeLessThan(20_100);
    expect(shown).toMatch(/^line 0 of many\n/);
    expect(shown).toMatch(/\nline 19999 of many$/);
    expect(shown).toMatch(/\nline \d+ of many\n… \d+ characters left out …\nline \d+ of many\n/);
  });

  it("masks what looks like a secret, also where the cut would have split it", () => {
    const token = `ghp_${"k3JfQ9xZ2mWv7RtYb8Ls"}${"N4cHd6PaE1uGi5"}Xq`;
    const filler = "x".repeat(3_980);
    const shown = failedStepsLog(runnerLog([[at(6), `${filler} ${token} ${"y".repeat(30_000)}`]]), steps);
    expect(shown).not.toContain(token.slice(0, 12));
    const plain = failedStepsLog(runnerLog([[at(6), `token=${token}`]]), steps);
    expect(plain).toMatch(/^token=‹.*, masked›$/);
  });
});
