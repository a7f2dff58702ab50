// Results of the attempts of a run: a line each for the log, a table for summary, comment and page. Pure.
// Commands, names of models and reasons are untrusted.

import { assertNever } from "../base/assert-never.ts";
import { singleLine } from "../base/untrusted-text.ts";
import type { Attempt, AttemptsEvent } from "../contract/runs/attempts.ts";
import { escapeMarkdown } from "./markdown.ts";
import { dollarsText, durationText } from "./quantities.ts";

const MAX_MODEL_CHARS = 80;
const MAX_COMMAND_CHARS = 60;
const MAX_REASON_CHARS = 300;

/** The columns of the table, in their order. */
export const attemptColumns = {
  attempt: "Attempt",
  model: "Model",
  checks: "Checks",
  cost: "Cost",
  time: "Time",
  result: "Result",
} as const;
type AttemptCells = Readonly<Record<keyof typeof attemptColumns, string>>;

/** Each attempt on one line. Before one is chosen, that they have begun. */
export function attemptNotes(value: AttemptsEvent["value"]): readonly string[] {
  const { attempts } = value;
  if (attempts.every(({ state }) => state === "running" || state === "not_started")) {
    const begun = attempts.filter(({ state }) => state === "running").length;
    return [`${begun} of ${attempts.length} attempts have begun, each a run of its own.`];
  }
  const lines = attempts.map((one) => {
    const { attempt, model, checks, cost, time, result } = cellsOf(one);
    const facts = [model, `checks ${checks}`, cost, time].filter((fact) => fact !== "");
    return `Attempt ${attempt} (${facts.join(", ")}): ${result}.`;
  });
  const judge = judgeNote(value);
  const verdict = verdictNote(value);
  return [...lines, ...(judge === null ? [] : [judge]), ...(verdict === null ? [] : [verdict])];
}

/** Markdown: a table with a row each, and what the judge said. "" where the run makes one attempt. */
export function attemptsSection(value: AttemptsEvent["value"] | null): string {
  if (value === null) return "";
  const names = Object.values(attemptColumns);
  const rows = value.attempts.map((one) => {
    const { attempt, model, checks, cost, time, result } = cellsOf(one);
    const cells = [
      attempt,
      escapeMarkdown(model),
      escapeMarkdown(checks),
      cost,
      time,
      escapeMarkdown(result),
    ];
    return `| ${cells.join(" | ")} ${one.is_chosen ? "✅ |" : "|"}`;
  });
  const table = [`| ${names.join(" | ")} |`, `| ${names.map(() => "---").join(" | ")} |`, ...rows].join("\n");
  const notes = [judgeNote(value), verdictNote(value)].filter((note) => note !== null);
  return [`**Attempts**`, table, ...notes.map((note) => escapeMarkdown(note))].join("\n\n");
}

/** Null where none was asked. */
export function judgeNote({ judge }: AttemptsEvent["value"]): string | null {
  if (judge === null) return null;
  const cost = dollars(judge.cost_usd);
  const at = cost === "" ? "" : ` (${cost})`;
  return judge.reason === null
    ? `The judge${at} gave no answer.`
    : `The judge${at}, which was not told the models: ${singleLine(judge.reason, MAX_REASON_CHARS)}`;
}

/** Null where the chosen attempt passes, and before one is chosen. */
export function verdictNote({ attempts }: AttemptsEvent["value"]): string | null {
  const chosen = attempts.find(({ is_chosen }) => is_chosen);
  if (chosen === undefined || chosen.checks?.state === "passed") return null;
  return chosen.checks?.state === "failed"
    ? "No attempt passes the checks."
    : "No check of the repository was executed: none is known, or nothing may be executed here.";
}

export function cellsOf(attempt: Attempt): AttemptCells {
  const { number, model, cost_usd, seconds } = attempt;
  return {
    attempt: String(number),
    model: model === null ? "the default" : singleLine(model, MAX_MODEL_CHARS),
    checks: checksCell(attempt),
    cost: dollars(cost_usd),
    time: seconds === null ? "" : durationText(seconds * 1000),
    result: resultOf(attempt),
  };
}

function checksCell({ checks }: Attempt): string {
  if (checks === null) return "not executed";
  const failed = checks.results.filter(({ exit_code: code }) => code !== 0);
  if (checks.state === "none") return "none";
  const [first] = failed;
  if (first === undefined) return `passed (${checks.results.length})`;
  const { command, exit_code: code } = first;
  const end = code === null ? "ended at a limit" : `exit code ${code}`;
  const more = failed.length === 1 ? "" : `, and ${failed.length - 1} more`;
  return `failed: ${singleLine(command, MAX_COMMAND_CHARS)}, ${end}${more}`;
}

function resultOf({ outcome, detail }: Attempt): string {
  switch (outcome) {
    case "pending":
      return "at work";
    case "only_one_left":
      return "chosen: the only one left";
    case "chosen_by_judge":
      return "chosen by the judge";
    case "same_changes":
      return "chosen: those that were left have changed the same";
    case "fewest_changes":
      return "chosen: the fewest changed lines, as the judge gave no answer";
    case "not_chosen":
      return "not chosen";
    case "checks_failed":
      return "lost: its checks fail";
    case "claimed_checks_passed":
      return "lost: it says that its checks pass, and they fail";
    case "too_late":
      return "cancelled: it took too long";
    case "failed":
      return `lost${detail === undefined ? "" : `: ${singleLine(detail, MAX_REASON_CHARS).replace(/\.$/, "")}`}`;
    case "not_started":
      return `not begun${detail === undefined ? "" : `: ${singleLine(detail, MAX_REASON_CHARS).replace(/\.$/, "")}`}`;
    default:
      return assertNever(outcome);
  }
}

function dollars(amount: number | null): string {
  return amount === null ? "" : dollarsText(amount * 1_000_000);
}
