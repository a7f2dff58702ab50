import { describe, expect, it } from "vitest";
import type { TypedOutput, TypedOutputs } from "../../../../src/contract/runs/typed-outputs.ts";
import { typedOutputTools } from "../../../../src/service/executor/tools/typed-outputs.ts";
import { folderCheckout } from "./folder-checkout.ts";
import { TaskRecorder } from "./task-recorder.ts";

const all: TypedOutputs = {
  labels: { allowed: ["bug", "docs", "question"], max: 2 },
  assign: { allowed: ["octocat"], max: 1 },
  reviewers: { allowed: ["team/core", "hubot"], max: 1 },
  close: { reasons: ["duplicate"] },
  issue: { max: 1 },
  discussion: { category: "Ideas", max: 1 },
  dispatch: { workflows: ["release.yml"], max: 1 },
};

async function played(
  calls: readonly (readonly [name: string, input: unknown])[],
  { declared = all, earlier = [] }: { declared?: TypedOutputs; earlier?: readonly TypedOutput[] } = {},
) {
  const recorder = new TaskRecorder();
  recorder.secrets.add("sk-a-secret-of-the-run");
  const tools = typedOutputTools(recorder.task({ outputs: { declared, earlier: async () => earlier } }));
  const checkout = await folderCheckout({});
  const answers = await Promise.all(
    calls.map(async ([name, input]) => {
      const tool = tools.find((one) => one.name === name) ?? expect.fail(`There is no tool ${name}.`);
      const context = { checkout, signal: recorder.controller.signal };
      return await tool.run(input, context).then(
        ({ text }) => text,
        (error: Error) => `error: ${error.message}`,
      );
    }),
  );
  await checkout.close();
  const asked = recorder.events.map((event) => (event.type === "CUSTOM" ? event.value : event));
  return { answers, asked, names: recorder.events.map((event) => ("name" in event ? event.name : "")) };
}

const TAKEN = "Taken. It is written after this run has ended, not now.";

describe("the tools for typed outputs", () => {
  it("are one for each output that the job declares", () => {
    const task = new TaskRecorder().task();
    const namesOf = (declared: TypedOutputs | null) =>
      typedOutputTools({
        ...task,
        outputs: declared === null ? null : { declared, earlier: async () => [] },
      }).map(({ name }) => name);
    expect(namesOf(null)).toEqual([]);
    expect(namesOf({ issue: { max: 1 } })).toEqual(["create_issue"]);
    expect(namesOf(all)).toEqual([
      "add_labels",
      "assign_users",
      "request_reviewers",
      "close_issue",
      "create_issue",
      "create_discussion",
      "dispatch_workflow",
    ]);
  });

  it("leave a record of each that is taken, and write nothing", async () => {
    const { answers, asked, names } = await played([
      ["add_labels", { labels: ["bug"] }],
      ["assign_users", { logins: ["octocat"] }],
      ["request_reviewers", { reviewers: ["team/core"] }],
      ["close_issue", { reason: "duplicate" }],
      ["create_issue", { title: "Broken", body: "It says sk-a-secret-of-the-run." }],
      ["create_discussion", { title: "Idea", body: "One." }],
      ["dispatch_workflow", { workflow: "release.yml" }],
    ]);
    expect(answers).toEqual(answers.map(() => TAKEN));
    expect(new Set(names)).toEqual(new Set(["typed_output"]));
    expect(asked).toEqual([
      { type: "labels", labels: ["bug"] },
      { type: "assign", logins: ["octocat"] },
      { type: "reviewers", reviewers: ["team/core"] },
      { type: "close", reason: "duplicate" },
      { type: "issue", title: "Broken", body: "It says ***." },
      { type: "discussion", title: "Idea", body: "One." },
      { type: "dispatch", workflow: "release.yml" },
    ]);
  });

  it.each([
    ["add_labels", { labels: ["bugs"] }, /"bugs" is no label that may be chosen\. Did you mean "bug"\?/],
    ["add_labels", { labels: ["bug", "docs", "question"] }, /may ask for 2 labels at most/],
    ["add_labels", { labels: [] }, /labels: /],
    ["add_labels", {}, /labels: /],
    ["assign_users", { logins: ["root"] }, /"root" is no assignee/],
    ["request_reviewers", { reviewers: ["team/core", "hubot"] }, /may ask for 1 reviewer at most/],
    ["close_issue", { reason: "completed" }, /"completed" is no reason/],
    ["create_issue", { title: "", body: "x" }, /A title has from 1 to 200 characters/],
    ["create_issue", { title: "x", body: "x".repeat(30_001) }, /A text has from 1 to 30000 characters/],
    ["create_discussion", { title: "x".repeat(201), body: "x" }, /A title has from 1 to 200 characters/],
    ["dispatch_workflow", { workflow: "../deploy.yml" }, /is no workflow/],
  ])("tell the model what is allowed where a call is out of bounds: %s %j", async (name, input, why) => {
    const { answers, asked } = await played([[name, input]]);
    expect(answers).toEqual([expect.stringMatching(/^error: /)]);
    expect(answers[0]).toMatch(why);
    expect(asked).toEqual([]);
  });

  it("count calls that are made at once, and those of the workers before", async () => {
    const one = { title: "One", body: "x" };
    const { answers, asked } = await played([
      ["create_issue", one],
      ["create_issue", { ...one, title: "Two" }],
      ["create_issue", one],
    ]);
    expect(answers).toEqual([
      TAKEN,
      "error: A run may ask for 1 issue at most.",
      "This was asked for before: nothing is added.",
    ]);
    expect(asked).toEqual([{ type: "issue", ...one }]);
    const later = await played([["create_issue", { ...one, title: "Two" }]], {
      earlier: [{ type: "issue", ...one }],
    });
    expect(later.answers).toEqual(["error: A run may ask for 1 issue at most."]);
  });
});
