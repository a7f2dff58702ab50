// Mines tasks from a repository's history: commits that changed tests and source, whose tests fail without the source and pass with it.

import type { Clock } from "../base/clock.ts";
import { singleLine } from "../base/untrusted-text.ts";
import { messageParts, promptOf } from "./commit-message.ts";
import { type Judgement, type JudgeParts, JudgePlace, MAX_OUTPUT_CHARS } from "./judge.ts";
import { isCode, isSourcePath, isTestFile, isTestPath } from "./path-kinds.ts";
import type { ChangedFile } from "./repository.ts";
import { type DroppedCommit, type DropReason, dropReasons, type EvalTask, type TaskFile } from "./task.ts";
import { narrowedCommand } from "./test-command.ts";

const MAX_FILES = 40;
const MAX_DETAIL_CHARS = 400;
const MAX_SOURCE_LINES = 1_500;

type MineOptions = JudgeParts & {
  readonly from: string;
  readonly maxTasks: number;
  readonly maxCommits: number;
  readonly clock: Clock;
  /** No further commit is judged after it. */
  readonly maxMs: number;
  /** The whole test command of the repository. */
  readonly check: string;
  readonly setup: string | null;
  /** An empty folder for the judge. */
  readonly folder: string;
  readonly tell: (line: string) => void;
  /** After each commit, with all that is known by then. */
  readonly keep: (found: TaskFile) => Promise<void>;
};

type Mined = TaskFile & {
  readonly looked: number;
  readonly judged: number;
  readonly stoppedBy: "tasks" | "commits" | "time";
};

export async function mineTasks(options: MineOptions): Promise<Mined> {
  const { repository, from, maxTasks, maxCommits, clock, maxMs, setup, folder, tell, keep } = options;
  const place = new JudgePlace(options, folder);
  const tasks: EvalTask[] = [];
  const dropped: DroppedCommit[] = [];
  const startedAt = clock.monotonic();
  let looked = 0;
  let judged = 0;
  const found = (stoppedBy: Mined["stoppedBy"]): Mined => ({
    setup,
    tasks,
    dropped,
    looked,
    judged,
    stoppedBy,
  });
  try {
    for (const { commit, parent } of await repository.history(from, maxCommits)) {
      if (tasks.length >= maxTasks) return found("tasks");
      if (clock.monotonic() - startedAt > maxMs) return found("time");
      looked += 1;
      const message = await repository.message(commit);
      const { subject } = messageParts(message);
      const candidate = await candidateOf(options, { commit, parent, message });
      if (typeof candidate !== "string") judged += 1;
      const fault =
        typeof candidate === "string"
          ? { reason: candidate }
          : await faultOf(place, { options, task: candidate });
      if (fault !== null) dropped.push({ commit, subject, ...fault });
      else if (typeof candidate !== "string") tasks.push(candidate);
      if (typeof candidate === "string") continue;
      const told = fault === null ? `is task ${tasks.length}` : dropReasons[fault.reason];
      tell(`${commit.slice(0, 9)} ${told}: ${subject}`);
      await keep({ setup, tasks, dropped });
    }
    return found(tasks.length >= maxTasks ? "tasks" : "commits");
  } finally {
    await place.remove();
  }
}

type Commit = { readonly commit: string; readonly parent: string; readonly message: string };

/** What the commit says of itself, before anything is executed. */
async function candidateOf(
  { repository, check }: MineOptions,
  { commit, parent, message }: Commit,
): Promise<EvalTask | DropReason> {
  if (!(await repository.has(parent))) return "no_source";
  const changes = await repository.changes(parent, commit);
  const tests = changes.filter(({ path }) => isTestPath(path));
  if (tests.length === 0) return "no_tests";
  const source = changes.filter(({ path }) => isSourcePath(path));
  if (source.length === 0) return "no_source";
  const files = judgingFiles(tests);
  if (files.length === 0)
    return tests.every(({ isDeleted }) => isDeleted) ? "only_deletes_tests" : "no_tests";
  const lines = source.reduce((sum, one) => sum + one.lines, 0);
  if (source.length > MAX_FILES || lines > MAX_SOURCE_LINES) return "too_large";
  const prompt = promptOf(message);
  if (prompt === null) return "no_message";
  const packageJson = await repository.fileText(commit, "package.json");
  return { commit, parent, prompt, check: narrowedCommand(check, { files, packageJson }) };
}

/** What a runner can execute; where no file has the name of a test, the code in the folders of tests. */
function judgingFiles(tests: readonly ChangedFile[]): readonly string[] {
  const there = tests.filter(({ isDeleted }) => !isDeleted).map(({ path }) => path);
  const named = there.filter(isTestFile);
  return named.length > 0 ? named : there.filter(isCode);
}

type Fault = Pick<DroppedCommit, "reason" | "detail">;

/** Null for a task that is red before and green after. */
async function faultOf(
  place: JudgePlace,
  { options, task }: { readonly options: MineOptions; readonly task: EvalTask },
): Promise<Fault | null> {
  const { repository, setup } = options;
  const before = await place.judge({ task, setup, files: await repository.files(task.parent) });
  if (before.type === "passed") return { reason: "not_red" };
  if (before.type !== "failed") return { reason: before.type, detail: detailOf(before) };
  const after = await place.judge({ task, setup, files: await repository.files(task.commit) });
  if (after.type === "passed") return null;
  return { reason: after.type === "failed" ? "not_green" : after.type, detail: detailOf(after) };
}

function detailOf({ output }: Judgement): string {
  return singleLine(output, MAX_OUTPUT_CHARS).slice(-MAX_DETAIL_CHARS);
}
