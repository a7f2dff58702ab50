// A parked run on its page: what it waits for and until when, and for whoever may continue it a form. Pure.

import { singleLine } from "../../base/untrusted-text.ts";
import type { Parked, Run } from "../../contract/runs/run.ts";
import type { RunReport } from "../../report/run-report.ts";
import { type Contents, type Element, el, said } from "../html/element.ts";
import { markdownElements } from "../html/markdown-elements.ts";

const MAX_TEXT_CHARS = 300;
/** As long as a form may be. */
export const MAX_ANSWER_FORM_CHARS = 10_000;

export type ParkedPage = {
  readonly run: Run;
  readonly report: RunReport;
  /** The page's path, without a slash at its end. */
  readonly base: string;
  /** Whether the reader may continue the run. */
  readonly mayContinue: boolean;
};

/** Null while the run is not parked. */
export function parkedOf(run: Run): Parked | null {
  return run.status === "running" ? (run.parked ?? null) : null;
}

export function parkedSection(page: ParkedPage): readonly Contents[] {
  const parked = parkedOf(page.run);
  if (parked === null) return [];
  const { question } = page.report;
  const ending =
    parked.next_try_at === undefined
      ? "If nobody continues it, it ends with what it has done:"
      : "If it cannot go on until then, it ends with what it has done:";
  const asked = parked.reason === "question" ? question : null;
  return [
    el(
      "p",
      { class: "note warn" },
      `${singleLine(parked.how_to_continue, MAX_TEXT_CHARS)} Nobody works on it meanwhile. ${ending} `,
      timeElement(parked.until),
      ".",
    ),
    asked === null ? null : el("div", { class: "said card" }, ...markdownElements(asked.question)),
    ...(page.mayContinue ? forms(parked, page) : []),
  ];
}

function timeElement(at: string): Element {
  return el("time", { datetime: at }, `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`);
}

function forms(parked: Parked, { base, report }: ParkedPage): readonly Contents[] {
  const form = (...fields: readonly Contents[]) =>
    el("form", { method: "post", action: `${base}/resume` }, ...fields);
  switch (parked.reason) {
    case "question":
      return answerForms(parked, { form, choices: report.question?.choices ?? [] });
    case "max_cost":
      return [form(limitField("max_cost_usd", "Limit of cost in US dollars"), mainButton("Continue"))];
    case "max_tokens":
      return [form(limitField("max_turn_tokens", "Limit of tokens"), mainButton("Continue"))];
    default:
      return [form(mainButton("Continue"))];
  }
}

type Form = (...fields: readonly Contents[]) => Element;

/** Each says which question it answers: the run may have asked another one meanwhile. */
function answerForms(
  { since }: Parked,
  { form, choices }: { readonly form: Form; readonly choices: readonly string[] },
): readonly Contents[] {
  const which = hidden("asked_at", since);
  return [
    choices.length === 0
      ? null
      : el(
          "div",
          { class: "actions" },
          ...choices.map((choice) => form(which, hidden("message", choice), el("button", {}, said(choice)))),
        ),
    form(
      which,
      el("label", { for: "answer" }, "Answer"),
      el("textarea", { id: "answer", name: "message", maxlength: MAX_ANSWER_FORM_CHARS, required: true }),
      mainButton("Answer"),
    ),
  ];
}

function limitField(name: string, label: string): readonly Contents[] {
  return [
    el("label", { for: "limit" }, label),
    el("input", {
      id: "limit",
      name,
      inputmode: "decimal",
      autocomplete: "off",
      required: true,
      "aria-describedby": "limit-hint",
    }),
    el("p", { class: "hint", id: "limit-hint" }, "Of the whole run: what it has used so far counts."),
  ];
}

function hidden(name: string, value: string): Element {
  return el("input", { type: "hidden", name, value });
}

function mainButton(text: string): Element {
  return el("div", { class: "actions" }, el("button", { class: "main" }, text));
}
