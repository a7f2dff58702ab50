// One tool call on a run's page: a line, and folded below it what it was given and what it answered. Pure.

import { type Excerpt, headLines, lastChars } from "../../base/bounded-text.ts";
import { parseObject } from "../../base/json.ts";
import { singleLine } from "../../base/untrusted-text.ts";
import type { CheckKind } from "../../contract/runs/checks.ts";
import type { RunReport, ToolCall } from "../../report/run-report.ts";
import { MAX_TITLE_CHARS } from "../../report/tool-title.ts";
import { type Contents, type Element, el, said } from "../html/element.ts";
import { countText, durationText } from "../quantities.ts";
import { stateMarks, stateOf } from "./call-state.ts";

type CallPlace = {
  /** The page's path, without a slash at its end. */
  readonly base: string;
  /** Whether the call's arguments and result are on the page: those of a very long run are behind a link. */
  readonly calls: "whole" | "linked";
  readonly checks: ChecksByTitle;
};

/** What the run's commands check, by the titles of their calls. */
export type ChecksByTitle = ReadonlyMap<string, CheckKind>;

/** The most that the page has of one call's arguments, and of its result. */
const MAX_ARGS = { maxLines: 40, maxChars: 1_200 };
const MAX_RESULT = { maxLines: 40, maxChars: 2_000 };
/** The same of the end of a failed call's result. */
const MAX_END = { maxLines: 15, maxChars: 1_500 };
const MAX_ENDING_CHARS = 40;

const stateWords = { running: "is executed", "cut-off": "no result", failed: "failed", done: "" } as const;

const checkWords: Readonly<Record<CheckKind, string>> = {
  test: "tests",
  types: "type check",
  lint: "linter",
  build: "build",
  check: "checks",
};

/** As the record has them: commands that it counts as checks, wherever the run executed the same. */
export function checksByTitle({ checks }: Pick<RunReport, "checks">): ChecksByTitle {
  return new Map(
    (checks?.results ?? []).map(({ command, kind }) => [singleLine(`$ ${command}`, MAX_TITLE_CHARS), kind]),
  );
}

export function checkChip(kind: CheckKind): Element {
  return el("span", { class: "chip check" }, `☑ ${checkWords[kind]}`);
}

export function callElement(call: ToolCall, place: CallPlace): Element {
  const state = stateOf(call);
  const check = place.checks.get(call.title);
  const words = call.ending === null ? stateWords[state] : "";
  return el(
    "details",
    { class: state, open: state === "failed" ? true : undefined },
    el(
      "summary",
      {},
      el("span", { class: "mark" }, stateMarks[state]),
      " ",
      el("code", {}, said(call.title)),
      " ",
      call.ending === null ? null : [endingChip(call.ending, call.hasFailed), " "],
      words === "" ? null : el("span", { class: "state" }, `${words} `),
      elapsed(call.startedAtMs, call.endedAtMs),
      check === undefined ? null : checkChip(check),
    ),
    ...bodyOf(call, place),
  );
}

export function elapsed(startedAtMs: number, endedAtMs: number | null): Contents {
  if (endedAtMs === null) return null;
  return el("span", { class: "time" }, durationText(endedAtMs - startedAtMs));
}

/** "exit 1" for `exit code 1`; of a command that was ended at a limit how that is said begins. */
function endingChip(ending: string, hasFailed: boolean): Element {
  const text = ending.replace(/^exit code /, "exit ").split(/[,:]/)[0] ?? "";
  const shown = singleLine(text, MAX_ENDING_CHARS);
  return el("span", { class: hasFailed ? "chip bad" : "chip" }, shown);
}

function bodyOf(call: ToolCall, place: CallPlace): readonly Contents[] {
  if (place.calls === "linked") return [el("p", {}, wholeCall(call, place, "Arguments and result"))];
  const args = readable(call.args);
  const given =
    args.text === `command: ${call.title.slice(2)}` ? [] : part("Arguments", args, MAX_ARGS, { call, place });
  if (call.result === null) return given;
  if (call.hasFailed) return [...failure(call, call.result, place), ...given];
  return [...given, ...part("Result", call.result, MAX_RESULT, { call, place })];
}

/** How it failed is at the end of what it wrote. */
function failure(call: ToolCall, result: Excerpt, place: CallPlace): readonly Contents[] {
  const whole = call.resultEnd ?? result.text;
  const written = call.ending === null ? whole : whole.slice(0, Math.max(0, whole.lastIndexOf("\n")));
  const end = lastLines(written, MAX_END);
  if (end === written && call.resultEnd === null) return part("Result", result, MAX_RESULT, { call, place });
  return [
    el("p", { class: "label" }, "The end of its output"),
    el("pre", { tabindex: 0 }, said(end)),
    el("p", {}, wholeCall(call, place, "Result: all of it")),
  ];
}

function lastLines(text: string, { maxLines, maxChars }: typeof MAX_END): string {
  const lines = text.split("\n");
  return lastChars(lines.slice(-maxLines).join("\n"), maxChars);
}

function part(
  label: string,
  { text, omittedChars }: Excerpt,
  limits: { maxLines: number; maxChars: number },
  { call, place }: { call: ToolCall; place: CallPlace },
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

function wholeCall({ seq }: ToolCall, { base }: CallPlace, text: string): Element {
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
