// The judge of a task: the commit's tests, with its manifests and the configuration of its runner, laid over somebody's source in a
// checkout that nobody else has used.

import { mkdir, rm } from "node:fs/promises";
import type { CommandEnd, Commands } from "./commands.ts";
import { isJudgePath, isManifest } from "./path-kinds.ts";
import type { EvalRepository, TreeFile } from "./repository.ts";
import type { EvalTask } from "./task.ts";

/** As a shell says that a program is not there, or cannot be executed. */
const NOT_EXECUTED = new Set([126, 127]);

export type Judgement = {
  readonly type: "passed" | "failed" | "timed_out" | "not_executed" | "setup_failed";
  /** The last of what was printed. */
  readonly output: string;
};

type JudgeTimes = { readonly checkMs: number; readonly setupMs: number };

export type JudgeParts = {
  readonly repository: EvalRepository;
  readonly commands: Commands;
  readonly times: JudgeTimes;
  readonly signal: AbortSignal;
};

type Judged = {
  readonly task: Pick<EvalTask, "commit" | "check">;
  readonly setup: string | null;
  /** The source that is judged. */
  readonly files: readonly TreeFile[];
  readonly root: string;
};

export const MAX_OUTPUT_CHARS = 2_000;

/** The source without its tests, with those of the commit: an agent that edits a test or a runner's configuration gains nothing. */
function judgedFiles(source: readonly TreeFile[], commit: readonly TreeFile[]): readonly TreeFile[] {
  return [
    ...source.filter(({ path }) => !isJudgePath(path)),
    ...commit.filter(({ path }) => isJudgePath(path)),
  ];
}

/** A place for judgements. One that is used again keeps what a setup left, as long as the manifests stay the same. */
export class JudgePlace {
  readonly #parts: JudgeParts;
  readonly #root: string;
  #key: string | null = null;

  constructor(parts: JudgeParts, root: string) {
    this.#parts = parts;
    this.#root = root;
  }

  async judge({ task, setup, files }: Omit<Judged, "root">): Promise<Judgement> {
    const { repository, commands, times, signal } = this.#parts;
    const all = judgedFiles(files, await repository.files(task.commit));
    const commit = await repository.commitFiles(all, { parents: [], message: "Judged" });
    const key = keyOf(all, setup);
    const isKept = this.#key === key;
    this.#key = null;
    if (!isKept) await this.remove();
    await mkdir(this.#root, { recursive: true });
    await repository.layOut(commit, { root: this.#root, depth: 1 });
    const call = { root: this.#root, signal };
    if (!isKept && setup !== null) {
      const made = await commands.run({ ...call, command: setup, timeoutMs: times.setupMs, isSetup: true });
      if (made.type !== "exited" || made.exitCode !== 0)
        return { type: "setup_failed", output: endOf(made, this.#root) };
      // Else the next judgement here would find it cleaned away.
      await repository.ignoreOthers(this.#root);
    }
    this.#key = key;
    const end = await commands.run({
      ...call,
      command: task.check,
      timeoutMs: times.checkMs,
      isSetup: false,
    });
    const output = endOf(end, this.#root);
    if (end.type === "limited") return { type: "timed_out", output };
    if (NOT_EXECUTED.has(end.exitCode)) return { type: "not_executed", output };
    return { type: end.exitCode === 0 ? "passed" : "failed", output };
  }

  async remove(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true, maxRetries: 3 });
  }
}

function keyOf(files: readonly TreeFile[], setup: string | null): string {
  const manifests = files.filter(({ path }) => setup !== null && isManifest(path));
  return manifests.map(({ path, object }) => `${path}\0${object}`).join("\n");
}

/** Files are told by their paths in the checkout: it is gone afterwards, and its place is nobody's business. */
function endOf({ output }: CommandEnd, root: string): string {
  return output.replaceAll(`${root}/`, "").replaceAll(root, ".").slice(-MAX_OUTPUT_CHARS);
}
