// The rows of a run's list and of its timeline: what the agent said stands with the calls that follow, and calls in a row that
// only read are one. Pure.

import { stateOf } from "./call-state.ts";
import type { CallEntry, Entry, MessageEntry, ThoughtEntry } from "./entries.ts";
import { isRead } from "./reads.ts";

/** A message or call, with what was thought right before it. */
export type Item<Of extends MessageEntry | CallEntry = MessageEntry | CallEntry> = {
  readonly entry: Of;
  readonly thoughts: readonly ThoughtEntry[];
};
type CallItem = Item<CallEntry>;

export type ReadsPart = { readonly kind: "reads"; readonly id: string; readonly items: readonly CallItem[] };
export type Part = { readonly kind: "call"; readonly item: CallItem } | ReadsPart;

/** `lead` is what the agent said before the calls; null where it said nothing. `id` does not change while a row grows. */
export type TurnRow = {
  readonly kind: "turn";
  readonly id: string;
  readonly lead: Item<MessageEntry> | null;
  readonly parts: readonly Part[];
};
export type GroupedRow =
  | TurnRow
  | { readonly kind: "single"; readonly entry: Exclude<Entry, MessageEntry | CallEntry> };

/** `entries` in the order of their beginnings. */
export function groupEntries(entries: readonly Entry[]): readonly GroupedRow[] {
  const rows: GroupedRow[] = [];
  let thoughts: ThoughtEntry[] = [];
  let turn: { lead: Item<MessageEntry> | null; calls: CallItem[] } | null = null;
  const takeThoughts = (): readonly ThoughtEntry[] => {
    const taken = thoughts;
    thoughts = [];
    return taken;
  };
  const endTurn = () => {
    if (turn !== null) rows.push(turnRow(turn.lead, turn.calls));
    turn = null;
  };
  /** Thoughts that nothing follows, so far. */
  const endThoughts = () => {
    for (const entry of takeThoughts()) rows.push({ kind: "single", entry });
  };
  for (const entry of entries) {
    switch (entry.kind) {
      case "thought":
        thoughts.push(entry);
        break;
      case "message":
        endTurn();
        turn = { lead: { entry, thoughts: takeThoughts() }, calls: [] };
        break;
      case "call":
        turn ??= { lead: null, calls: [] };
        turn.calls.push({ entry, thoughts: takeThoughts() });
        break;
      default:
        endTurn();
        endThoughts();
        rows.push({ kind: "single", entry });
    }
  }
  endTurn();
  endThoughts();
  return rows;
}

function turnRow(lead: Item<MessageEntry> | null, calls: readonly CallItem[]): TurnRow {
  const first = lead ?? calls[0];
  return { kind: "turn", id: `t${first?.entry.seq ?? 0}`, lead, parts: partsOf(calls) };
}

/** Two reads or more in a row are folded. What failed or has no result stands by itself: nobody is to miss it. */
function partsOf(calls: readonly CallItem[]): readonly Part[] {
  const parts: Part[] = [];
  let reads: CallItem[] = [];
  const endReads = () => {
    const [first, ...more] = reads;
    reads = [];
    if (first === undefined) return;
    if (more.length === 0) parts.push({ kind: "call", item: first });
    else parts.push({ kind: "reads", id: `r${first.entry.seq}`, items: [first, ...more] });
  };
  for (const item of calls) {
    const { call } = item.entry;
    const state = stateOf(call);
    if (isRead(call) && (state === "done" || state === "running")) reads.push(item);
    else {
      endReads();
      parts.push({ kind: "call", item });
    }
  }
  endReads();
  return parts;
}
