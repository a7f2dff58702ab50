// The journal of the loop: before each request what the turn has changed, before a call that acts outside of the run that it
// is made. What is about to leave the process is kept before it is sent.
// Why: docs/decisions/140-a-run-outlives-its-process.md

import type { ModelMessage } from "ai";
import type { Clock } from "../../../../base/clock.ts";
import type { Checkout, KeptTree } from "../../../core/checkouts/checkout.ts";
import type { StorageFullError } from "../../../core/ports/storage-full.ts";
import type { TaskJournal } from "../../backend.ts";
import { RunStopped } from "../../stop-reason.ts";
import { untilRoom } from "../../until-room.ts";
import type { UsageMeter } from "../../usage-meter.ts";
import type { Conversation } from "./conversation.ts";
import type {
  BegunCall,
  CallJournal,
  CallsBody,
  GivenReply,
  KnownResult,
  LeftCalls,
  RequestJournal,
  SpendBody,
  TurnBody,
  WaitJournal,
} from "./loop-state.ts";
import type { PlannedCall } from "./spending.ts";

type LoopJournalOptions = {
  readonly journal: TaskJournal;
  readonly conversation: Conversation;
  readonly checkout: Checkout;
  readonly meter: UsageMeter;
  readonly instructions: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The turn that another worker has begun; 0 where none has. */
  readonly begunTurn: number;
};

type LoopPlace = Pick<TurnBody, "position" | "requests">;

export class LoopJournal implements RequestJournal, WaitJournal, CallJournal {
  readonly #options: LoopJournalOptions;
  /** As of the last entry. */
  #messages: readonly ModelMessage[] = [];
  readonly #planned = new Set<PlannedCall>();
  #tree: string | null;
  /** The last turn of which there is an entry. */
  #turn: number;
  #mayHaveChangedFiles = false;
  #left: LeftCalls | null = null;
  #state: (() => LoopPlace) | null = null;
  /** Entries in their order: each is committed before the next one is made. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: LoopJournalOptions) {
    this.#options = options;
    this.#tree = options.journal.left?.tree?.tree ?? null;
    this.#turn = options.begunTurn;
  }

  /** Whether another worker could go on with the run. */
  get isKept(): boolean {
    return this.#options.journal.isKept;
  }

  /** The place of the loop from now on. */
  at(state: () => LoopPlace): void {
    this.#state = state;
  }

  /** Files of the checkout may be others than in the last entry. */
  filesMayHaveChanged(): void {
    this.#mayHaveChangedFiles = true;
  }

  /**
   * To be called before each request, with what it may cost. Resolves once that is kept, with what is to be called after the
   * answer. Rejects with a RunStopped where the worker is to give the run back before its next turn.
   */
  async beforeRequest(planned: PlannedCall, { isTurn }: { readonly isTurn: boolean }): Promise<() => void> {
    return await this.#inTurn(async () => {
      const { journal } = this.#options;
      const isLeaving = isTurn && journal.isLeaving && journal.isKept;
      if (!isLeaving) this.#planned.add(planned);
      await (isTurn ? this.#keepTurn() : this.#keepSpend());
      if (isLeaving && journal.isKept) throw new RunStopped("handover");
      return () => this.#planned.delete(planned);
    });
  }

  async beforeWait(): Promise<void> {
    await this.#inTurn(() => this.#keepTurn());
  }

  /** Keeps the loop as it is: the run is about to be parked. Resolves once that is committed. */
  async keepStopped(): Promise<void> {
    await this.#inTurn(() => this.#keepTurn());
    this.#options.journal.complete();
  }

  /** To be called before each call that acts outside of the run. */
  async beforeCall(reply: GivenReply, { toolCallId, isRepeatable }: BegunCall): Promise<void> {
    await this.#inTurn(async () => {
      const { journal, meter } = this.#options;
      const { begun, again, ...left } = this.#left ?? { reply, known: [], begun: [], again: [] };
      this.#left = isRepeatable
        ? { ...left, begun, again: [...again, toolCallId] }
        : { ...left, begun: [...begun, toolCallId], again };
      const body: CallsBody = { ...this.#left, meter: meter.state, planned: [...this.#planned] };
      await journal.keep({ kind: "calls", body });
    });
  }

  /** The result of such a call: part of the next entry. */
  afterCall(result: KnownResult): void {
    if (this.#left !== null) this.#left = { ...this.#left, known: [...this.#left.known, result] };
  }

  /** What an earlier worker left of this turn. */
  resume(left: LeftCalls | null): void {
    this.#left = left;
  }

  async #keepTurn(): Promise<void> {
    const { journal, conversation, meter, instructions } = this.#options;
    if (this.#state === null || !journal.isKept) return;
    const { messages } = conversation;
    const before = this.#messages;
    const differs = before.findIndex((message, at) => message !== messages[at]);
    const isRewritten = differs >= 0;
    const from = isRewritten ? 0 : before.length;
    const isWhole = from === 0;
    const tree = this.#mayHaveChangedFiles ? await this.#keepTree() : undefined;
    if (!journal.isKept) return;
    const { position, requests } = this.#state();
    const body: TurnBody = {
      position,
      requests,
      meter: meter.state,
      messages: { from, added: messages.slice(from) },
      conversation: conversation.state,
      instructions: isWhole ? instructions : null,
      planned: [...this.#planned],
    };
    const { turn } = position;
    // The same turn once more is no progress: a run must not end one worker after the other by it.
    const kind = turn > this.#turn ? "turn" : "kept";
    await journal.keep({ kind, turn, body, isWhole, ...(tree === undefined ? {} : { tree }) });
    this.#turn = turn;
    this.#messages = messages;
    this.#mayHaveChangedFiles = false;
    this.#left = null;
    if (tree !== undefined) this.#tree = tree.tree;
  }

  async #keepSpend(): Promise<void> {
    const body: SpendBody = { meter: this.#options.meter.state, planned: [...this.#planned] };
    await this.#options.journal.keep({ kind: "spend", body });
  }

  /**
   * Undefined where they are as they were. Without the files no other worker could go on. A full disk is waited for. Then rejects with a
   * `StorageFullError`: what the turn could not write is written by repeating it.
   */
  async #keepTree(): Promise<KeptTree | undefined> {
    const { checkout, journal, signal, clock } = this.#options;
    const full: StorageFullError[] = [];
    const onFull = (cause: StorageFullError) => {
      full.push(cause);
      journal.waitsForRoom(cause);
    };
    let tree: KeptTree | null;
    try {
      tree = await untilRoom(() => checkout.keepTree(this.#tree, signal), { clock, signal, onFull });
    } catch (cause) {
      signal.throwIfAborted();
      await journal.giveUp(cause);
      return undefined;
    }
    if (full[0] !== undefined) throw full[0];
    return tree ?? undefined;
  }

  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return await done;
  }
}
