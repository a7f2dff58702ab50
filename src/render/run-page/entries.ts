// The entries of a run, in their order: messages of the agent, its tool calls, its steps, the service's notices. Pure.

import { assertNever } from "../../base/assert-never.ts";
import { type Excerpt, headLines } from "../../base/bounded-text.ts";
import { parseObject } from "../../base/json.ts";
import { maskSecrets } from "../../report/find-secrets.ts";
import type {
  AssistantMessage,
  Notice,
  Resumption,
  RunReport,
  Step,
  ToolCall,
} from "../../report/run-report.ts";
import { type Contents, type Element, el, said } from "../html/element.ts";
import { markdownElements } from "../html/markdown-elements.ts";
import { countText, durationText } from "../quantities.ts";
import { resumptionNote } from "../resumption-notes.ts";

export type Entry =
  | { readonly kind: "message"; readonly seq: number; readonly message: AssistantMessage }
  | { readonly kind: "call"; readonly seq: number; readonly call: ToolCall }
  | { readonly kind: "step"; readonly seq: number; readonly step: Step }
  | { readonly kind: "notice"; readonly seq: number; readonly notice: Notice };

type EntryPlace = {
  /** The page's path, without a slash at its end. */
  readonly base: string;
  /** Whether a call's arguments and result are on the page: those of a very long run are behind a link. */
  readonly calls: "whole" | "linked";
  /** A link to the form that forks the run at the turn which begins with it. Null: none does, or the reader may not. */
  readonly fork: Contents;
};

/** The most that the page has of one call's arguments, and of its result. */
const MAX_ARGS = { maxLines: 40, maxChars: 1_200 };
const MAX_RESULT = { maxLines: 40, maxChars: 2_000 };
/** Calls and messages that the page has whole: the newest. */
const WHOLE_ENTRIES = 400;

/** In the order of their beginnings. */
export function entriesOf(report: RunReport): readonly Entry[] {
  const entries: Entry[] = [
    ...report.messages.map((message): Entry => ({ kind: "message", seq: message.seq, message })),
    ...report.calls.map((call): Entry => ({ kind: "call", seq: call.seq, call })),
    ...report.steps.map((step): Entry => ({ kind: "step", seq: step.seq, step })),
    ...report.notices.map((notice): Entry => ({ kind: "notice", seq: notice.seq, notice })),
    ...report.resumptions.map(resumptionEntry),
  ];
  return entries.filter(isShown).sort((a, b) => a.seq - b.seq);
}

export function resumptionEntry(resumption: Resumption): Entry {
  const { seq } = resumption;
  return { kind: "notice", seq, notice: { seq, text: resumptionNote(resumption) } };
}

/** An answer that called a tool and said nothing is none. */
export function isShown(entry: Entry): boolean {
  return entry.kind !== "message" || entry.message.text.trim() !== "";
}

/** `forks` are links to the form that forks the run, by the `seq` of the entries that the turns begin with. */
export function entryList(
  entries: readonly Entry[],
  { base, forks }: Pick<EntryPlace, "base"> & { readonly forks: ReadonlyMap<number, Contents> },
): Element {
  const firstWhole = entries.length - WHOLE_ENTRIES;
  return el(
    "ol",
    { id: "entries", class: "entries" },
    ...entries.map((entry, index) =>
      entryElement(entry, {
        base,
        calls: index < firstWhole ? "linked" : "whole",
        fork: forks.get(entry.seq) ?? null,
      }),
    ),
  );
}

export function entryId(seq: number): string {
  return `e${seq}`;
}

export function entryElement(entry: Entry, place: EntryPlace): Element {
  const id = entryId(entry.seq);
  return el(
    "li",
    { id, class: `entry ${entry.kind}`, tabindex: -1 },
    entryBody(entry, place),
    place.fork,
    el("a", { class: "anchor", href: `#${id}`, "aria-label": `Link to event ${entry.seq}` }, "#"),
  );
}

function entryBody(entry: Entry, place: EntryPlace): Contents {
  switch (entry.kind) {
    case "message":
      return messageBody(entry.message);
    case "call":
      return callBody(entry.call, place);
    case "step": {
      const { name, startedAtMs, endedAtMs } = entry.step;
      return el("p", {}, el("strong", {}, said(name)), " ", elapsed(startedAtMs, endedAtMs));
    }
    case "notice":
      return el("p", { class: "faint" }, said(entry.notice.text));
    default:
      return assertNever(entry);
  }
}

function messageBody({ text, isWhole }: AssistantMessage): Element {
  if (isWhole) return el("div", { class: "said" }, ...markdownElements(text));
  return el("div", { class: "said open" }, said(maskSecrets(text)));
}

function callBody(call: ToolCall, place: EntryPlace): Element {
  const { title, hasFailed, startedAtMs, endedAtMs, result } = call;
  const state = stateOf(call);
  const words = { running: "is executed", "cut-off": "no result", failed: "failed", done: "" }[state];
  return el(
    "details",
    { class: state, open: hasFailed ? true : undefined },
    el(
      "summary",
      {},
      el("span", { class: "mark" }, { running: "◌", "cut-off": "–", failed: "✗", done: "✓" }[state]),
      " ",
      el("code", {}, said(title)),
      " ",
      words === "" ? null : el("span", { class: "state" }, `${words} `),
      elapsed(startedAtMs, endedAtMs),
    ),
    place.calls === "linked"
      ? el("p", {}, wholeCall(call, place, "Arguments and result"))
      : [
          ...part("Arguments", readable(call.args), MAX_ARGS, { call, place }),
          ...(result === null ? [] : part("Result", result, MAX_RESULT, { call, place })),
        ],
  );
}

function stateOf({ endedAtMs, isCutOff, hasFailed }: ToolCall): "running" | "cut-off" | "failed" | "done" {
  if (endedAtMs === null) return "running";
  if (isCutOff) return "cut-off";
  return hasFailed ? "failed" : "done";
}

function part(
  label: string,
  { text, omittedChars }: Excerpt,
  limits: { maxLines: number; maxChars: number },
  { call, place }: { call: ToolCall; place: EntryPlace },
): readonly Contents[] {
  if (text === "" && omittedChars === 0) return [];
  const { head, moreLines } = headLines(text, limits);
  const moreChars = text.length - head.length + omittedChars;
  const rest =
    moreLines > 0 ? `${countText(moreLines)} more lines` : `${countText(moreChars)} more characters`;
  return [
    el("p", { class: "label" }, label),
    head === "" ? null : el("pre", { tabindex: 0 }, said(head)),
    moreChars <= 0 ? null : el("p", {}, wholeCall(call, place, `${label}: ${rest}`)),
  ];
}

function wholeCall({ seq }: ToolCall, { base }: EntryPlace, text: string): Element {
  return el("a", { href: `${base}/calls/${seq}` }, text);
}

/** Arguments are JSON: one field a line, texts as they are. */
function readable(args: Excerpt): Excerpt {
  if (args.omittedChars > 0) return args;
  const value = parseObject(args.text);
  if (value === null) return args;
  const lines = Object.entries(value).map(([name, field]) => {
    const text = typeof field === "string" ? field : JSON.stringify(field, null, 2);
    return text.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
  });
  return { text: lines.join("\n"), omittedChars: 0 };
}

function elapsed(startedAtMs: number, endedAtMs: number | null): Contents {
  if (endedAtMs === null) return null;
  return el("span", { class: "time" }, durationText(endedAtMs - startedAtMs));
}
