// Plays every task with both versions of the instructions, under one budget. The judge's tests are put in place after the agent has
// ended, in a checkout that it has never seen.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { GitError } from "../base/git/git.ts";
import { type Instructions, overlaidCommit } from "./instructions.ts";
import { type JudgeParts, JudgePlace } from "./judge.ts";
import { type PlayResult, playKey, type ResultsFile, type Side } from "./results.ts";
import { type EvalTask, taskTitle } from "./task.ts";

/** Commits of the past that an agent can look up. */
const HISTORY_DEPTH = 50;

/** The end of an agent that worked on a checkout. */
export type AgentEnd = {
  /** `cut`: by its limit of cost, or since the eval was interrupted. */
  readonly type: "ended" | "cut" | "failed";
  readonly reason: string;
  readonly costMicroUsd: number | null;
  readonly turns: number;
};

export type AgentCall = {
  readonly root: string;
  readonly prompt: string;
  readonly maxCostMicroUsd: number;
};

type PlayOptions = JudgeParts & {
  readonly tasks: readonly EvalTask[];
  readonly setup: string | null;
  readonly instructions: Readonly<Record<Side, Instructions>>;
  readonly isInstruction: (path: string) => boolean;
  /** What else makes a play another one: model, agent, their settings. */
  readonly agentKey: unknown;
  readonly repeat: number;
  readonly maxCostMicroUsd: number;
  readonly results: ResultsFile;
  /** For checkouts. */
  readonly folder: string;
  readonly runAgent: (call: AgentCall) => Promise<AgentEnd>;
  readonly now: () => number;
  readonly tell: (line: string) => void;
};

type Played = {
  /** The newest result of each play. */
  readonly results: readonly PlayResult[];
  /** Plays that did not begin, since the budget was used. */
  readonly skipped: number;
  /** Every play that was paid for, those that were played again too. */
  readonly spentMicroUsd: number;
};

type Play = { readonly task: EvalTask; readonly side: Side; readonly repeat: number; readonly key: string };

/** The least that a run may be held to: one cent. */
const LEAST_MICRO_USD = 10_000;

export async function playTasks(options: PlayOptions): Promise<Played> {
  const { maxCostMicroUsd, results, signal, tell } = options;
  const plays = playsOf(options);
  const known = new Set(plays.map(({ key }) => key));
  const recorded = (await results.read()).filter(({ key }) => known.has(key));
  const done = new Map(recorded.map((result) => [result.key, result]));
  let spent = recorded.reduce((sum, { costMicroUsd }) => sum + (costMicroUsd ?? 0), 0);
  let skipped = 0;
  let isOver = false;
  for (const [at, play] of plays.entries()) {
    if (isEvidence(done.get(play.key))) continue;
    const left = maxCostMicroUsd - spent;
    if (isOver || left < LEAST_MICRO_USD || signal.aborted) {
      skipped += 1;
      continue;
    }
    const result = await playOne(play, left, options);
    await results.append(result);
    done.set(play.key, result);
    spent += result.costMicroUsd ?? 0;
    isOver = result.type === "unfinished";
    tell(
      `[${at + 1}/${plays.length}] ${play.side}, ${taskTitle(play.task)}: ${result.type} (${result.reason})`,
    );
  }
  return { results: [...done.values()], skipped, spentMicroUsd: spent };
}

function isEvidence(result: PlayResult | undefined): boolean {
  return result?.type === "solved" || result?.type === "unsolved";
}

/** The versions in turn, each first in every second task, so that a budget that ends leaves as many of both. */
function playsOf({ tasks, instructions, setup, agentKey, repeat }: PlayOptions): readonly Play[] {
  const plays: Play[] = [];
  for (let number = 1; number <= repeat; number += 1) {
    for (const [at, task] of tasks.entries()) {
      const order: readonly Side[] = (at + number) % 2 === 1 ? ["base", "head"] : ["head", "base"];
      for (const side of order) {
        const key = playKey([task, setup, side, instructions[side].hash, number, agentKey]);
        plays.push({ task, side, repeat: number, key });
      }
    }
  }
  return plays;
}

async function playOne(
  { task, side, repeat, key }: Play,
  maxCostMicroUsd: number,
  options: PlayOptions,
): Promise<PlayResult> {
  const { instructions, runAgent, now } = options;
  const folder = await mkdtemp(join(options.folder, "play-"));
  const root = join(folder, "checkout");
  const startedAt = now();
  const told = { key, commit: task.commit, side, repeat };
  const nothing = { costMicroUsd: 0, turns: 0 };
  try {
    const { files, prompt } = instructions[side];
    const laid = await layOutTask({ task, files, root }, options);
    if (laid === null)
      return { ...told, ...nothing, type: "faulty", reason: "setup_failed", ms: now() - startedAt };
    const asked = prompt === "" ? task.prompt : `${prompt}\n\n${task.prompt}`;
    const end = await runAgent({ root, prompt: asked, maxCostMicroUsd });
    const measured = { costMicroUsd: end.costMicroUsd, turns: end.turns, ms: now() - startedAt };
    if (end.type !== "ended")
      return { ...told, ...measured, type: end.type === "cut" ? "unfinished" : "faulty", reason: end.reason };
    return {
      ...told,
      ...measured,
      ...(await judged({ task, root, commit: laid, folder }, { end, options })),
    };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The parent of the task's commit with these instructions, set up. Null where the setup failed. */
async function layOutTask(
  { task, files, root }: { task: EvalTask; files: Instructions["files"]; root: string },
  { repository, commands, times, setup, isInstruction, signal }: PlayOptions,
): Promise<string | null> {
  const commit = await overlaidCommit(repository, { parent: task.parent, isInstruction, files });
  await mkdir(root, { recursive: true });
  await repository.layOut(commit, { root, depth: HISTORY_DEPTH });
  if (setup === null) return commit;
  const made = await commands.run({ root, command: setup, timeoutMs: times.setupMs, isSetup: true, signal });
  if (made.type !== "exited" || made.exitCode !== 0) return null;
  await repository.ignoreOthers(root);
  return commit;
}

async function judged(
  { task, root, commit, folder }: { task: EvalTask; root: string; commit: string; folder: string },
  { end, options }: { end: AgentEnd; options: PlayOptions },
): Promise<Pick<PlayResult, "type" | "reason">> {
  const place = new JudgePlace(options, join(folder, "judge"));
  try {
    const files = await options.repository.filesOnDisk(root, commit);
    const { type } = await place.judge({ task, setup: options.setup, files });
    if (type === "passed") return { type: "solved", reason: end.reason };
    if (type === "setup_failed" || type === "not_executed") return { type: "faulty", reason: type };
    return { type: "unsolved", reason: type === "timed_out" ? "tests_timed_out" : end.reason };
  } catch (cause) {
    // What an agent leaves may be no tree that git reads, and then it is no solution.
    if (cause instanceof GitError) return { type: "unsolved", reason: "unreadable_changes" };
    throw cause;
  } finally {
    await place.remove();
  }
}
