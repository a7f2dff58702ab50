// The commands of a run that go on in the background: started, read, stopped and listed by the model's tools, and ended with the run.
// Why: docs/decisions/152-commands-in-the-background.md

import type { Clock } from "../../../base/clock.ts";
import type { Result } from "../../../base/result.ts";
import { singleLine } from "../../../base/untrusted-text.ts";
import type { RunEgress } from "../../core/egress/run-egress.ts";
import type {
  Sandbox,
  SandboxCommandGroup,
  SandboxedCheckout,
  SandboxRefusal,
  SandboxResult,
} from "../../core/ports/sandbox.ts";
import { reachesProxy } from "../../core/runs/shell-policy.ts";
import type { TaskIdentity } from "../backend.ts";
import { type IdentifiedTask, withoutTokens } from "./identified-task.ts";
import { UnreadOutput } from "./unread-output.ts";

export const MAX_PROCESSES = 4;
const MAX_UNREAD_CHARS = 30_000;
/** A command that fails at once is told of by the call that started it. */
const FAILS_WITHIN_MS = 1_000;
/** Longer than any run. */
const LONGEST_MS = 7 * 24 * 3_600_000;
const MAX_SHOWN_COMMAND_CHARS = 120;

type BackgroundParts = {
  readonly sandbox: Sandbox;
  readonly egress: RunEgress;
  /** Parts that the sandbox needs in addition to the tree. */
  readonly checkout: SandboxedCheckout;
  readonly runId: string;
  /** The run whose ID tokens commands ask for. Default: they get none. */
  readonly task?: IdentifiedTask;
  /** Of the run. */
  readonly signal: AbortSignal;
  readonly leftMs: () => number;
  readonly clock: Clock;
};

type Ending =
  | { readonly how: "ended"; readonly result: SandboxResult }
  | { readonly how: "refused"; readonly detail: string }
  | { readonly how: "stopped" }
  /** Its sandbox did. */
  | { readonly how: "failed" };

type BackgroundProcess = {
  readonly id: string;
  readonly command: string;
  readonly unread: UnreadOutput;
  readonly stopping: AbortController;
  /** Never rejects. */
  readonly ended: Promise<unknown>;
  ending: Ending | null;
  /** Whether the model knows that it has ended. */
  isToldOf: boolean;
  /** Called at the next piece of output, and at the end. */
  wake: () => void;
};

/** A process as it is now, with what it has written since it was last read. */
export type ProcessReading = {
  readonly id: string;
  readonly command: string;
  readonly output: string;
  /** Null: it goes on. */
  readonly ending: Ending | null;
};

export class BackgroundProcesses {
  readonly #parts: BackgroundParts;
  readonly #all = new Map<string, BackgroundProcess>();
  #identity: TaskIdentity | null = null;

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
  }

  /** Whether one of them may have changed files. */
  get hasAny(): boolean {
    return this.#all.size > 0;
  }

  /** For a command that is executed beside them. */
  get beside(): SandboxCommandGroup {
    return { name: this.#parts.runId, isBackground: false };
  }

  get ids(): readonly string[] {
    return [...this.#all.keys()];
  }

  get running(): readonly string[] {
    return [...this.#all.values()].filter(({ ending }) => ending === null).map(({ id }) => id);
  }

  /**
   * Resolves once it is executed, and a moment later: with its first output, and its end where it had one. Rejects as the sandbox does.
   * `call` is the place of its call in the run.
   */
  async start(
    { command, cwd }: { readonly command: string; readonly cwd: string },
    call: string | undefined,
  ): Promise<ProcessReading> {
    const { signal, clock } = this.#parts;
    signal.throwIfAborted();
    const begun = Promise.withResolvers<void>();
    const stopping = new AbortController();
    const unread = new UnreadOutput(MAX_UNREAD_CHARS);
    const execution = this.#execute({ command, cwd, unread, stopping, begun: begun.resolve });
    const started: BackgroundProcess = {
      id: `p${call ?? this.#all.size + 1}`,
      command,
      unread,
      stopping,
      ended: execution.then(
        (ended) => this.#end(started, endingOf(ended)),
        () => this.#end(started, { how: stopping.signal.aborted || signal.aborted ? "stopped" : "failed" }),
      ),
      ending: null,
      isToldOf: false,
      wake: () => {},
    };
    this.#all.set(started.id, started);
    // What the sandbox itself failed with is the call's error.
    await Promise.race([begun.promise, execution]).catch((cause: unknown) => {
      this.#all.delete(started.id);
      throw cause;
    });
    const early = new AbortController();
    const moment = clock.sleep(FAILS_WITHIN_MS, AbortSignal.any([signal, early.signal])).catch(() => {});
    await Promise.race([started.ended, moment]);
    early.abort();
    signal.throwIfAborted();
    return this.#take(started);
  }

  /** Waits up to `waitMs` for output, or for its end. Null: there is no such known. */
  async read(id: string, { waitMs }: { readonly waitMs: number }): Promise<ProcessReading | null> {
    const known = this.#all.get(id);
    if (known === undefined) return null;
    if (known.unread.isEmpty && known.ending === null && waitMs > 0) {
      const { signal, clock } = this.#parts;
      const woken = new AbortController();
      known.wake = () => woken.abort();
      await clock.sleep(waitMs, AbortSignal.any([signal, woken.signal])).catch(() => {});
      known.wake = () => {};
      signal.throwIfAborted();
    }
    return this.#take(known);
  }

  /** Resolves once nothing of it is left. Null: there is no such known. */
  async stop(id: string): Promise<ProcessReading | null> {
    const known = this.#all.get(id);
    if (known === undefined) return null;
    known.stopping.abort();
    await known.ended;
    return this.#take(known);
  }

  /** Without their output. */
  list(): readonly ProcessReading[] {
    return [...this.#all.values()].map((process) => {
      process.isToldOf = process.ending !== null;
      const { id, command, ending } = process;
      return { id, command, output: "", ending };
    });
  }

  /** Those that have ended, and of which the model was not told. It is now. */
  takeEnded(): readonly ProcessReading[] {
    return [...this.#all.values()]
      .filter(({ ending, isToldOf }) => ending !== null && !isToldOf)
      .map((process) => this.#take(process));
  }

  /** Ends them all. Resolves when nothing is left. Never rejects. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#all.values()].map(async ({ stopping, ended }) => {
        stopping.abort();
        await ended;
      }),
    );
  }

  async #execute(work: {
    readonly command: string;
    readonly cwd: string;
    readonly unread: UnreadOutput;
    readonly stopping: AbortController;
    readonly begun: () => void;
  }): Promise<Result<SandboxResult, SandboxRefusal>> {
    const { sandbox, egress, checkout, runId, task, signal, leftMs } = this.#parts;
    const { command, cwd, unread, stopping, begun } = work;
    const identity = (await task?.identity?.()) ?? null;
    this.#identity = identity;
    const egressSocket = reachesProxy(sandbox.kind) ? await egress.socket("agent") : null;
    const timeoutMs = Math.min(LONGEST_MS, Math.max(1, leftMs()));
    return await sandbox.run(checkout, {
      execute: { shell: command },
      cwd,
      env: {},
      egressSocket,
      identity: identity?.commands ?? null,
      timeoutMs,
      longestMs: timeoutMs,
      // It is kept here.
      maxOutputBytes: 0,
      onOutput: (piece) => {
        unread.add(piece);
        this.#wakeReader(unread);
      },
      onStart: begun,
      beside: { name: runId, isBackground: true },
      signal: AbortSignal.any([signal, stopping.signal]),
    });
  }

  #wakeReader(unread: UnreadOutput): void {
    for (const process of this.#all.values()) if (process.unread === unread) process.wake();
  }

  #end(process: BackgroundProcess, ending: Ending): void {
    process.ending = ending;
    process.wake();
  }

  #take(process: BackgroundProcess): ProcessReading {
    const { id, command, ending } = process;
    process.isToldOf = ending !== null;
    const output = withoutTokens(process.unread.take(), this.#parts.task, this.#identity);
    return { id, command, output, ending };
  }
}

function endingOf(ended: Result<SandboxResult, SandboxRefusal>): Ending {
  return ended.ok ? { how: "ended", result: ended.value } : { how: "refused", detail: ended.refusal.detail };
}

/** The command on one line, not whole where it is long. */
export function shownCommand(command: string): string {
  return JSON.stringify(singleLine(command, MAX_SHOWN_COMMAND_CHARS));
}
