// An agent's process: its own process group, a fresh home folder, and an end that leaves nothing behind.

import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../../../../base/clock.ts";
import { lastComplaint } from "../../../../base/last-complaint.ts";
import type { HiddenFile } from "../../../core/checkouts/checkout.ts";
import type { CoveredFiles } from "../../../core/ports/covered-files.ts";
import type { CommandIdentity } from "../../../core/ports/sandbox.ts";
import { requestVariables } from "../../../core/run-identity/request-variables.ts";
import type { AgentsModel } from "./agents-model.ts";
import { writeCopies } from "./hidden-files.ts";
import type { AcpSettings, AgentStart, ConfinedAgent, PassedLimit } from "./settings.ts";
import { bringHomeBack, type KeptHome } from "./taken-up/kept-home.ts";

const MAX_STDERR_CHARS = 8192;
/** A process that left the group may hold the pipes open; this is the longest wait for it. */
const DRAIN_MS = 1_000;

/** When the service itself ends, agents are killed at once: nobody would be left to do it later. */
const running = new Set<ChildProcess>();

type AgentProcessOptions = {
  readonly settings: Pick<AcpSettings, "path" | "homes" | "confine">;
  readonly model: Pick<AgentsModel, "command" | "environment" | "socket">;
  /** Files that it finds in its home, as text. */
  readonly hidden: readonly HiddenFile[];
  /** The folder in which it is started. */
  readonly checkout: string;
  /** Git's own folder, where it lies outside of the checkout. */
  readonly gitFolder: string | null;
  readonly covered: CoveredFiles | undefined;
  /** The proxy to what else the run may reach. Null: nothing. */
  readonly egressSocket: string | null;
  /** Where its commands ask for ID tokens of the run. Default: nowhere. */
  readonly identity?: CommandIdentity | null;
  readonly clock: Clock;
  /** The home of an earlier process of the run. Default: it gets an empty one. */
  readonly keptHome?: KeptHome | null;
};

type AgentExit =
  | { readonly type: "not_started"; readonly code: string }
  | { readonly type: "exited"; readonly exitCode: number | null; readonly signal: string | null };

export type AgentProcess = {
  /** Its home folder, absolute. */
  readonly home: string;
  readonly input: Writable;
  readonly output: Readable;
  /** The last line it wrote to its standard error. "" when there is none. */
  lastComplaint(): string;
  /** Resolves once it has ended and what it wrote can all be read. */
  readonly ended: Promise<AgentExit>;
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
  const {
    settings,
    model,
    hidden,
    checkout,
    gitFolder,
    covered,
    egressSocket,
    identity = null,
    clock,
    keptHome = null,
  } = options;
  const { homes, confine, path } = settings;
  const home = await homes.make(keptHome?.name);
  const start: AgentStart = {
    argv: model.command,
    environment: { PATH: path, LANG: "C.UTF-8", TERM: "dumb", ...model.environment, HOME: home },
    checkout,
    home,
    gitFolder,
    covered,
    modelSocket: model.socket,
    egressSocket,
    identity,
  };
  try {
    if (keptHome !== null) await bringHomeBack(home, keptHome);
    await writeCopies(home, hidden);
    const started = await (confine ?? startBeside)(start);
    return superviseAgent(started, { home, end: () => homes.remove(home), clock });
  } catch (cause) {
    await homes.remove(home);
    throw cause;
  }
}

async function startBeside({ argv, environment, checkout, identity }: AgentStart): Promise<ConfinedAgent> {
  const [program, ...args] = argv;
  const asked =
    identity === null ? {} : requestVariables({ port: await identity.port(), secret: identity.secret });
  const child = spawn(program, args, {
    cwd: checkout,
    env: { ...environment, ...asked },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  return { child, watch: async () => null };
}

type Supervised = {
  readonly home: string;
  /** Ends what left the group, and removes the home. */
  readonly end: () => Promise<void>;
  readonly clock: Clock;
};

function superviseAgent(confined: ConfinedAgent, supervised: Supervised): AgentProcess {
  const { child, watch } = confined;
  const { home, end: endHome, clock } = supervised;
  const killNow = () => signalGroup(child, "SIGKILL");
  running.add(child);
  if (running.size === 1) process.once("exit", killRunning);
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaints = (complaints + chunk.toString("utf8")).slice(-MAX_STDERR_CHARS);
  });
  // An agent that does not read any more has ended, or is about to.
  child.stdin.on("error", () => undefined);

  const exited = new Promise<AgentExit>((resolve) => {
    child.once("error", (cause: NodeJS.ErrnoException) => {
      if (child.pid === undefined) resolve({ type: "not_started", code: cause.code ?? "unknown" });
    });
    child.once("exit", (exitCode, signal) => resolve({ type: "exited", exitCode, signal }));
  });
  const closed = new AbortController();
  child.once("close", () => closed.abort());
  const ended = exited.then(async (exit) => {
    // What it left behind in its group ends with it.
    killNow();
    if (exit.type === "not_started") closed.abort();
    await clock.sleep(DRAIN_MS, closed.signal).catch(() => undefined);
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    return exit;
  });

  const isGone = new AbortController();
  exited.then(() => isGone.abort());
  const passed = watch(isGone.signal);
  // Without a working watch the agent must not go on.
  passed.then((limit) => (limit === null ? undefined : killNow()), killNow);

  const endAll = async (graceMs: number) => {
    child.stdin.end();
    if (graceMs > 0) {
      signalGroup(child, "SIGTERM");
      await clock.sleep(graceMs, isGone.signal).catch(() => undefined);
    }
    killNow();
    await exited;
    // A process that left the group may hold the pipes.
    await endHome();
    await ended;
    running.delete(child);
    if (running.size === 0) process.removeListener("exit", killRunning);
  };
  let ending: Promise<void> | null = null;
  return {
    home,
    input: child.stdin,
    output: child.stdout,
    lastComplaint: () => lastComplaint(complaints),
    ended,
    passed,
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
  for (const child of running) signalGroup(child, "SIGKILL");
}

function signalGroup(child: ChildProcess, name: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, name);
  } catch {
    // The group is empty.
  }
}
