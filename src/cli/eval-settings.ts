// The settings of `agent-service eval` from its flags. Every wrong one is named before anything is executed.

import type { EvalFlags } from "./eval-flags.ts";
import { UsageError } from "./flags.ts";
import { type RunSettings, readRunSettings } from "./run-settings.ts";

const MINUTE_MS = 60_000;

type CommonSettings = {
  readonly tasksFile: string;
  readonly head: string;
  readonly maxTasks: number;
  readonly times: { readonly checkMs: number; readonly setupMs: number };
};

export type MineSettings = CommonSettings & {
  readonly type: "mine";
  /** Null: the repository's own. */
  readonly check: string | null;
  readonly setup: string | null;
  readonly maxCommits: number;
  readonly maxMs: number;
};

export type PlaySettings = CommonSettings & {
  readonly type: "play";
  readonly base: string;
  readonly paths: readonly string[];
  readonly promptFile: string | null;
  readonly repeat: number;
  readonly maxCostMicroUsd: number;
  readonly failsOnWorse: boolean;
  readonly outputDir: string;
  readonly format: "text" | "json";
  /** Of each play; its prompt is the task's. */
  readonly run: RunSettings;
  /** What makes the plays of another agent others. */
  readonly agentKey: unknown;
};

export async function readEvalSettings(values: EvalFlags): Promise<MineSettings | PlaySettings> {
  const common = {
    tasksFile: values.tasks,
    head: values.head,
    maxTasks: values["max-tasks"],
    times: {
      checkMs: MINUTE_MS * values["check-minutes"],
      setupMs: MINUTE_MS * values["setup-minutes"],
    },
  };
  const { base } = values;
  if (values.mine) {
    if (base !== null)
      throw new UsageError("--mine and --base exclude each other: mine the tasks first, then play them.");
    const { check, setup } = values;
    const bounds = { maxCommits: values["max-commits"], maxMs: MINUTE_MS * values["mine-minutes"] };
    return { ...common, type: "mine", check, setup, ...bounds };
  }
  if (base === null)
    throw new UsageError(
      "--base is missing: the commit with the instructions as they are, such as origin/main. Tasks are mined with --mine.",
    );
  for (const name of ["check", "setup"] as const) {
    if (values[name] !== null)
      throw new UsageError(`--${name} is for --mine: each task keeps its own in the file of --tasks.`);
  }
  const maxCostMicroUsd = values["max-cost"];
  if (maxCostMicroUsd === null)
    throw new UsageError("--max-cost is missing: the most that all plays together may cost, in US dollars.");
  const { model, agent, effort, egress } = values;
  const agentKey = [
    ...[model, values["fallback-model"], values["explore-model"]],
    ...[values["model-base-url"], values["model-provider"]],
    ...[agent, effort, egress, values["mcp-servers"]],
    ...[values["max-turn-tokens"], values["timeout-minutes"], values["idle-minutes"]],
  ];
  return {
    ...common,
    type: "play",
    base,
    paths: values.paths ?? [],
    promptFile: values["prompt-file"],
    repeat: values.repeat,
    maxCostMicroUsd,
    failsOnWorse: values["fail-on"] === "worse",
    outputDir: values["output-dir"],
    format: values.json ? "json" : "text",
    run: await readRun(values),
    agentKey,
  };
}

/** As `agent-service run --embedded` reads them. */
async function readRun(values: EvalFlags): Promise<RunSettings> {
  const ofRun = {
    ...values,
    embedded: true,
    "base-url": null,
    audience: null,
    account: null,
    session: null,
    "prompt-file": null,
    setup: null,
    "on-cancel": "cancel" as const,
    "best-of": 1,
    "best-of-models": null,
    clone: "auto" as const,
    "fail-on": new Set<never>(),
    "output-dir": null,
    "output-schema": null,
    outputs: null,
    issue: null,
    comment: false,
    changes: "patch" as const,
    "branch-prefix": "agent/",
    findings: "none" as const,
    "commit-status": false,
    "fail-on-severity": "none" as const,
    paths: null,
    "ignore-paths": null,
    json: false,
  };
  return await readRunSettings(ofRun, ["The task's own."]);
}
