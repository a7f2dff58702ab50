// What a judge of attempts is shown, and which answers count.

import { describe, expect, it } from "vitest";
import { queuedRun } from "../../../../src/service/core/runs/new-run.ts";
import type { Competing } from "../../../../src/service/executor/attempts/choose-attempt.ts";
import {
  judgeChoice,
  judgeMessages,
  judgeSchema,
  lettersOf,
} from "../../../../src/service/executor/attempts/judge.ts";

const run = queuedRun({
  id: "run",
  agentId: "agent",
  sessionId: "session",
  origin: "agent",
  parentRunId: "parent",
  billingAccount: "account",
  price: null,
  modelBilling: null,
  now: 0,
});

function attempt(number: number, patch: string): Competing {
  return {
    number,
    runId: `run-${number}`,
    model: `secret-model-${number}`,
    state: "competes",
    run,
    work: {
      reply: `secret reply ${number}`,
      changes: { base_sha: "0".repeat(40), files: [], patch },
      checks: null,
      output: null,
      typedOutputs: [],
    },
    checks: { state: "passed", results: [{ command: "npm test", kind: "test", exit_code: 0 }] },
    claimsPassed: false,
  };
}

const candidates = [attempt(1, "diff one"), attempt(3, "diff three")];
const letters = lettersOf("seed", [1, 2, 3]);
const letterOf = (number: number) => letters.get(number) ?? "";

describe("the judge of attempts", () => {
  it("is asked by letters whose order depends on the seed alone", () => {
    expect([...lettersOf("seed", [1, 2, 3]).values()]).toEqual(["A", "B", "C"]);
    expect(lettersOf("seed", [1, 2, 3])).toEqual(letters);
    const firsts = Array.from({ length: 40 }, (_, at) => [...lettersOf(`seed ${at}`, [1, 2, 3]).keys()][0]);
    expect(new Set(firsts)).toEqual(new Set([1, 2, 3]));
  });

  it("sees request, diffs and checks, and neither models, replies nor numbers", () => {
    const messages = judgeMessages({ asked: [{ role: "user", content: "Do it." }], candidates, letters });
    const text = messages.map(({ content }) => content).join("\n");
    for (const shown of ["Do it.", "diff one", "diff three", "npm test: exit code 0"])
      expect(text).toContain(shown);
    expect(text).not.toMatch(/secret|run-\d|[Aa]ttempt [123]/);
    expect(text.indexOf(`letter="${letterOf(1)}"`) < text.indexOf(`letter="${letterOf(3)}"`)).toBe(
      letterOf(1) < letterOf(3),
    );
  });

  it("sees the beginning of a long diff, and how much is left out", () => {
    const long = [attempt(1, "x".repeat(100_000)), attempt(3, "short")];
    const text = judgeMessages({ asked: [], candidates: long, letters })[1]?.content ?? "";
    expect(text.length).toBeLessThan(40_000);
    expect(text).toContain("70000 more characters are left out");
  });

  it("chooses a candidate, and nothing else counts as an answer", () => {
    const choice = (value: unknown) => judgeChoice({ value: value as never }, { candidates, letters });
    expect(choice({ choice: letterOf(3), reason: "Better.\nReally." })).toEqual({
      number: 3,
      reason: "Better. Really.",
    });
    // It is no candidate: it failed its checks.
    expect(choice({ choice: letterOf(2), reason: "" })).toBeNull();
    expect(choice({ choice: "Z", reason: "" })).toBeNull();
    expect(choice("A")).toBeNull();
    expect(judgeChoice(null, { candidates, letters })).toBeNull();
    expect(judgeSchema({ candidates, letters })).toMatchObject({
      properties: { choice: { enum: [letterOf(1), letterOf(3)].toSorted() } },
    });
  });
});
