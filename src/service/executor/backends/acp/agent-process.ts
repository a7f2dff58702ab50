// The process of an agent: a group of its own, a fresh home, and an ending that leaves nothing of it behind.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../../../../base/clock.ts";
import { endStragglers } from "./stragglers.ts";

const MAX_STDERR_CHARS = 8192;
/** A process that left the group may hold the pipes open; it is not waited for longer than this. */
const DRAIN_MS = 1_000;

/** The service may end before its agents have: then nobody is left to insist. */
const running = new Set<ChildProcess>();

export type AgentProcessOptions = {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** From `makeHome`. Removed at the end. */
  readonly home: string;
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
};

export type AgentExit =
  | { readonly type: "not_started"; readonly code: string }
  | { readonly type: "exited"; readonly exitCode: number | null; readonly signal: string | null };

export type AgentProcess = {
  readonly input: Writable;
  readonly output: Readable;
  /** The last line it wrote to its standard error. "" when there is none. */
  lastComplaint(): string;
  /** Resolves once it has ended and what it wrote can all be read. */
  readonly ended: Promise<AgentExit>;
  /** Ends it and all that it started: asks first, insists after `graceMs`. Safe to repeat. */
  end(graceMs: number): Promise<void>;
};

export async function makeHome(): Promise<string> {
  return await mkdtemp(join(tmpdir(), "agent-home-"));
}

/** For a home whose agent was not started: `end` removes that of one that was. */
export async function removeHome(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
}

/** Throws where its environment or its arguments are more than the system takes. */
export function startAgent(options: AgentProcessOptions): AgentProcess {
  const { home, clock } = options;
  const [program, ...args] = options.argv;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: {
      PATH: options.path,
      LANG: "C.UTF-8",
      TERM: "dumb",
      ...options.environment,
      HOME: home,
    },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const killNow = () => signalGroup(child, "SIGKILL");
  running.add(child);
  if (running.size === 1) process.once("exit", killRunning);
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaints = (complaints + chunk.toString("utf8")).slice(-MAX_STDERR_CHARS);
  });
  // Whoever does not read any more has ended, or is about to.
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

  const endAll = async (graceMs: number) => {
    const isGone = new AbortController();
    exited.then(() => isGone.abort());
    child.stdin.end();
    if (graceMs > 0) {
      signalGroup(child, "SIGTERM");
      await clock.sleep(graceMs, isGone.signal).catch(() => undefined);
    }
    killNow();
    await exited;
    await endStragglers(home);
    await ended;
    running.delete(child);
    if (running.size === 0) process.removeListener("exit", killRunning);
    await removeHome(home);
  };
  let ending: Promise<void> | null = null;
  return {
    input: child.stdin,
    output: child.stdout,
    lastComplaint: () => complaints.trimEnd().split("\n").at(-1)?.trim() ?? "",
    ended,
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
    // Nobody of the group is left.
  }
}
