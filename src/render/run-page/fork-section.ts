// Forks of a run on its page: a link at the first entry of each turn that is kept, and the form that makes a new run there. Pure.

import { singleLine } from "../../base/untrusted-text.ts";
import { maskSecrets } from "../../report/find-secrets.ts";
import { type Contents, type Element, el, said } from "../html/element.ts";
import type { Entry } from "./entries.ts";
import { MAX_ANSWER_FORM_CHARS } from "./parked-section.ts";

const MAX_TITLE_CHARS = 80;

/** The name in the page's address that chooses a turn in the form. */
export const FORK_PARAMETER = "fork";

type Turn = { readonly turn: number; readonly seq: number };

export type ForkPage = {
  /** At which it can be forked. Empty: it cannot be, or not by this reader. */
  readonly turns: readonly Turn[];
  readonly entries: readonly Entry[];
  /** The page's path, without a slash at its end. */
  readonly base: string;
  /** The ids of the service's models. */
  readonly models: readonly string[];
  /** As its address says; null: the last. */
  readonly chosen: number | null;
};

/** By the `seq` of the entries that the turns begin with. */
export function forkLinks({ turns, entries, base }: ForkPage): ReadonlyMap<number, Contents> {
  const links = new Map<number, Contents>();
  for (const { turn, seq } of turns) {
    const first = firstAfter(entries, seq);
    if (first !== undefined) links.set(first.seq, forkLink(turn, base));
  }
  return links;
}

/** Null where it cannot be forked. */
export function forkSection(page: ForkPage): Contents {
  const { turns, base, models, chosen } = page;
  const last = turns.at(-1);
  if (last === undefined) return null;
  const selected = turns.find(({ turn }) => turn === chosen) ?? last;
  return el(
    "section",
    { id: "fork" },
    el("h2", {}, "Fork"),
    el(
      "details",
      { open: chosen === null ? undefined : true },
      el("summary", {}, "Begin again at one of its turns"),
      el(
        "form",
        { method: "post", action: `${base}/fork` },
        el("label", { for: "fork-turn" }, "Begin at"),
        el(
          "select",
          { id: "fork-turn", name: "turn", "aria-describedby": "fork-hint" },
          ...turns.map((one) => option(String(one.turn), titleOf(one, page), one === selected)),
        ),
        el(
          "p",
          { class: "hint", id: "fork-hint" },
          "A new run has the conversation and the files as they were before that turn. This one is not changed.",
        ),
        el("label", { for: "fork-model" }, "Model"),
        el(
          "select",
          { id: "fork-model", name: "model" },
          option("", "As the agent has it", true),
          ...models.map((id) => option(id, id, false)),
        ),
        el("label", { for: "fork-message" }, "What it is told before that turn (may be empty)"),
        el("textarea", { id: "fork-message", name: "message", maxlength: MAX_ANSWER_FORM_CHARS }),
        el("div", { class: "actions" }, el("button", { class: "main" }, "Fork")),
      ),
    ),
  );
}

function forkLink(turn: number, base: string): Element {
  const href = `${base}?${FORK_PARAMETER}=${turn}#fork`;
  return el("a", { class: "fork", href }, `Fork at turn ${turn}`);
}

function titleOf({ turn, seq }: Turn, { entries }: ForkPage): Contents {
  const first = firstAfter(entries, seq);
  const what = first === undefined ? "" : entryTitle(first);
  return said(what === "" ? `Turn ${turn}` : `Turn ${turn}: ${singleLine(what, MAX_TITLE_CHARS)}`);
}

function firstAfter(entries: readonly Entry[], seq: number): Entry | undefined {
  return entries.find((entry) => entry.seq > seq && (entry.kind === "message" || entry.kind === "call"));
}

function entryTitle(entry: Entry): string {
  if (entry.kind === "message") return maskSecrets(entry.message.text);
  return entry.kind === "call" ? entry.call.title : "";
}

function option(value: string, text: Contents, isSelected: boolean): Element {
  return el("option", { value, selected: isSelected ? true : undefined }, text);
}
