// Every workflow that init can write: valid, pinned, and with no permission that its job does not need.

import { describe, expect, it } from "vitest";
import { lintWorkflows, OUR_ACTION } from "../../scripts/lint-workflows.ts";
import {
  type ChangeMode,
  changeModes,
  initWorkflow,
  type Start,
  starts,
  type WorkflowPlace,
} from "../../src/cli/init-workflow.ts";
import { readWorkflow } from "../support/example-workflow.ts";

const SERVICE = { type: "service", url: "https://agents.example.com" } as const;
const KEYLESS = { type: "job", model: "keyless" } as const;
const KEY = { type: "job", model: "key" } as const;
const all = starts.flatMap((start) =>
  changeModes.flatMap((changes) =>
    [SERVICE, KEYLESS, KEY].map((place) => [{ start, changes, place }] as const),
  ),
);
const textOf = (choices: { start: Start; changes: ChangeMode; place: WorkflowPlace }): string =>
  initWorkflow({ ...choices, action: OUR_ACTION });

describe("initWorkflow", () => {
  it.each(all)("writes a workflow without a lint finding for %j", async (choices) => {
    expect(await lintWorkflows([{ path: "agent.yml", text: textOf(choices), firstLine: 1 }])).toEqual([]);
  });

  it.each([
    [
      ["comments", "none", SERVICE],
      ["id-token", "issues", "pull-requests"],
    ],
    [
      ["comments", "commit", SERVICE],
      ["contents", "id-token", "issues", "pull-requests"],
    ],
    [
      ["reviews", "none", SERVICE],
      ["id-token", "pull-requests"],
    ],
    [["nightly", "none", SERVICE], ["id-token"]],
    [
      ["nightly", "commit", SERVICE],
      ["contents", "id-token"],
    ],
    [
      ["nightly", "pull-request", SERVICE],
      ["contents", "id-token", "pull-requests"],
    ],
    [["manual", "none", SERVICE], ["id-token"]],
    [["manual", "none", KEY], []],
    [["manual", "none", KEYLESS], ["id-token"]],
    [
      ["reviews", "none", KEYLESS],
      ["id-token", "pull-requests"],
    ],
    [["reviews", "none", KEY], ["pull-requests"]],
    [
      ["manual", "pull-request", KEY],
      ["contents", "pull-requests"],
    ],
  ] as const)("grants no write access beyond need for %j", ([start, changes, place], expected) => {
    const text = textOf({ start, changes, place });
    const { permissions, jobs } = readWorkflow(text, "agent.yml");
    expect(permissions).toEqual({});
    const granted = Object.entries(jobs.agent?.permissions ?? {});
    expect(
      granted
        .filter(([, access]) => access.startsWith("write"))
        .map(([name]) => name)
        .sort(),
    ).toEqual(expected);
  });
});
