import { describe, expect, it } from "vitest";
import { parseYaml } from "./example-workflow.ts";
import { evaluate, fillIn, isMet, type JobStatus } from "./workflow-expression.ts";

/** What a workflow writes around it. */
const inside = (expression: string) => "$".concat(`{{ ${expression} }}`);

describe("the reader of the examples", () => {
  it("reads mappings, lists, texts and blocks", () => {
    const text = [
      "# A comment",
      'name: "Two words" # and one',
      "on:",
      "  push:",
      '    tags: ["v*", main]',
      "  schedule:",
      '    - cron: "1 2 * * *"',
      "      zone: UTC # known",
      "empty: {}",
      "if: >-",
      ...`  ${inside("a\n  && b")}`.split("\n"),
      "run: |",
      "  one # kept",
      "",
      "    two: three",
      "last: it's plain",
    ];
    expect(parseYaml(text.join("\n"))).toEqual({
      name: "Two words",
      on: { push: { tags: ["v*", "main"] }, schedule: [{ cron: "1 2 * * *", zone: "UTC" }] },
      empty: {},
      if: inside("a && b"),
      run: "one # kept\n\n  two: three\n",
      last: "it's plain",
    });
  });

  it.each([
    ["a: &anchor", "Line 1"],
    ["a: b\na: c", "Line 2"],
    ["a: b\n   c: d", "Line 2"],
    ["a:\n    b: c", "Line 2"],
    ["a: b: c", "Line 1"],
    ["a: >\n  b", "Line 1"],
    ["a: 'b'", "Line 1"],
    ["a: {b: c}", "Line 1"],
    ["a: b\n- c", "Line 2"],
    ["a:\tb", "Line 1"],
  ])("refuses %j", (text, line) => {
    expect(() => parseYaml(text)).toThrow(line);
  });
});

describe("an expression", () => {
  const contextOf = (status: JobStatus = "success") => ({
    values: { github: { event: { label: { name: "Agent" }, number: 7 }, ref: "refs/heads/main" }, steps: {} },
    status,
  });
  const value = (text: string) => evaluate(text, contextOf());

  it("compares, chooses and calls", () => {
    expect(value("github.event.label.name == 'agent'")).toBe(true);
    expect(value("github.event.number != 7")).toBe(false);
    expect(value("github.event.comment.body || github.ref")).toBe("refs/heads/main");
    expect(value("!github.event.comment && (contains(github.ref, 'MAIN') && 'it''s')")).toBe("it's");
    expect(value("startsWith(github.event.nothing, 'agent/')")).toBe(false);
    expect(value("steps.agent.outputs.run-id")).toBeNull();
  });

  it("stands in text", () => {
    expect(fillIn(`a ${inside("github.event.number")} b${inside("steps.none.outputs.x")}`, contextOf())).toBe(
      "a 7 b",
    );
  });

  it("decides, by the status of what came before where it asks for it", () => {
    expect(isMet(null, contextOf("failure"))).toBe(false);
    expect(isMet(inside("github.ref"), contextOf("failure"))).toBe(false);
    expect(isMet(inside("failure() && github.ref"), contextOf("failure"))).toBe(true);
    expect(isMet(inside("failure()"), contextOf())).toBe(false);
    expect(isMet(inside("!cancelled()"), contextOf("failure"))).toBe(true);
  });

  it.each(["nobody.knows", "hashFiles('a')", "a b", "github.ref == ", "github.event[0]", "(github.ref"])(
    "is refused where this runner does not know it: %s",
    (text) => {
      expect(() => value(text)).toThrow(Error);
    },
  );
});
