// Starts an agent program in bubblewrap: it sees its tools, its checkout and its home, at the same paths as
// on this machine. It reaches its model alone, or this machine's network. The limits of commands hold for it and all its
// processes.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { basename, dirname } from "node:path";
import { assertNever } from "../../base/assert-never.ts";
import type { Clock } from "../../base/clock.ts";
import { type Random, systemRandom } from "../../base/ids.ts";
import type { SandboxLimit } from "../core/ports/sandbox.ts";
import { FILTER_DESCRIPTOR, kernelLimits, NICENESS, STATUS_DESCRIPTOR } from "./bubblewrap-options.ts";
import { feed, followStatus } from "./bubblewrap-status.ts";
import { crashGuard, MARK_VARIABLE } from "./crash-guard.ts";
import { prepareDiskWatch } from "./disk-watch.ts";
import { hostView } from "./host-view.ts";
import { inheritedDescriptors, withoutInherited } from "./inherited-descriptors.ts";
import { relayBinds, relayed } from "./model-relay.ts";
import { watchProcesses } from "./process-watch.ts";
import { programIn } from "./program-path.ts";
import type { SandboxConfig, SandboxLimits } from "./sandbox-config.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { Watch } from "./supervise.ts";
import { systemCallFilter } from "./system-call-filter.ts";

const MEGABYTE = 1024 * 1024;

export type ConfinedStart = {
  readonly argv: readonly [string, ...string[]];
  /** All of it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absolute; both can be written to. */
  readonly checkout: string;
  readonly home: string;
  /** All of the network that it has, as a unix socket. Null: it has this machine's. */
  readonly modelSocket: string | null;
};

/** A limit: its kind, its amount, and the setting that defines it. */
export type PassedLimit = {
  readonly limit: "memory" | "processes" | "disk";
  /** Megabytes, or processes and threads. */
  readonly allowed: number;
  readonly setting: string;
};

export type ConfinedAgent = {
  /** The leader of a process group of its own. When it ends, so does everything in its sandbox. */
  readonly child: ChildProcessWithoutNullStreams;
  /**
   * Resolves with the first limit that was exceeded, or with null once `signal` aborts. Rejects when the watch fails.
   * The agent is left to be ended.
   */
  watch(signal: AbortSignal): Promise<PassedLimit | null>;
};

export type Confine = (start: ConfinedStart) => Promise<ConfinedAgent>;

/** How to start an agent so that it ends with everything it started. Rejects without `prlimit`. */
export async function confineAgent(
  config: SandboxConfig,
  { clock, random = systemRandom }: { clock: Clock; random?: Random },
): Promise<Confine> {
  const host = await hostView({ ...config, network: "allowed" });
  const inherited = await inheritedDescriptors();
  const prlimit = await programIn(config.environment.PATH ?? "", "prlimit");
  if (prlimit === null)
    throw new SandboxError("sandbox_not_started", "prlimit is not in PATH: apt-get install util-linux.");
  const guard = crashGuard({ path: config.environment.PATH, random });
  const { agentLimits: limits } = config;
  const memoryFolder = (path: string) => ["--size", `${limits.temporaryBytes}`, "--tmpfs", path];

  return async ({ argv, environment, checkout, home, modelSocket }) => {
    const isShared = modelSocket === null;
    const filter = systemCallFilter(process.arch, { network: isShared ? "shared" : "own" });
    const started = isShared ? argv : relayed(argv, basename(modelSocket));
    const watchTrees = await Promise.all(
      [checkout, home].map((root) => prepareDiskWatch({ root, maxBytes: limits.diskBytes, clock })),
    );
    const options = [
      // `clone` passes the filter, which cannot read all that it is given: in a user namespace of its own, an agent would
      // have every capability.
      ...["--unshare-all", "--unshare-user", "--disable-userns"],
      ...(isShared ? ["--share-net"] : []),
      ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
      ...["--unsetenv", MARK_VARIABLE],
      // First, so that the checkout and the home may lie below it.
      ...memoryFolder("/tmp"),
      ...["--dir", "/var", "--symlink", "/tmp", "/var/tmp"],
      ...host.options,
      // To a service that is root, the files of /proc/sys are its own: written to, they lead out.
      ...["--proc", "/proc", "--remount-ro", "/proc"],
      ...["--dev", "/dev", "--remount-ro", "/dev", ...memoryFolder("/dev/shm")],
      ...["--bind", checkout, checkout, "--bind", home, home],
      ...(isShared ? [] : relayBinds(dirname(modelSocket))),
      ...host.seals,
      ...["--remount-ro", "/", "--chdir", checkout],
      ...["--json-status-fd", `${STATUS_DESCRIPTOR}`],
      ...(filter === null ? [] : ["--seccomp", `${FILTER_DESCRIPTOR}`]),
      // No bound on the data of one process: some runtimes reserve far more than they use. The watch counts what is used.
      ...["--", prlimit, ...kernelLimits(limits), "--", ...started],
    ];
    const { mark, leave } = await guard.enter();
    const env = { ...environment, ...mark };
    const child = startProgram(leave, () =>
      withoutInherited(["pipe", "pipe", "pipe", "pipe", "pipe"], inherited, (stdio) =>
        spawn("nice", ["-n", NICENESS, "bwrap", ...options], { env, detached: true, stdio }),
      ),
    );
    feed(child, FILTER_DESCRIPTOR, filter ?? "");
    const status = followStatus(child);
    const { processes: maxProcesses, memoryBytes: maxMemoryBytes } = limits;
    const watchInside: Watch = async (signal) => {
      const inside = await status.started;
      if (inside === null) return null;
      return await watchProcesses({ ...inside, maxProcesses, maxMemoryBytes, clock, signal });
    };
    return {
      child,
      watch: async (signal) => passedLimit(await firstOf([watchInside, ...watchTrees], signal), limits),
    };
  };
}

/** Calls `onGone` once everything of the program has ended, or could not be started. */
function startProgram(onGone: () => void, start: () => ChildProcess): ChildProcessWithoutNullStreams {
  try {
    const child = start() as ChildProcessWithoutNullStreams;
    child.once("close", onGone);
    child.once("error", onGone);
    return child;
  } catch (cause) {
    onGone();
    throw cause;
  }
}

/** The watches end with the first of them that tells a limit. */
async function firstOf(watches: readonly Watch[], signal: AbortSignal): Promise<SandboxLimit | null> {
  const told = new AbortController();
  const isOver = AbortSignal.any([signal, told.signal]);
  try {
    return await new Promise<SandboxLimit | null>((resolve, reject) => {
      const watching = watches.map(async (watch) => {
        const limit = await watch(isOver).catch((cause: unknown) => {
          // What is watched goes when the agent has gone.
          if (isOver.aborted) return null;
          throw cause;
        });
        if (limit !== null) resolve(limit);
      });
      Promise.all(watching).then(() => resolve(null), reject);
    });
  } finally {
    told.abort();
  }
}

function passedLimit(limit: SandboxLimit | null, limits: SandboxLimits): PassedLimit | null {
  switch (limit) {
    case null:
      return null;
    case "memory":
      return { limit, allowed: limits.memoryBytes / MEGABYTE, setting: "SANDBOX_MEMORY_MB" };
    case "processes":
      return { limit, allowed: limits.processes, setting: "SANDBOX_PROCESSES" };
    case "disk":
      return { limit, allowed: limits.diskBytes / MEGABYTE, setting: "SANDBOX_DISK_MB" };
    case "time":
    case "output":
      throw new TypeError(`Nobody watches the limit of ${limit} of an agent.`);
    default:
      return assertNever(limit);
  }
}
