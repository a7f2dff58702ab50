// The flags of `agent-service eval`. Those of the model and the agent are those of `agent-service run`.

import { dollars, integer, line, oneOf } from "../base/settings/kinds.ts";
import type { ValuesOf } from "../base/settings/setting.ts";
import { MAX_COST_LIMITS } from "../job/job-settings.ts";
import { anyText, listFlag, switchFlag, valueFlag } from "./flags.ts";
import { federationFlags } from "./model-flags.ts";
import { DEFAULT_OUTPUT_DIR } from "./run-files.ts";
import { runFlags } from "./run-flags.ts";

const DEFAULT_TASKS_FILE = ".agent-service/evals.json";
const MAX_COMMAND_CHARS = 1_000;

/** By their names. */
export const evalFlags = {
  mine: switchFlag(
    "Find tasks in the history of this checkout, and write them to the file of --tasks: commits whose tests fail without their source and pass with it.",
  ),
  tasks: valueFlag({
    kind: anyText,
    fallback: DEFAULT_TASKS_FILE,
    takes: "<file>",
    description: "The file of the tasks, to be kept in the repository.",
  }),
  base: valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<ref>",
    description: "The commit with the instructions as they are.",
  }),
  head: valueFlag({
    kind: anyText,
    fallback: "HEAD",
    takes: "<ref>",
    description: "The commit with the new instructions; with --mine, the one at which the history begins.",
  }),
  paths: listFlag({
    takes: "<pattern>",
    description:
      "Further files that are part of the instructions, as a pattern with * and **. AGENTS.md and its kin, and skills, always are.",
  }),
  "prompt-file": valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<path>",
    description: "A file of the repository whose text, of each version, stands before every task.",
  }),
  repeat: valueFlag({
    kind: integer({ min: 1, max: 10 }),
    fallback: 2,
    takes: "<n>",
    description: "Plays of each task with each version.",
  }),
  "max-tasks": valueFlag({
    kind: integer({ min: 1, max: 100 }),
    fallback: 10,
    takes: "<n>",
    description: "The most tasks that are mined, and played.",
  }),
  "max-cost": valueFlag({
    kind: dollars(MAX_COST_LIMITS),
    fallback: null,
    takes: "<dollars>",
    description: "The most that all plays together may cost in US dollars. Needed with --base.",
  }),
  "fail-on": valueFlag({
    kind: oneOf(["worse", "none"]),
    fallback: "none",
    takes: "<verdict>",
    description: "The verdict that ends with exit code 1.",
  }),
  check: valueFlag({
    kind: line({ maxChars: MAX_COMMAND_CHARS }),
    fallback: null,
    takes: "<command>",
    description:
      "With --mine: the test command, narrowed to the tests of each commit where its runner takes files.",
    shownDefault: "the one of the manifests or the CI",
  }),
  setup: valueFlag({
    kind: line({ maxChars: MAX_COMMAND_CHARS }),
    fallback: null,
    takes: "<command>",
    description:
      "With --mine: a command that installs what the tests need, such as npm ci, executed once in each checkout. It reaches package registries.",
    shownDefault: "none",
  }),
  "max-commits": valueFlag({
    kind: integer({ min: 1, max: 10_000 }),
    fallback: 300,
    takes: "<n>",
    description: "With --mine: the most commits that are looked at, along the first parents.",
  }),
  "mine-minutes": valueFlag({
    kind: integer({ min: 1, max: 1_440 }),
    fallback: 60,
    takes: "<n>",
    description: "With --mine: no further commit is judged after it.",
  }),
  "check-minutes": valueFlag({
    kind: integer({ min: 1, max: 120 }),
    fallback: 10,
    takes: "<n>",
    description: "The time that the tests of a task may take.",
  }),
  "setup-minutes": valueFlag({
    kind: integer({ min: 1, max: 120 }),
    fallback: 15,
    takes: "<n>",
    description: "The time that a setup may take.",
  }),
  "output-dir": valueFlag({
    kind: anyText,
    fallback: DEFAULT_OUTPUT_DIR,
    takes: "<folder>",
    description: "Where the report and the results of all plays go. A second call with it goes on from them.",
  }),
  json: switchFlag("Print the report as JSON."),
  model: runFlags.model,
  "fallback-model": runFlags["fallback-model"],
  "explore-model": runFlags["explore-model"],
  "model-base-url": runFlags["model-base-url"],
  "model-provider": runFlags["model-provider"],
  agent: runFlags.agent,
  effort: runFlags.effort,
  "model-price": runFlags["model-price"],
  ...federationFlags,
  egress: runFlags.egress,
  "mcp-servers": runFlags["mcp-servers"],
  "max-turn-tokens": runFlags["max-turn-tokens"],
  "timeout-minutes": runFlags["timeout-minutes"],
  "idle-minutes": runFlags["idle-minutes"],
};

export type EvalFlags = ValuesOf<typeof evalFlags>;
