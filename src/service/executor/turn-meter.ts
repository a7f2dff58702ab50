// The meter of the turn of a run: what it has used by role and model, until it is over and can be told. Pure.
// Why: docs/decisions/164-turns-say-their-tokens.md

import {
  TURN_USAGE_EVENT,
  type TurnRole,
  type TurnUsage,
  type TurnUsageEvent,
  turnRoles,
} from "../../contract/runs/turn-usage.ts";
import type { SecretMask } from "./secret-mask.ts";

/** Another coding agent may name any number of models, and anything as their names. Those beyond it are counted together, by role. */
const MAX_USES = 20;
const MAX_MODEL_CHARS = 200;

/** For whom a turn makes a call, and the context window of the model; null where that is not known. */
export type TurnPart = { readonly role: TurnRole; readonly contextWindow: number | null };

/** One call, or with `calls` null as many as are reported together. */
export type TurnCall = TurnPart & {
  /** Null: nobody knows it. */
  readonly model: string | null;
  readonly inputTokens: number;
  /** The part of the input that came from a cache. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly calls: 1 | null;
};

type TurnUse = Omit<TurnUsage, "turn">;

export type TurnState = { readonly turn: number; readonly uses: readonly TurnUse[] };

export class TurnMeter {
  #state: TurnState = { turn: 1, uses: [] };

  /** What the turn has used so far. */
  get state(): TurnState {
    return this.#state;
  }

  /** Goes on from what another worker has counted. */
  resume(state: TurnState): void {
    this.#state = state;
  }

  count(call: TurnCall): void {
    const { turn, uses } = this.#state;
    const name = call.model?.slice(0, MAX_MODEL_CHARS);
    const of = (model: string | undefined) => (use: TurnUse) => use.role === call.role && use.model === model;
    const model = uses.some(of(name)) || uses.length < MAX_USES - turnRoles.length ? name : undefined;
    const before = uses.find(of(model));
    const after = sumOf(before, { ...call, model });
    this.#state = {
      turn,
      uses: before === undefined ? [...uses, after] : uses.map((use) => (use === before ? after : use)),
    };
  }

  /** Begins a turn. Returns what the one before has used; nothing where it is the same turn still. */
  begin(turn: number): readonly TurnUsage[] {
    return turn === this.#state.turn ? [] : this.#end(turn);
  }

  /** Ends the turn with its run. Returns what it has used. */
  end(): readonly TurnUsage[] {
    return this.#end(this.#state.turn);
  }

  #end(next: number): readonly TurnUsage[] {
    const { turn, uses } = this.#state;
    this.#state = { turn: next, uses: [] };
    return uses.map((use) => ({ turn, ...use }));
  }
}

/** The events that tell of turns, without what nothing of the run may show. */
export function turnEvents(turns: readonly TurnUsage[], secrets: SecretMask): readonly TurnUsageEvent[] {
  return turns.map((value) =>
    secrets.applyWithin<TurnUsageEvent>({ type: "CUSTOM", name: TURN_USAGE_EVENT, value }),
  );
}

function sumOf(
  before: TurnUse | undefined,
  call: Omit<TurnCall, "model"> & { readonly model: string | undefined },
): TurnUse {
  const { role, model, contextWindow, inputTokens, cachedInputTokens, outputTokens, calls } = call;
  const context = calls === null ? undefined : inputTokens + outputTokens;
  const largest = Math.max(before?.context_tokens ?? 0, context ?? 0);
  const window = contextWindow ?? before?.context_window;
  return {
    role,
    ...(model === undefined ? {} : { model }),
    ...(calls === null ? {} : { requests: (before?.requests ?? 0) + calls }),
    uncached_input_tokens: (before?.uncached_input_tokens ?? 0) + inputTokens - cachedInputTokens,
    cached_input_tokens: (before?.cached_input_tokens ?? 0) + cachedInputTokens,
    output_tokens: (before?.output_tokens ?? 0) + outputTokens,
    ...(context === undefined ? {} : { context_tokens: largest }),
    ...(window === undefined ? {} : { context_window: window }),
  };
}
