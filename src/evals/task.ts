// Tasks of an eval, and the file that keeps them: what was mined from a repository's history, and why the rest was not. Pure.

import { isObject, parseObject } from "../base/json.ts";

export type EvalTask = {
  /** The commit that solved it. */
  readonly commit: string;
  readonly parent: string;
  /** What the agent is asked. */
  readonly prompt: string;
  /** The command that judges, executed by a shell in the repository's root. */
  readonly check: string;
};

export type DroppedCommit = {
  readonly commit: string;
  readonly subject: string;
  readonly reason: DropReason;
  /** The last that a setup or a test printed that had to pass. */
  readonly detail?: string;
};

export const dropReasons = {
  no_tests: "changes no tests",
  no_source: "changes no source",
  only_deletes_tests: "deletes tests and adds or changes none",
  too_large: "is larger than a task may be",
  no_message: "has a message that says too little",
  not_red: "its tests pass without its source",
  not_green: "its tests fail with its source",
  timed_out: "its tests took longer than they may",
  not_executed: "its tests could not be executed",
  setup_failed: "its setup failed",
} as const;
export type DropReason = keyof typeof dropReasons;

export type TaskFile = {
  /** Executed once in each checkout before anything else; null for nothing. */
  readonly setup: string | null;
  readonly tasks: readonly EvalTask[];
  readonly dropped: readonly DroppedCommit[];
};

const VERSION = 1;

export function writeTaskFile({ setup, tasks, dropped }: TaskFile): string {
  return `${JSON.stringify({ version: VERSION, setup, tasks, dropped }, null, 2)}\n`;
}

/** What people may have edited. Returns the fault as a text where it is none. */
export function readTaskFile(text: string): TaskFile | string {
  const value = parseObject(text);
  if (value === null) return "it is no JSON object";
  if (value.version !== VERSION)
    return `its "version" must be ${VERSION}, got ${JSON.stringify(value.version) ?? "none"}`;
  const { setup = null, tasks, dropped = [] } = value;
  if (setup !== null && typeof setup !== "string") return '"setup" must be a command or null';
  if (!Array.isArray(tasks)) return '"tasks" must be a list';
  const read: EvalTask[] = [];
  for (const [at, task] of tasks.entries()) {
    const fault = faultOf(task);
    if (fault !== null) return `tasks[${at}]: ${fault}`;
    read.push(task as EvalTask);
  }
  const commits = read.map(({ commit }) => commit);
  const twice = commits.find((commit, at) => commits.indexOf(commit) < at);
  if (twice !== undefined) return `the commit ${twice} stands there twice`;
  return { setup, tasks: read, dropped: Array.isArray(dropped) ? (dropped as DroppedCommit[]) : [] };
}

function faultOf(task: unknown): string | null {
  if (!isObject(task)) return "it is no object";
  for (const name of ["commit", "parent"] as const) {
    const value = task[name];
    if (typeof value !== "string" || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value))
      return `"${name}" must be the whole name of a commit`;
  }
  for (const name of ["prompt", "check"] as const) {
    const value = task[name];
    if (typeof value !== "string" || value.trim() === "") return `"${name}" must be a text`;
  }
  return null;
}

/** For people: the first words of the prompt's last part, which is the commit's own. */
export function taskTitle({ commit, prompt }: EvalTask): string {
  const subject = prompt.slice(prompt.indexOf("\n\n") + 2).split("\n", 1)[0] ?? "";
  return `${commit.slice(0, 9)} ${subject}`.trim();
}
