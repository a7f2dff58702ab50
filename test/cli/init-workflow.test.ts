// Every workflow that init can write: valid, pinned, and with no permission that its job does not need.

import { describe, expect, it } from "vitest";
import { lintWorkflows, OUR_ACTION } from "../../scripts/lint-workflows.ts";
import {
  type ChangeMode,
  changeModes,
  initWorkflow,
  type Start,
  starts,
} from "../../src/cli/init-workflow.ts";
import { readWorkflow } from "../support/example-workflow.ts";

const URLS = ["https://agents.example.com", null];
const all = starts.flatMap((start) =>
  changeModes.flatMap((changes) => URLS.map((baseUrl) => [{ start, changes, baseUrl }] as const)),
);
const textOf = (choices: { start: Start; changes: ChangeMode; baseUrl: string | null }): string =>
  initWorkflow({ ...choices, action: OUR_ACTION });

describe("initWorkflow", () => {
  it.each(all)("writes a workflow without a lint finding for %j", async (choices) => {
    expect(await lintWorkflows([{ path: "agent.yml", text: textOf(choices), firstLine: 1 }])).toEqual([]);
  });

  it.each([
    [
      ["comments", "none", true],
      ["id-token", "issues", "pull-requests"],
    ],
    [
      ["comments", "commit", true],
      ["contents", "id-token", "issues", "pull-requests"],
    ],
    [
      ["reviews", "none", true],
      ["id-token", "pull-requests"],
    ],
    [["nightly", "none", true], ["id-token"]],
    [
      ["nightly", "commit", true],
      ["contents", "id-token"],
    ],
    [
      ["nightly", "pull-request", true],
      ["contents", "id-token", "pull-requests"],
    ],
    [["manual", "none", true], ["id-token"]],
    [["manual", "none", false], []],
    [["reviews", "none", false], ["pull-requests"]],
    [
      ["manual", "pull-request", false],
      ["contents", "pull-requests"],
    ],
  ] as const)("grants no write access beyond need for %j", ([start, changes, hasService], expected) => {
    const text = textOf({ start, changes, baseUrl: hasService ? "https://agents.example.com" : null });
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
