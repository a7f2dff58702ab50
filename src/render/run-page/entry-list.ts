// The list of a run's entries as an element, drawn whole or as the entries come: what has not changed is the same element as
// before, so that whoever draws it sees by identity where something is new. Pure.

import { maskSecrets } from "../../report/find-secrets.ts";
import { type Contents, type Element, el, said } from "../html/element.ts";
import { markdownElements } from "../html/markdown-elements.ts";
import { type ChecksByTitle, callElement, elapsed } from "./call-element.ts";
import { stateMarks, stateOf } from "./call-state.ts";
import { dataElements, dataIn } from "./data-elements.ts";
import {
  type CallEntry,
  type Entry,
  entryId,
  isShown,
  type MessageEntry,
  type ThoughtEntry,
} from "./entries.ts";
import { type GroupedRow, groupEntries, type Item, type Part, type ReadsPart } from "./grouping.ts";
import { readsText } from "./reads.ts";

/** Calls and messages that the page has whole: the newest. */
const WHOLE_ENTRIES = 400;

/** What the entries are drawn by, beside themselves. */
export type ListFacts = {
  /** The `seq` of the message that is shown as the reply, above the list. Null: none is. */
  readonly reply: number | null;
  readonly checks: ChecksByTitle;
};

type ListPlace = {
  /** The page's path, without a slash at its end. */
  readonly base: string;
  readonly facts: ListFacts;
  /** Links to the form that forks the run, by the `seq` of the entries that the turns begin with. */
  readonly forks?: ReadonlyMap<number, Contents>;
};

type Made = { readonly of: readonly Element[]; readonly element: Element };

/** In the order of their beginnings. */
export function entryList(entries: readonly Entry[], place: ListPlace): Element {
  const list = new EntryList(place, { wholeFrom: entries[entries.length - WHOLE_ENTRIES]?.seq ?? 0 });
  for (const entry of entries) list.take(entry);
  return list.draw();
}

export class EntryList {
  readonly #base: string;
  readonly #forks: ReadonlyMap<number, Contents>;
  readonly #wholeFrom: number;
  readonly #entries: Entry[] = [];
  /** By their ids. */
  readonly #made = new Map<string, Made>();
  /** Those that are on the page already, and are not drawn again. */
  readonly #kept = new Map<string, Element>();
  #facts: ListFacts;
  #rows: readonly GroupedRow[] = [];

  /** `wholeFrom`: calls before this `seq` are shown without arguments and result. */
  constructor({ base, facts, forks = new Map() }: ListPlace, { wholeFrom = 0 } = {}) {
    this.#base = base;
    this.#forks = forks;
    this.#facts = facts;
    this.#wholeFrom = wholeFrom;
  }

  /** As they were drawn last. */
  get rows(): readonly GroupedRow[] {
    return this.#rows;
  }

  /** An entry that is new, or has changed. */
  take(entry: Entry): void {
    if (!isShown(entry)) return;
    this.#forget(entry.seq);
    let at = this.#entries.length;
    while (at > 0 && (this.#entries[at - 1]?.seq ?? 0) > entry.seq) at -= 1;
    const isKnown = this.#entries[at - 1]?.seq === entry.seq;
    this.#entries.splice(isKnown ? at - 1 : at, isKnown ? 1 : 0, entry);
  }

  /** An entry that the page has, whatever is known of it here. */
  keep(entry: Entry): void {
    this.take(entry);
    const id = entryId(entry.seq);
    this.#kept.set(id, keptElement(id));
    if (entry.kind === "thought") this.#kept.set(thoughtKey(entry), keptElement(id));
  }

  setFacts(facts: ListFacts): void {
    const before = this.#facts;
    this.#facts = facts;
    if (before.reply !== facts.reply)
      for (const seq of [before.reply, facts.reply]) if (seq !== null) this.#forget(seq);
    if (before.checks === facts.checks) return;
    for (const { seq, call } of this.#entries.filter((entry) => entry.kind === "call"))
      if (before.checks.get(call.title) !== facts.checks.get(call.title) && !this.#kept.has(entryId(seq)))
        this.#forget(seq);
  }

  draw(): Element {
    this.#rows = groupEntries(this.#entries);
    return el("ol", { id: "entries", class: "entries" }, ...this.#rows.map((row) => this.#row(row)));
  }

  #forget(seq: number): void {
    for (const key of [entryId(seq), thoughtKey({ seq })]) {
      this.#made.delete(key);
      this.#kept.delete(key);
    }
  }

  #make(key: string, of: readonly Element[], make: () => Element): Element {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const before = this.#made.get(key);
    if (before?.of.length === of.length && before.of.every((one, at) => one === of[at]))
      return before.element;
    const element = make();
    this.#made.set(key, { of, element });
    return element;
  }

  #row(row: GroupedRow): Element {
    if (row.kind === "single") return this.#single(row.entry);
    const lead = row.lead === null ? [] : [this.#item(row.lead)];
    const parts = row.parts.map((part) => this.#part(part));
    return this.#make(row.id, [...lead, ...parts], () =>
      el(
        "li",
        { id: row.id, class: "turn" },
        ...lead,
        parts.length === 0 ? null : el("ol", { class: "calls" }, ...parts),
      ),
    );
  }

  #single(entry: Extract<GroupedRow, { kind: "single" }>["entry"]): Element {
    const id = entryId(entry.seq);
    return this.#make(id, [], () =>
      el(
        "li",
        { id, class: `entry ${entry.kind}`, tabindex: -1 },
        el("div", { class: "body" }, singleBody(entry)),
        anchor(id),
      ),
    );
  }

  #part(part: Part): Element {
    if (part.kind === "call") return this.#item(part.item);
    const items = part.items.map((item) => this.#item(item));
    return this.#make(part.id, items, () => readsElement(part, items));
  }

  #item(item: Item): Element {
    const { entry } = item;
    const id = entryId(entry.seq);
    const kept = this.#kept.get(id);
    if (kept !== undefined) return kept;
    const thoughts = item.thoughts.map((thought) =>
      this.#make(thoughtKey(thought), [], () => thoughtElement(thought, entryId(thought.seq))),
    );
    const tag = entry.kind === "message" ? "div" : "li";
    return this.#make(id, thoughts, () =>
      el(
        tag,
        { id, class: `entry ${entry.kind}`, tabindex: -1 },
        el("div", { class: "body" }, ...thoughts, this.#body(entry)),
        this.#forks.get(entry.seq) ?? null,
        anchor(id),
      ),
    );
  }

  #body(entry: MessageEntry | CallEntry): Contents {
    const { reply, checks } = this.#facts;
    if (entry.kind === "message") return entry.seq === reply ? replyAbove() : messageElement(entry);
    const calls = entry.seq < this.#wholeFrom ? "linked" : "whole";
    return callElement(entry.call, { base: this.#base, calls, checks });
  }
}

/** Stands for the element of this id that is on the page. */
function keptElement(id: string): Element {
  return el("li", { id, "data-kept": true });
}

function thoughtKey({ seq }: Pick<ThoughtEntry, "seq">): string {
  return `thought ${seq}`;
}

function anchor(id: string): Element {
  return el("a", { class: "anchor", href: `#${id}`, "aria-label": `Link to event ${id.slice(1)}` }, "#");
}

function singleBody(entry: Extract<GroupedRow, { kind: "single" }>["entry"]): Contents {
  if (entry.kind === "thought") return thoughtElement(entry);
  if (entry.kind === "notice") return el("p", { class: "faint" }, said(entry.notice.text));
  const { name, startedAtMs, endedAtMs } = entry.step;
  return el("p", {}, el("strong", {}, said(name)), " ", elapsed(startedAtMs, endedAtMs));
}

function thoughtElement({ thought: { text, startedAtMs, endedAtMs } }: ThoughtEntry, id?: string): Element {
  return el(
    "details",
    { id, class: "thought" },
    el("summary", {}, endedAtMs === null ? "Thinks" : "Thought ", elapsed(startedAtMs, endedAtMs)),
    el("div", { class: "said open" }, said(maskSecrets(text))),
  );
}

function messageElement({ message: { text, isWhole } }: MessageEntry): Element {
  if (!isWhole) return el("div", { class: "said open" }, said(maskSecrets(text)));
  const data = dataIn(text);
  return el(
    "div",
    { class: "said" },
    ...(data === undefined ? markdownElements(text) : [dataElements(data)]),
  );
}

function replyAbove(): Element {
  return el("p", { class: "faint" }, el("a", { href: "#reply" }, "The reply is above."));
}

function readsElement({ id, items }: ReadsPart, elements: readonly Element[]): Element {
  const calls = items.map(({ entry }) => entry.call);
  const running = calls.findLast((call) => stateOf(call) === "running");
  const state = running === undefined ? "done" : "running";
  return el(
    "li",
    { id, class: "entry reads", tabindex: -1 },
    el(
      "div",
      { class: "body" },
      el(
        "details",
        { class: state },
        el(
          "summary",
          {},
          el("span", { class: "mark" }, stateMarks[state]),
          ` ${readsText(calls)} `,
          running === undefined ? null : [el("code", {}, said(running.title)), " "],
          elapsed(...spanOf(calls)),
        ),
        el("ol", { class: "calls" }, ...elements),
      ),
    ),
    anchor(id),
  );
}

/** From the first one's beginning to the last one's end; null while one is under way. */
export function spanOf(
  calls: readonly { readonly startedAtMs: number; readonly endedAtMs: number | null }[],
): [number, number | null] {
  const startedAtMs = Math.min(...calls.map((call) => call.startedAtMs));
  const ends = calls.map((call) => call.endedAtMs ?? Number.POSITIVE_INFINITY);
  const endedAtMs = Math.max(...ends);
  return [startedAtMs, Number.isFinite(endedAtMs) ? endedAtMs : null];
}
