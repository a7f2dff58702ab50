// Starts and ends a process group: for processes without namespaces.

import { type ChildProcess, spawn } from "node:child_process";
import type { Clock } from "../../base/clock.ts";
import { type Stdio, withoutInherited } from "./inherited-descriptors.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { Supervision } from "./supervise.ts";

/** A process that left the group may hold the pipes open; this is the longest wait for it. */
const DRAIN_MS = 1_000;

type GroupStart = {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hasInput: boolean;
  /** Descriptors that must not be passed on. */
  readonly inherited: readonly number[];
  readonly clock: Clock;
};

export function startGroup(start: GroupStart): Pick<Supervision, "child" | "outputs" | "end" | "ended"> {
  const [program, ...args] = start.argv;
  const pipes: Stdio = [start.hasInput ? "pipe" : "ignore", "pipe", "pipe"];
  const child = withoutInherited(pipes, start.inherited, (stdio) =>
    spawn(program, args, { cwd: start.cwd, env: start.env, detached: true, stdio }),
  );
  const outputs = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const ended = new Promise<{ exitCode: number | null; signal: string | null }>((resolve, reject) => {
    const drained = new AbortController();
    child.once("error", (cause) => {
      if (child.pid !== undefined) return;
      reject(new SandboxError("sandbox_not_started", `${program} could not be started.`, { cause }));
    });
    child.once("exit", () => {
      // What the command left behind in its group ends with it.
      killGroup(child);
      start.clock.sleep(DRAIN_MS, drained.signal).then(
        () => outputs.forEach((stream) => void stream.destroy()),
        () => undefined,
      );
    });
    child.once("close", (exitCode, signal) => {
      drained.abort();
      resolve({ exitCode, signal });
    });
  });
  return { child, outputs, end: () => killGroup(child), ended };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group is empty.
  }
}
