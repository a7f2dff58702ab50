// The list of entries on the page of a run in flight: goes on from what the service drew, and draws what comes.

import { checkChip, checksByTitle } from "../../render/run-page/call-element.ts";
import { type Entry, entriesOf, entryId } from "../../render/run-page/entries.ts";
import { EntryList } from "../../render/run-page/entry-list.ts";
import type { GroupedRow } from "../../render/run-page/grouping.ts";
import { replySeq } from "../../render/run-page/reply-section.ts";
import type { PageRun } from "../../render/run-page/sections.ts";
import { redraw, toNode } from "./draw.ts";
import { openAround } from "./tools.ts";

/** With what the browser does for them, well below the 50 ms of a long task. */
const MAX_A_FRAME = 12;

export class LiveList {
  readonly #list: EntryList;
  readonly #node: HTMLElement | null = document.getElementById("entries");
  /** By the number of their first event. */
  readonly #changed = new Map<number, Entry>();
  /** Entries of the service's, which are not drawn again. */
  readonly #known: ReadonlySet<number>;
  /** What is known of it, before anything new is. */
  readonly #asKnown: ReturnType<EntryList["draw"]>;
  #drawn: ReturnType<EntryList["draw"]> | null = null;

  /** `page`: with what the service has drawn of the report. */
  constructor(page: PageRun) {
    const known = entriesOf(page.report);
    this.#known = new Set(known.map(({ seq }) => seq));
    this.#list = new EntryList({ base: page.base, facts: factsOf(page) });
    for (const entry of known) this.#list.keep(entry);
    this.#asKnown = this.#list.draw();
  }

  get rows(): readonly GroupedRow[] {
    return this.#list.rows;
  }

  change(entry: Entry): void {
    this.#changed.set(entry.seq, entry);
  }

  /** Draws a part of what has changed, as much as a frame has time for. False while there is more. */
  draw(): boolean {
    if (this.#changed.size === 0) return true;
    for (const [seq, entry] of [...this.#changed].slice(0, MAX_A_FRAME)) {
      this.#changed.delete(seq);
      this.#list.take(entry);
    }
    this.#redraw();
    return this.#changed.size === 0;
  }

  /** What is shown by more than the entries themselves: which of them is the reply, which commands are checks. */
  setFacts(page: PageRun): void {
    const facts = factsOf(page);
    this.#list.setFacts(facts);
    this.#redraw();
    for (const { seq, title } of page.report.calls) {
      const check = this.#known.has(seq) ? facts.checks.get(title) : undefined;
      if (check === undefined) continue;
      const summary = document.querySelector(`#${entryId(seq)} > .body > details:not(.thought) > summary`);
      if (summary?.querySelector(".check") === null) summary.append(toNode(checkChip(check)));
    }
  }

  #redraw(): void {
    const node = this.#node;
    if (node === null) return;
    const before = this.#drawn ?? this.#adopt(node);
    const place = placeOfReader(node);
    this.#drawn = this.#list.draw();
    redraw(node, before, this.#drawn);
    place.restore();
  }

  /** What the service has drawn may go on beyond what is known here: its last row is drawn anew. */
  #adopt(node: HTMLElement): ReturnType<EntryList["draw"]> {
    const known = this.#asKnown;
    const last = known.children.length - 1;
    const row = known.children[last];
    const drawn = row === undefined ? null : toNode(row);
    for (const child of [...node.children].slice(Math.max(0, last))) child.remove();
    if (drawn !== null) node.append(drawn);
    return known;
  }
}

function factsOf(page: PageRun) {
  return { reply: replySeq(page), checks: checksByTitle(page.report) };
}

/** A call that joins others in a fold moves, or is another node: what its reader has open in it, and the focus, are kept. */
function placeOfReader(node: HTMLElement): { restore(): void } {
  const open = [...(node.lastElementChild?.querySelectorAll(".call details[open]") ?? [])]
    .filter((details) => details.closest("details:not([open])") === null)
    .map((details) => ({ details, id: details.closest("[id]")?.id ?? "" }));
  const focused = document.activeElement;
  const at = focused !== null && node.contains(focused) ? focused.closest("[id]")?.id : undefined;
  return {
    restore() {
      for (const { details, id } of open)
        openAround(details.isConnected ? details : document.getElementById(id));
      if (at === undefined || focused?.isConnected === true) return;
      const again = document.getElementById(at);
      const same =
        focused === null || focused.id === at ? null : again?.querySelector<HTMLElement>(focused.tagName);
      (same ?? again)?.focus({ preventScroll: true });
    },
  };
}
