// The journal of a coding agent at work: again and again its home, its files and its thread, and in between what it spends and
// the calls that it begins outside of the run.
// Why: docs/decisions/142-coding-agents-outlive-their-worker.md

import type { Clock } from "../../../../../base/clock.ts";
import { type Checkout, CheckoutError } from "../../../../core/checkouts/checkout.ts";
import type { AgentFiles } from "../../../../core/ports/agent-start.ts";
import type { BackendTask, TaskJournal } from "../../../backend.ts";
import type { RequestJournal } from "../../model/loop-state.ts";
import type { PlannedCall } from "../../model/spending.ts";
import type { CallListener } from "../run-stream.ts";
import type { ReportedUsage } from "../turn-usage.ts";
import { type KeptHome, keepHome } from "./kept-home.ts";
import type { AgentBody, AgentStep, CallBody, OutsideCall, SpentBody } from "./left-agent.ts";

/** Of the last entry, when the service stops. */
const LAST_ENTRY_MS = 1_500;

/** What only the turn knows. */
export type AgentPlace = {
  readonly step: AgentStep;
  readonly sessionId: string;
  readonly thread: string;
  readonly hasAnswered: boolean;
  readonly reported: ReportedUsage;
};

type AgentJournalOptions = {
  readonly journal: TaskJournal;
  readonly checkout: Checkout;
  readonly task: Pick<BackendTask, "meter" | "secrets" | "signal">;
  readonly clock: Clock;
  /** Between two entries while a prompt is at work. */
  readonly everyMs: number;
  /** Calls of earlier workers whose results are not known. */
  readonly unknown: readonly OutsideCall[];
};

/** Kinds of calls that act on the run's own files alone, by the protocol. */
const insideKinds: ReadonlySet<string> = new Set(["read", "edit", "delete", "move", "search", "think"]);

/** Has the journal keep each call that may act outside of the run. */
export function outsideCalls(journal: AgentJournal): CallListener {
  return {
    begins: async ({ kind, ...call }) => {
      if (kind === null || !insideKinds.has(kind)) await journal.beginCall(call);
    },
    ended: (id) => journal.endCall(id),
  };
}

/** Where the agent works. */
type AgentAtWork = {
  /** On this machine. */
  readonly home: string;
  /** Bring what it has changed elsewhere. */
  readonly files: AgentFiles;
  /** The folder of its session, as it sees it. */
  readonly cwd: string;
  readonly place: () => AgentPlace | null;
};

export class AgentJournal implements RequestJournal {
  readonly #options: AgentJournalOptions;
  readonly #planned = new Set<PlannedCall>();
  #atWork: AgentAtWork | null = null;
  #reported: ReportedUsage;
  #tree: string | null;
  #tooLarge: string | null = null;
  /** Calls that were begun and have not ended. */
  readonly #open = new Map<string, OutsideCall>();
  /** Those that were begun since the last look at the agent's session: it need not have them. */
  #begun: readonly OutsideCall[];
  /** Entries in their order: each is committed before the next one is made. */
  #last: Promise<unknown> = Promise.resolve();
  /** One look at the files at a time. */
  #looking: Promise<unknown> = Promise.resolve();

  constructor(options: AgentJournalOptions) {
    this.#options = options;
    this.#begun = options.unknown;
    this.#reported = { tokens: 0, microUsd: 0 };
    // Another name than that of any tree: what the files are at first is kept, whatever it is.
    this.#tree = options.journal.left?.tree?.tree ?? "";
  }

  get isLeaving(): boolean {
    const { journal } = this.#options;
    return journal.isLeaving && journal.isKept;
  }

  /** From now on the agent works there. The agent before is gone. */
  at(atWork: AgentAtWork): void {
    this.#atWork = atWork;
    this.#open.clear();
  }

  /** Keeps an entry again and again until the signal aborts. */
  async keepUntil(done: AbortSignal): Promise<void> {
    const { clock, everyMs } = this.#options;
    for (;;) {
      await clock.sleep(everyMs, done);
      await this.keep("kept");
    }
  }

  /** Keeps all of it. One that cannot be made is left out: the entries before it stay. */
  async keep(kind: "kept" | "turn", signal: AbortSignal = this.#options.task.signal): Promise<void> {
    const looked = this.#looking.then(() => this.#keep(kind, signal));
    this.#looking = looked.catch(() => undefined);
    await looked;
  }

  /** The last entry of a service that stops. The agent has ended, and its home is there. */
  async keepLast(): Promise<void> {
    await this.keep("kept", AbortSignal.timeout(LAST_ENTRY_MS)).catch(() => undefined);
  }

  /** To be called before each request to the model. Resolves with what is to be called after the answer. */
  async beforeRequest(planned: PlannedCall): Promise<() => void> {
    this.#planned.add(planned);
    await this.#inTurn(async () => {
      await this.#options.journal.keep({ kind: "spend", body: this.#spent });
    });
    return () => this.#planned.delete(planned);
  }

  /** To be called with each report of what the agent has used. */
  async spent(reported: ReportedUsage): Promise<void> {
    this.#reported = reported;
    await this.#inTurn(async () => {
      await this.#options.journal.keep({ kind: "spend", body: this.#spent });
    });
  }

  /** To be called before a call that acts outside of the run. */
  async beginCall(call: OutsideCall): Promise<void> {
    this.#open.set(call.id, call);
    this.#begun = [...this.#begun, call];
    await this.#inTurn(async () => {
      const body: CallBody = { ...this.#spent, call };
      await this.#options.journal.keep({ kind: "calls", body });
    });
  }

  /** Calls whose results an agent that takes up this one's work does not know. */
  get openCalls(): readonly OutsideCall[] {
    return [...this.#open.values()];
  }

  endCall(id: string): void {
    this.#open.delete(id);
  }

  get #spent(): SpentBody {
    const { meter } = this.#options.task;
    return { meter: meter.state, planned: [...this.#planned], reported: this.#reported };
  }

  async #keep(kind: "kept" | "turn", signal: AbortSignal): Promise<void> {
    const { journal, checkout, task } = this.#options;
    const place = this.#atWork?.place() ?? null;
    if (this.#atWork === null || place === null || !journal.isKept) return;
    const before = this.#begun;
    const open = [...this.#open.values()];
    this.#begun = [];
    try {
      // The home first: a session must not speak of files that are not there.
      const { files, cwd } = this.#atWork;
      const home = await this.#keepHome(this.#atWork, signal);
      if (!(await files.takeTree(signal)))
        throw new CheckoutError("The agent has changed more than its sandbox may hold.");
      const tree = await checkout.keepTree(this.#tree, signal);
      signal.throwIfAborted();
      await this.#inTurn(async () => {
        const body: AgentBody = {
          ...this.#spent,
          ...place,
          cwd,
          thread: task.secrets.apply(place.thread),
          home,
          unknown: [...open, ...this.#begun],
        };
        const { folderName } = checkout;
        const files = tree === null ? {} : { tree };
        await journal.keep({ kind, body, isWhole: true, folderName, ...files });
      });
      if (tree !== null) this.#tree = tree.tree;
    } catch (cause) {
      this.#begun = [...before, ...this.#begun];
      task.signal.throwIfAborted();
      journal.passOver(cause);
    }
  }

  /** Null where it cannot be read, too: the thread takes its place. One that was too large is not looked at again. */
  async #keepHome({ home, files }: AgentAtWork, signal: AbortSignal): Promise<KeptHome | null> {
    if (this.#tooLarge === home) return null;
    try {
      const isTaken = await files.takeHome(signal);
      const kept = !isTaken ? null : await keepHome(home, this.#options.task.secrets);
      if (kept === null) this.#tooLarge = home;
      return kept;
    } catch {
      return null;
    }
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    await done;
  }
}
