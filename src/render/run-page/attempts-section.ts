// The attempts of a run as a table of its page. Pure.

import type { AttemptsEvent } from "../../contract/runs/attempts.ts";
import { attemptColumns, cellsOf, judgeNote, verdictNote } from "../attempts.ts";
import { type Contents, el, said } from "../html/element.ts";

export function attemptsSection(value: AttemptsEvent["value"] | null): readonly Contents[] {
  if (value === null) return [];
  const columns = Object.entries(attemptColumns) as [keyof typeof attemptColumns, string][];
  const head = columns.map(([, name]) => el("th", {}, name));
  const rows = value.attempts.map((attempt) => {
    const cells = cellsOf(attempt);
    const shown = columns.map(([column]) =>
      el("td", {}, attempt.is_chosen && column === "result" ? `✅ ${cells[column]}` : cells[column]),
    );
    return el("tr", {}, ...shown);
  });
  const notes = [judgeNote(value), verdictNote(value)].filter((note) => note !== null);
  return [
    el("h2", {}, "Attempts"),
    el(
      "div",
      { class: "scroll", tabindex: 0 },
      el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)),
    ),
    ...notes.map((note) => el("p", {}, said(note))),
  ];
}
