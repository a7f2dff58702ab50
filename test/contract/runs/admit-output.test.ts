import { describe, expect, it } from "vitest";
import { admitOutput, admitOutputs } from "../../../src/contract/runs/admit-output.ts";
import {
  MAX_OUTPUT_BODY_CHARS,
  type TypedOutput,
  type TypedOutputs,
} from "../../../src/contract/runs/typed-outputs.ts";

const declared: TypedOutputs = {
  labels: { allowed: ["bug", "docs", "question"], max: 2 },
  close: { reasons: ["duplicate", "not_planned"] },
  assign: { allowed: ["octocat"], max: 1 },
  reviewers: { allowed: ["team/core", "hubot"], max: 1 },
  dispatch: { workflows: ["release.yml"], max: 1 },
  issue: { max: 1 },
};
const issue = (title: string, body = "Text."): TypedOutput => ({ type: "issue", title, body });
const labels = (...given: string[]): TypedOutput => ({ type: "labels", labels: given });

describe("a typed output", () => {
  it.each<[TypedOutput]>([
    [labels("bug", "docs")],
    [{ type: "close", reason: "duplicate" }],
    [{ type: "assign", logins: ["octocat"] }],
    [{ type: "reviewers", reviewers: ["team/core"] }],
    [{ type: "dispatch", workflow: "release.yml" }],
    [issue("It breaks")],
  ])("is admitted as it was declared, and once: %j", (asked) => {
    expect(admitOutput(declared, [], asked)).toEqual({ ok: true, value: asked });
    expect(admitOutput(declared, [asked], asked)).toEqual({ ok: true, value: null });
  });

  it("counts with those before it, and each value once", () => {
    expect(admitOutput(declared, [labels("bug")], labels("bug", "docs", "docs"))).toEqual({
      ok: true,
      value: labels("docs"),
    });
    expect(admitOutput(declared, [labels("bug")], labels("docs", "question"))).toEqual({
      ok: false,
      refusal: 'A run may ask for 2 labels at most, this would make 3. "bug" was asked for before.',
    });
  });

  it.each<[TypedOutput, RegExp]>([
    [
      labels("bugs"),
      /^"bugs" is no label that may be chosen\. Did you mean "bug"\? Allowed: "bug", "docs", "question"\.$/,
    ],
    [labels("Bug"), /is no label/],
    [labels("bug\n"), /is no label/],
    [labels("constructor"), /is no label/],
    [labels(), /^Name at least one label\.$/],
    [{ type: "close", reason: "completed" }, /is no reason/],
    [{ type: "assign", logins: ["octocat", "root"] }, /"root" is no assignee/],
    [{ type: "reviewers", reviewers: ["team/admins"] }, /is no reviewer/],
    [{ type: "reviewers", reviewers: ["team/core", "hubot"] }, /1 reviewer at most/],
    [{ type: "dispatch", workflow: "deploy.yml" }, /is no workflow/],
    [issue(" \n"), /^A title has from 1 to 200 characters/],
    [issue("x".repeat(201)), /^A title has from 1 to 200 characters/],
    [issue("x", ""), /^A text has from 1 to 30000 characters, this one 0\.$/],
    [issue("x", "x".repeat(MAX_OUTPUT_BODY_CHARS + 1)), /^A text has/],
    [
      { type: "discussion", title: "x", body: "y" },
      /^The output "discussion" is not declared\. Declared: labels, close, assign, reviewers, dispatch, issue\.$/,
    ],
  ])("out of its list, its maximum or its form is refused with what is allowed: %j", (asked, why) => {
    const verdict = admitOutput(declared, [], asked);
    expect(verdict).toEqual({ ok: false, refusal: expect.stringMatching(why) });
  });

  it("has a title of one line, and no hidden characters", () => {
    expect(admitOutput(declared, [], issue("It\n breaks\u202e", "a\u200bb"))).toEqual({
      ok: true,
      value: issue("It breaks‹U+202E›", "a‹U+200B›b"),
    });
  });

  it("is judged in the order in which the run asked", () => {
    expect(admitOutputs(declared, [issue("First"), issue("Second"), labels("docs"), labels("docs")])).toEqual(
      {
        admitted: [issue("First"), labels("docs")],
        refused: [{ type: "issue", why: "A run may ask for 1 issue at most." }],
      },
    );
  });
});
