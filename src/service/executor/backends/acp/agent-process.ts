// An agent's process: its own process group, a fresh home folder, and an end that leaves nothing behind.

import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../../../../base/clock.ts";
import { lastComplaint } from "../../../../base/last-complaint.ts";
import { type ProcessExit, pipedProcess } from "../../../../base/piped-process.ts";
import type { HiddenFile } from "../../../core/checkouts/checkout.ts";
import type { AgentFiles, AgentStart, PassedLimit, StartedAgent } from "../../../core/ports/agent-start.ts";
import type { CommandIdentity } from "../../../core/ports/command-identity.ts";
import type { CoveredFiles } from "../../../core/ports/covered-files.ts";
import { requestVariables } from "../../../core/run-identity/request-variables.ts";
import type { AgentsModel } from "./agents-model.ts";
import { writeCopies } from "./hidden-files.ts";
import { writeHomeFiles } from "./home-files.ts";
import type { AcpSettings } from "./settings.ts";
import { bringHomeBack, homeRules, type KeptHome } from "./taken-up/kept-home.ts";

const MAX_STDERR_CHARS = 8192;
/** A process that left the group may hold the pipes open; this is the longest wait for it. */
const DRAIN_MS = 1_000;
/** What the files of an agent that works elsewhere are given to come back once it was stopped. */
const LAST_FILES_MS = 10_000;

/** When the service itself ends, agents are killed at once: nobody would be left to do it later. */
const running = new Set<StartedAgent>();

type AgentProcessOptions = {
  readonly settings: Pick<AcpSettings, "path" | "homes" | "homeFiles" | "confine" | "places">;
  readonly model: Pick<AgentsModel, "command" | "environment" | "socket">;
  /** Files that it finds in its home, as text. */
  readonly hidden: readonly HiddenFile[];
  /** Whether writers made the tree. */
  readonly isWriters: boolean;
  /** The folder in which it is started. */
  readonly checkout: string;
  /** Git's own folder, where it lies outside of the checkout. */
  readonly gitFolder: string | null;
  readonly covered: CoveredFiles | undefined;
  /** The proxy to what else the run may reach. Null: nothing. */
  readonly egressSocket: string | null;
  /** As of its start. Default: none. */
  readonly gateway?: AgentStart["gateway"];
  /** Where its commands ask for ID tokens of the run. Default: nowhere. */
  readonly identity?: CommandIdentity | null;
  /** The run's. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The home of an earlier process of the run. Default: it gets an empty one. */
  readonly keptHome?: KeptHome | null;
};

export type AgentProcess = AgentFiles & {
  /** Its home folder on this machine, absolute. */
  readonly home: string;
  readonly input: Writable;
  readonly output: Readable;
  /** The last line it wrote to its standard error. "" when there is none. */
  lastComplaint(): string;
  /** Resolves once it has ended and what it wrote can all be read. */
  readonly ended: Promise<ProcessExit>;
  /**
   * Resolves with the sandbox limit that it exceeded, before any other sign of that, or with null when it
   * has ended otherwise. Rejects when the watch fails. The process is ended in each case.
   */
  readonly passed: Promise<PassedLimit | null>;
  /** Ends it and the processes of its group at once. Its home stays. */
  kill(): Promise<void>;
  /** Ends it and all its processes: SIGTERM first, SIGKILL after `graceMs`. Safe to repeat. */
  end(graceMs: number): Promise<void>;
};

/** Makes its home folder and starts it. Rejects where environment or arguments exceed the system's limit. */
export async function startAgent(options: AgentProcessOptions): Promise<AgentProcess> {
  const { settings, model, hidden, egressSocket, gateway = null, identity = null } = options;
  const { isWriters, checkout, gitFolder, covered, signal, clock, keptHome = null } = options;
  const { homes, homeFiles, confine, places, path } = settings;
  const home = await homes.make(keptHome?.name);
  const start: AgentStart = {
    argv: model.command,
    path,
    environment: { LANG: "C.UTF-8", TERM: "dumb", ...model.environment },
    checkout,
    home,
    homeRules,
    gitFolder,
    covered,
    isWriters,
    modelSocket: model.socket,
    egressSocket,
    gateway,
    identity,
    signal,
  };
  try {
    if (keptHome !== null) await bringHomeBack(home, keptHome);
    await writeHomeFiles(home, homeFiles);
    await writeCopies(home, hidden);
    const started = await (places?.start(start) ?? (confine ?? startBeside)(start));
    return superviseAgent(started, { home, end: () => homes.remove(home), clock });
  } catch (cause) {
    await homes.remove(home);
    throw cause;
  }
}

async function startBeside(start: AgentStart): Promise<StartedAgent> {
  const { path, environment, checkout, home, identity } = start;
  const [program, ...args] = start.argv;
  const asked =
    identity === null ? {} : requestVariables({ port: await identity.port(), secret: identity.secret });
  const child = spawn(program, args, {
    cwd: checkout,
    env: { PATH: path, ...environment, HOME: home, ...asked },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  return { ...pipedProcess(child), watch: async () => null, files: null };
}

type Supervised = {
  readonly home: string;
  /** Ends what left the group, and removes the home. */
  readonly end: () => Promise<void>;
  readonly clock: Clock;
};

function superviseAgent(started: StartedAgent, supervised: Supervised): AgentProcess {
  const { input, output, complaints: errors, exited, files } = started;
  const { home, end: endHome, clock } = supervised;
  const killNow = () => started.signal("SIGKILL");
  running.add(started);
  if (running.size === 1) process.once("exit", killRunning);
  let complaints = "";
  errors.on("data", (chunk: Buffer) => {
    complaints = (complaints + chunk.toString("utf8")).slice(-MAX_STDERR_CHARS);
  });
  // An agent that does not read any more has ended, or is about to.
  input.on("error", () => undefined);

  const ended = exited.then(async (exit) => {
    // What it left behind in its group ends with it.
    killNow();
    await clock.sleep(DRAIN_MS, started.closed).catch(() => undefined);
    for (const stream of [output, errors]) stream.destroy();
    return exit;
  });

  const isGone = new AbortController();
  exited.then(() => isGone.abort());
  const passed = started.watch(isGone.signal);
  // Without a working watch the agent must not go on.
  passed.then((limit) => (limit === null ? undefined : killNow()), killNow);

  const takeHome: AgentFiles["takeHome"] = async (signal) => (await files?.takeHome(signal)) ?? true;
  const takeTree: AgentFiles["takeTree"] = async (signal) => (await files?.takeTree(signal)) ?? true;
  const endAll = async (graceMs: number) => {
    input.end();
    if (graceMs > 0) {
      started.signal("SIGTERM");
      await clock.sleep(graceMs, isGone.signal).catch(() => undefined);
    }
    killNow();
    await exited;
    // What a stopped run changed is still shown. Of one that has ended by itself it was brought before.
    await takeTree(AbortSignal.timeout(LAST_FILES_MS)).catch(() => undefined);
    // A process that left the group may hold the pipes.
    await endHome();
    await ended;
    running.delete(started);
    if (running.size === 0) process.removeListener("exit", killRunning);
  };
  let ending: Promise<void> | null = null;
  return {
    home,
    input,
    output,
    lastComplaint: () => lastComplaint(complaints),
    ended,
    passed,
    takeHome,
    takeTree,
    kill: async () => {
      killNow();
      await exited;
    },
    end: (graceMs) => {
      ending ??= endAll(graceMs);
      return ending;
    },
  };
}

function killRunning(): void {
  for (const agent of running) agent.signal("SIGKILL");
}
