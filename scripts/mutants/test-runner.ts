// Executes test files of a mutated copy of the project. One process of Vitest stays and transforms each module once; the tests are in a
// process of their own each time, which loads the mutant that is in force.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Failure, TestRequest, TestsEnded } from "./test-process.ts";

export type Ended = {
  /** Whether the tests came to their end in time. */
  readonly isOver: boolean;
  /** The first of each file. */
  readonly failures: readonly Failure[];
};

export type TestRunner = {
  /** Ends at the first failure, unless `isWhole`. `timeoutMs`: for all of the files. */
  run(
    files: readonly string[],
    options: { readonly timeoutMs: number; readonly isWhole?: boolean },
  ): Promise<Ended>;
  close(): Promise<void>;
};

type Options = {
  /** Each file in a process of its own: a module's top level is executed for the first file alone otherwise. */
  readonly isIsolated: boolean;
};

/** `root`: what makeMutatedTree has made. Starts nothing before the first run. */
export function openTestRunner(root: string, { isIsolated }: Options): TestRunner {
  let child: ChildProcess | null = null;
  const start = (): ChildProcess =>
    fork(join(import.meta.dirname, "test-process.ts"), [root, isIsolated ? "isolated" : "shared"], {
      cwd: root,
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
  const end = async (): Promise<void> => {
    const ended = child;
    child = null;
    if (ended?.pid === undefined || ended.exitCode !== null || ended.signalCode !== null) return;
    const closed = once(ended, "close");
    process.kill(-ended.pid, "SIGKILL");
    await closed;
  };
  return {
    async run(files, { timeoutMs, isWhole = false }) {
      child ??= start();
      const request: TestRequest = { files, isWhole };
      const answer = await answerOf(child, request, timeoutMs);
      // Deployments are started by the process that stays, with the mutant that was in force then.
      if (answer === "late" || answer === "ended" || files.some((file) => usesDeployments(root, file)))
        await end();
      if (answer === "late") return { isOver: false, failures: [] };
      const failures = answer === "ended" ? [OUTSIDE] : answer.failures;
      return { isOver: true, failures };
    },
    close: end,
  };
}

/** An error outside any test, or a process that was ended. */
const OUTSIDE: Failure = { file: "outside of tests", title: "The runner ended before its tests." };

async function answerOf(
  child: ChildProcess,
  request: TestRequest,
  timeoutMs: number,
): Promise<TestsEnded | "late" | "ended"> {
  return await new Promise((resolve) => {
    const timer = setTimeout(() => finish("late"), timeoutMs);
    const leave = (): void => finish("ended");
    const take = (message: unknown): void => finish(message as TestsEnded);
    const finish = (answer: TestsEnded | "late" | "ended"): void => {
      clearTimeout(timer);
      child.off("exit", leave).off("message", take);
      resolve(answer);
    };
    child.on("exit", leave).on("message", take);
    child.send(request, (error) => {
      if (error !== null) leave();
    });
  });
}

function usesDeployments(root: string, file: string): boolean {
  return readFileSync(join(root, file), "utf8").includes("deployment");
}
