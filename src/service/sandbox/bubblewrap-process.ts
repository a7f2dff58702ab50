// The process of one bubblewrap, from its start to its end: its input, and the end of all that is in it.

import { spawn } from "node:child_process";
import type { Clock } from "../../base/clock.ts";
import { FILTER_DESCRIPTOR, NICENESS } from "./bubblewrap-options.ts";
import { feed, followStatus, type Inside } from "./bubblewrap-status.ts";
import type { CrashGuard } from "./crash-guard.ts";
import type { HostView } from "./host-view.ts";
import { type Stdio, withoutInherited } from "./inherited-descriptors.ts";
import type { SandboxConfig } from "./sandbox-config.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { Supervision } from "./supervise.ts";

const MAX_COMPLAINT_CHARS = 2000;

export type BubblewrapParts = {
  readonly config: SandboxConfig;
  readonly host: HostView;
  readonly prlimitPath: string;
  /** Null where there is none for this processor. */
  readonly filter: Buffer | null;
  /** Descriptors that must not be passed on. */
  readonly inherited: readonly number[];
  readonly guard: CrashGuard;
  readonly clock: Clock;
};

type BubblewrapProcess = {
  readonly args: readonly string[];
  /** For the descriptors from `FILTER_DESCRIPTOR` on. */
  readonly data: readonly (Buffer | string)[];
  readonly path: string | undefined;
  readonly mark: Readonly<Record<string, string>>;
  readonly hasInput: boolean;
  readonly inherited: readonly number[];
};

export type RunningBubblewrap = Pick<Supervision, "child" | "outputs" | "end" | "ended"> & {
  /** Null when it did not start. */
  readonly inside: Promise<Inside | null>;
};

export function startBubblewrap(start: BubblewrapProcess): RunningBubblewrap {
  const { args, data, path, mark, hasInput, inherited } = start;
  const pipes: Stdio = [
    hasInput ? "pipe" : "ignore",
    "pipe",
    "pipe",
    "pipe",
    ...data.map(() => "pipe" as const),
  ];
  const child = withoutInherited(pipes, inherited, (stdio) =>
    spawn("nice", ["-n", NICENESS, "bwrap", ...args], {
      // Nothing of the service's: a process of the same user could read it.
      env: path === undefined ? mark : { PATH: path, ...mark },
      detached: true,
      stdio,
    }),
  );
  for (const [index, content] of data.entries()) feed(child, FILTER_DESCRIPTOR + index, content);
  const status = followStatus(child);
  let complaint = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(0, MAX_COMPLAINT_CHARS);
  });

  let isEnding = false;
  const end = () => {
    isEnding = true;
    // When the first process of the namespace ends, everything in it ends, and then bubblewrap. Not bubblewrap itself: before
    // it has set its parent-death signal, its child would stay.
    if (status.inside !== null && child.exitCode === null && child.signalCode === null)
      killProcess(status.inside.firstProcess);
  };
  const inside = status.started.then((started) => {
    if (isEnding) end();
    return started;
  });
  const ended = new Promise<{ exitCode: number | null; signal: null }>((resolve, reject) => {
    child.once("error", (cause) => {
      if (child.pid !== undefined) return;
      reject(new SandboxError("sandbox_not_started", "The sandbox could not be started.", { cause }));
    });
    child.once("close", () => {
      if (status.exitCode !== null || isEnding) return resolve({ exitCode: status.exitCode, signal: null });
      const why = complaint.trim() === "" ? "it gave no reason" : complaint.trim();
      reject(new SandboxError("sandbox_not_started", `bubblewrap did not start the command: ${why}.`));
    });
  });
  return { child, outputs: child.stdout === null ? [] : [child.stdout], end, ended, inside };
}

function killProcess(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
