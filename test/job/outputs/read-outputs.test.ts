import { describe, expect, it } from "vitest";
import { readOutputs } from "../../../src/job/outputs/read-outputs.ts";

const refusal = (text: string) => {
  const read = readOutputs(text);
  return read.ok ? null : read.refusal;
};

const KNOWN = 'Allowed: "assign", "close", "discussion", "dispatch", "issue", "labels", "reviewers".';
const NO_MAP =
  'Input "outputs" must be a YAML map of outputs by their names, such as "labels: { allowed: [bug, docs], max: 2 }".';

describe("the input outputs", () => {
  it("is a map of outputs, with one of each where no maximum is given", () => {
    const text = `
      labels: { allowed: [bug, "good first issue"], max: 2 }
      issue: { title-prefix: "[agent] ", close-older: true }
      close: { reasons: [duplicate, not_planned] }
      assign:
        allowed:
          - octocat
          - eileen.lowe
      reviewers: { allowed: [team/core, octocat], max: 2 }
      dispatch: { workflows: [release.yml] }
      discussion: { category: Ideas }
    `;
    expect(readOutputs(text)).toEqual({
      ok: true,
      value: {
        labels: { allowed: ["bug", "good first issue"], max: 2 },
        issue: { max: 1, title_prefix: "[agent] ", close_older: true },
        close: { reasons: ["duplicate", "not_planned"] },
        assign: { allowed: ["octocat", "eileen.lowe"], max: 1 },
        reviewers: { allowed: ["team/core", "octocat"], max: 2 },
        dispatch: { workflows: ["release.yml"], max: 1 },
        discussion: { category: "Ideas", max: 1 },
      },
    });
    expect(readOutputs("issue:")).toEqual({ ok: true, value: { issue: { max: 1 } } });
  });

  it.each([
    ["- labels", NO_MAP],
    ["labels", NO_MAP],
    ["{}", NO_MAP],
    [
      "lables: { allowed: [bug] }",
      `Input "outputs": lables is not a known field. Did you mean "labels"? ${KNOWN}`,
    ],
    ["__proto__: { max: 1 }", `Input "outputs": __proto__ is not a known field. ${KNOWN}`],
    ["labels: [bug]", 'Input "outputs": labels must be a map, got ["bug"].'],
    ["labels: { allowed: bug }", 'Input "outputs": labels.allowed must be a list, got "bug".'],
    ["labels: { allowed: [] }", 'Input "outputs": labels.allowed must not be empty, got [].'],
    ["labels: { allowed: [404] }", 'Input "outputs": labels.allowed[0] must be text, got 404.'],
    ['labels: { allowed: ["a\\nb"] }', 'Input "outputs": labels.allowed[0] must be one line, got "a\\nb".'],
    [
      "labels: { allowed: [a], max: 101 }",
      'Input "outputs": labels.max must be a whole number from 1 to 100, got 101.',
    ],
    [
      "assign: { allowed: [a], max: 0 }",
      'Input "outputs": assign.max must be a whole number from 1 to 10, got 0.',
    ],
    [
      "assign: { allowed: [team/core] }",
      'Input "outputs": assign.allowed[0] must be a login, such as octocat, got "team/core".',
    ],
    [
      "close: { reasons: [wontfix] }",
      'Input "outputs": close.reasons[0] must be one of completed, duplicate, not_planned, got "wontfix".',
    ],
    ["issue: { close-older: yes }", 'Input "outputs": issue.close-older must be true or false, got "yes".'],
    [
      "issue: { close-old: true }",
      'Input "outputs": issue.close_old is not a known field. Did you mean "close-older"? Allowed: "close-older", "max", "title-prefix".',
    ],
    [
      "dispatch: { workflows: [../release.yml] }",
      'Input "outputs": dispatch.workflows[0] must be a file of .github/workflows, such as release.yml, got "../release.yml".',
    ],
    ["discussion: { max: 1 }", 'Input "outputs": discussion.category must be text, got nothing.'],
    [
      "labels: &one { allowed: [a] }\nassign: *one",
      'Input "outputs" must have no YAML aliases: write the value again.',
    ],
    [
      "labels: { allowed: [a], allowed: [b] }",
      'Input "outputs" is no valid YAML at line 1, column 25: Map keys must be unique.',
    ],
    [
      "labels: !!js/function x",
      'Input "outputs" is no valid YAML at line 1, column 9: Unresolved tag: tag:yaml.org,2002:js/function.',
    ],
    [`# ${"x".repeat(16_384)}\nissue:`, 'Input "outputs" must have at most 16384 bytes.'],
  ])("says of %j what is wrong, what came and what is allowed", (text, fault) => {
    expect(refusal(text)).toEqual([fault]);
  });

  it("names each fault", () => {
    expect(refusal("labels: { allowed: [bug], max: two }\nissue: { max: 11 }")).toEqual([
      'Input "outputs": labels.max must be a whole number from 1 to 100, got "two".',
      'Input "outputs": issue.max must be a whole number from 1 to 10, got 11.',
    ]);
  });
});
