// Starts an agent program in bubblewrap: it sees its tools, its checkout and its home, at the same paths as
// on this machine. It reaches its model alone, or this machine's network. The limits of commands hold for it and all its
// processes.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { assertNever } from "../../base/assert-never.ts";
import type { Clock } from "../../base/clock.ts";
import { type Random, systemRandom } from "../../base/ids.ts";
import { pipedProcess } from "../../base/piped-process.ts";
import { programIn } from "../../base/program-path.ts";
import type { AgentStart, PassedLimit, StartedAgent } from "../core/ports/agent-start.ts";
import type { SandboxLimit } from "../core/ports/sandbox.ts";
import {
  FILTER_DESCRIPTOR,
  FIRST_DATA,
  kernelLimits,
  NICENESS,
  optionsData,
  readOptions,
  STATUS_DESCRIPTOR,
} from "./bubblewrap-options.ts";
import { feed, followStatus } from "./bubblewrap-status.ts";
import { crashGuard, MARK_VARIABLE } from "./crash-guard.ts";
import { prepareDiskWatch } from "./disk-watch.ts";
import { hostView } from "./host-view.ts";
import { identityVariables, identityWay } from "./identity-way.ts";
import { inheritedDescriptors, type Stdio, withoutInherited } from "./inherited-descriptors.ts";
import { watchProcesses } from "./process-watch.ts";
import {
  EGRESS_PORT,
  GATEWAY_PORT,
  hasRelay,
  MODEL_PORT,
  nodeBind,
  proxyVariables,
  relayBinds,
  relayed,
} from "./relay.ts";
import type { SandboxConfig, SandboxLimits } from "./sandbox-config.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { Watch } from "./supervise.ts";
import { systemCallFilter } from "./system-call-filter.ts";
import { treeView } from "./tree-view.ts";

const MEGABYTE = 1024 * 1024;

/** What decides how an agent is confined. */
type ConfinedStart = Omit<AgentStart, "homeRules" | "isWriters" | "signal">;

type Confine = (start: ConfinedStart) => Promise<StartedAgent>;

/** The start of an agent that ends with everything it started. Rejects without `prlimit`. */
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

  return async ({
    argv,
    path,
    environment,
    checkout,
    home,
    gitFolder,
    covered,
    modelSocket,
    egressSocket,
    gateway = null,
    identity,
  }) => {
    const isShared = modelSocket === null;
    const way = await identityWay(identity, { loopback: isShared ? "machine" : "own" });
    const hasEgress = !isShared && egressSocket !== null;
    const sockets = [
      ...(isShared ? [] : [{ port: MODEL_PORT, socket: modelSocket }]),
      ...(hasEgress ? [{ port: EGRESS_PORT, socket: egressSocket }] : []),
      ...(isShared || gateway === null || gateway.socket === null
        ? []
        : [{ port: GATEWAY_PORT, socket: gateway.socket }]),
      ...(way === null || way.socket === null ? [] : [{ port: way.port, socket: way.socket }]),
    ];
    const filter = systemCallFilter(process.arch, { network: isShared ? "shared" : "own" });
    const started = relayed(argv, { sockets });
    const watchTrees = await Promise.all(
      [checkout, home].map((root) => prepareDiskWatch({ root, maxBytes: limits.diskBytes, clock })),
    );
    const git = await treeView({ root: checkout, gitFolder, covered, isTrusted: false }, checkout);
    const made = [...host.emptied.map((target) => ({ target, content: "" })), ...git.files];
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
      ...git.binds,
      ...made.flatMap(({ target }, at) => ["--ro-bind-data", `${FIRST_DATA + at}`, target]),
      ...(gateway !== null && !hasRelay({ sockets }) ? nodeBind() : relayBinds({ sockets })),
      ...host.seals,
      ...["--remount-ro", "/", "--chdir", checkout],
      ...["--json-status-fd", `${STATUS_DESCRIPTOR}`],
      ...(filter === null ? [] : ["--seccomp", `${FILTER_DESCRIPTOR}`]),
    ];
    const data = [...made.map(({ content }) => content), optionsData(options)];
    // No bound on the data of one process: some runtimes reserve far more than they use. The watch counts what is used.
    const confined = ["--", prlimit, ...kernelLimits(limits), "--", ...started];
    const args = [...readOptions(FIRST_DATA + made.length), ...confined];
    const { mark, leave } = await guard.enter();
    const ofJob = config.job === null ? {} : { ...host.environment, PATH: host.path };
    const reach = { ...(hasEgress ? proxyVariables() : {}), ...identityVariables(way) };
    const env = { PATH: path, ...environment, HOME: home, ...ofJob, ...reach, ...mark };
    const pipes: Stdio = ["pipe", "pipe", "pipe", "pipe", "pipe", ...data.map(() => "pipe" as const)];
    const child = startProgram(leave, () =>
      withoutInherited(pipes, inherited, (stdio) =>
        spawn("nice", ["-n", NICENESS, "bwrap", ...args], { env, detached: true, stdio }),
      ),
    );
    feed(child, FILTER_DESCRIPTOR, filter ?? "");
    for (const [at, content] of data.entries()) feed(child, FIRST_DATA + at, content);
    const status = followStatus(child);
    const { processes: maxProcesses, memoryBytes: maxMemoryBytes } = limits;
    const watchInside: Watch = async (signal) => {
      const inside = await status.started;
      if (inside === null) return null;
      return await watchProcesses({ ...inside, maxProcesses, maxMemoryBytes, clock, signal });
    };
    return {
      ...pipedProcess(child),
      files: null,
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
