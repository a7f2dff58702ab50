// Executes commands in bubblewrap: in their own namespaces, ended as a whole by killing the first process in them.
// Why: docs/decisions/017-sandbox.md

import { spawn } from "node:child_process";
import type { Clock } from "../../base/clock.ts";
import { ok } from "../../base/result.ts";
import type { Sandbox, SandboxCommand, SandboxedCheckout, SandboxResult } from "../core/ports/sandbox.ts";
import { bubblewrapStart, FILTER_DESCRIPTOR, INNER_HOME, NICENESS } from "./bubblewrap-options.ts";
import { feed, followStatus, type Inside } from "./bubblewrap-status.ts";
import type { CrashGuard } from "./crash-guard.ts";
import { prepareDiskWatch } from "./disk-watch.ts";
import { gitView } from "./git-view.ts";
import type { HostView } from "./host-view.ts";
import { type Stdio, withoutInherited } from "./inherited-descriptors.ts";
import { prepareCommand } from "./prepare-command.ts";
import { watchProcesses } from "./process-watch.ts";
import type { SandboxConfig } from "./sandbox-config.ts";
import { SandboxError } from "./sandbox-error.ts";
import { scrubbedEnvironment } from "./scrubbed-environment.ts";
import { argvOf, type Supervision, supervise, type Watch } from "./supervise.ts";
import type { WorkingFolder } from "./working-folder.ts";

const MAX_COMPLAINT_CHARS = 2000;

export type BubblewrapParts = {
  readonly config: SandboxConfig;
  readonly host: HostView;
  readonly prlimitPath: string;
  /** Null where there is none for this processor. */
  readonly filter: Buffer | null;
  /** What must not be passed on. */
  readonly inherited: readonly number[];
  readonly guard: CrashGuard;
  readonly clock: Clock;
};

export function bubblewrapSandbox(parts: BubblewrapParts): Sandbox {
  return {
    kind: "bubblewrap",
    async run(checkout, command) {
      const folder = await prepareCommand(checkout, command);
      if (!folder.ok) return folder;
      const { mark, leave } = await parts.guard.enter();
      try {
        return ok(await execute(parts, { checkout, command, folder: folder.value, mark }));
      } finally {
        leave();
      }
    },
  };
}

type Work = {
  readonly checkout: SandboxedCheckout;
  readonly command: SandboxCommand;
  readonly folder: WorkingFolder;
  readonly mark: Readonly<Record<string, string>>;
};

async function execute(
  parts: BubblewrapParts,
  { checkout, command, folder, mark }: Work,
): Promise<SandboxResult> {
  const { config, clock } = parts;
  const { limits } = config;
  const timeoutMs = Math.min(command.timeoutMs, limits.timeoutMs);
  const git = await gitView({ ...checkout, root: folder.root });
  const watchDisk = await prepareDiskWatch({ root: folder.root, maxBytes: limits.diskBytes, clock });
  const start = bubblewrapStart({
    host: parts.host,
    git,
    treeFolder: folder.root,
    cwd: folder.within,
    environment: scrubbedEnvironment({
      path: parts.host.path,
      home: INNER_HOME,
      temporary: "/tmp",
      passed: config.passed,
      added: command.env,
    }),
    network: config.network,
    limits,
    hasFilter: parts.filter !== null,
    prlimitPath: parts.prlimitPath,
    argv: argvOf(command.execute),
  });
  command.signal.throwIfAborted();
  const running = startBubblewrap({
    args: start.args,
    data: [parts.filter ?? "", ...start.data],
    path: config.environment.PATH,
    mark,
    hasInput: command.stdin !== undefined,
    inherited: parts.inherited,
  });
  const watchInside: Watch = async (signal) => {
    const inside = await running.inside;
    const { processes: maxProcesses, memoryBytes: maxMemoryBytes } = limits;
    if (inside === null) return null;
    return await watchProcesses({ ...inside, maxProcesses, maxMemoryBytes, clock, signal });
  };
  return await supervise({ ...running, command, watches: [watchInside, watchDisk], timeoutMs, clock });
}

type Start = {
  readonly args: readonly string[];
  /** For the descriptors from `FILTER_DESCRIPTOR` on. */
  readonly data: readonly (Buffer | string)[];
  readonly path: string | undefined;
  readonly mark: Readonly<Record<string, string>>;
  readonly hasInput: boolean;
  readonly inherited: readonly number[];
};

type Running = Pick<Supervision, "child" | "outputs" | "end" | "ended"> & {
  /** Null when it did not start. */
  readonly inside: Promise<Inside | null>;
};

function startBubblewrap({ args, data, path, mark, hasInput, inherited }: Start): Running {
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
