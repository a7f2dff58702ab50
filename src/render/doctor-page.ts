// The doctor's page: the checks, their findings and the fixes, as text for a log and as Markdown for a summary. Pure. Every
// value may be untrusted, and stays text.

import { singleLine, visibleText } from "../base/untrusted-text.ts";
import {
  type CheckState,
  checkStates,
  type DoctorCheck,
  type DoctorFix,
  type DoctorPage,
} from "../report/doctor-page.ts";
import { escapeMarkdown, fence, inlineCode, link } from "./markdown.ts";

const MAX_VALUE_CHARS = 300;
const LINE_CHARS = 110;
const STATE_CHARS = Math.max(...checkStates.map((state) => state.length));
const GAP = "  ";

const marks: Readonly<Record<CheckState, string>> = { ok: "✅", warning: "⚠️", fault: "❌", skipped: "⏭️" };

/** Lines for a log, without a final line end. A runner takes no line of it for a command. */
export function renderDoctorText(page: DoctorPage): string {
  const titleChars = Math.max(0, ...page.checks.map(({ title }) => title.length));
  const checks = page.checks.map((check) => checkText(check, titleChars));
  return [`agent-service doctor ${page.version}, ${page.at}`, ...checks, verdictOf(page)].join("\n\n");
}

/** Markdown that ends with a newline: faults and warnings first, then every check, folded. */
export function renderDoctorMarkdown(page: DoctorPage): string {
  const rows = page.checks.map(
    ({ title, state, found }) =>
      `| ${marks[state]} | ${escapeMarkdown(title)} | ${escapeMarkdown(found, MAX_VALUE_CHARS)} |`,
  );
  const table = ["| | Check | Found |", "| --- | --- | --- |", ...rows].join("\n");
  const troubles = page.checks.filter(({ state, fixes }) => isTrouble(state) || fixes.length > 0);
  const details = page.checks.filter(({ facts }) => facts.length > 0);
  const sections = [
    `## ${marks[page.state]} Doctor: ${escapeMarkdown(verdictOf(page))}`,
    ...troubles.map(troubleMarkdown),
    table,
    ...(details.length === 0 ? [] : [detailsMarkdown(details)]),
  ];
  return `${sections.join("\n\n")}\n`;
}

/** One line: how many faults and warnings, and where to begin. */
export function verdictOf({ checks }: Pick<DoctorPage, "checks">): string {
  const of = (state: CheckState) => checks.filter((check) => check.state === state);
  const [faults, warnings, skipped] = [of("fault"), of("warning"), of("skipped")];
  const counts = [
    ...(faults.length === 0 ? [] : [count(faults.length, "fault")]),
    ...(warnings.length === 0 ? [] : [count(warnings.length, "warning")]),
  ];
  const first = faults[0] ?? warnings[0];
  const untried = skipped.length === 0 ? "" : `, ${skipped.length} not tried`;
  if (first === undefined) return `no trouble found${untried}.`;
  return `${counts.join(", ")}${untried}. Begin with "${first.title}".`;
}

function checkText(check: DoctorCheck, titleChars: number): string {
  const indent = " ".repeat(STATE_CHARS + titleChars + 2 * GAP.length);
  const head = check.state.padEnd(STATE_CHARS) + GAP + check.title.padEnd(titleChars) + GAP;
  const nameChars = Math.max(0, ...check.facts.map(({ name }) => name.length));
  const lines = [
    ...wrap(singleLine(check.found, 1_000), { first: head, rest: indent }),
    ...check.facts.flatMap(({ name, value }) =>
      wrap(singleLine(value, MAX_VALUE_CHARS), {
        first: `${indent}${name.padEnd(nameChars)}${GAP}`,
        rest: " ".repeat(indent.length + nameChars + GAP.length),
      }),
    ),
    ...check.fixes.flatMap((fix) => fixText(fix, indent)),
  ];
  return lines
    .map((line) => inertLine(line.trimEnd()))
    .join("\n")
    .trimEnd();
}

function fixText({ text, code, url }: DoctorFix, indent: string): string[] {
  const rest = `${indent}     `;
  return [
    ...wrap(singleLine(text, 1_000), { first: `${indent}Fix: `, rest }),
    ...(url === undefined ? [] : [`${rest}${singleLine(url, 2_000)}`]),
    ...(code === undefined ? [] : ["", ...codeLines(code).map((line) => `${rest}  ${line}`), ""]),
  ];
}

function troubleMarkdown({ title, state, found, fixes }: DoctorCheck): string {
  return [
    `### ${marks[state]} ${escapeMarkdown(title)}`,
    escapeMarkdown(found),
    ...fixes.flatMap(({ text, code, url }) => [
      escapeMarkdown(text),
      ...(url === undefined ? [] : [link(url, url)]),
      ...(code === undefined ? [] : [fence(codeLines(code).join("\n"), languageOf(code))]),
    ]),
  ].join("\n\n");
}

function detailsMarkdown(checks: readonly DoctorCheck[]): string {
  const rows = checks.flatMap(({ title, facts }) =>
    facts.map(
      ({ name, value }, index) =>
        `| ${index === 0 ? escapeMarkdown(title) : ""} | ${escapeMarkdown(name)} | ${inlineCode(singleLine(value, MAX_VALUE_CHARS))} |`,
    ),
  );
  const table = ["| Check | | |", "| --- | --- | --- |", ...rows].join("\n");
  return `<details><summary>What was seen</summary>\n\n${table}\n\n</details>`;
}

/** Code that begins with a key is YAML, all other code is for a shell. */
function languageOf(code: string): string {
  return /^\w[\w-]*:/.test(code) ? "yaml" : "sh";
}

function isTrouble(state: CheckState): boolean {
  return state === "fault" || state === "warning";
}

/** Wraps at spaces. A word longer than a line stays whole, so that an address can be copied. */
function wrap(text: string, { first, rest }: { first: string; rest: string }): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && line.length + 1 + word.length > LINE_CHARS) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

function codeLines(code: string): string[] {
  return visibleText(code).split("\n");
}

/** A runner executes `##[…]` anywhere in a line, and `::…` at its beginning. */
function inertLine(line: string): string {
  return line.replaceAll("##[", "## [").replace(/^(\s*)::/, "$1: :");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
