// The output of the failed steps of a job, cut out of the job's log and made fit for a prompt: no timestamps, no colours, no
// secrets, a beginning and an end within a bound. In time linear in the log. Pure.

import { visibleText, wholeChars } from "../../base/untrusted-text.ts";
import { maskSecrets } from "../../report/find-secrets.ts";

/** As GitHub's API has it. Times are ISO 8601 in whole seconds, null for a step that did not start. */
type LoggedStep = {
  readonly name: string;
  readonly conclusion: string | null;
  readonly started_at?: string | null | undefined;
  readonly completed_at?: string | null | undefined;
};

/** The end says most: a test runner's summary, a compiler's last error. */
const HEAD_CHARS = 4_000;
const TAIL_CHARS = 16_000;
/** So much of each end is looked at for secrets and colours, which are longer than what is left of them. */
const READ_CHARS = 500_000;

const STAMP = /^\uFEFF?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z /;
const SECOND_CHARS = "2026-01-15T09:30:00".length;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are what this looks for.
const TERMINAL = /\x1B(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1B]*(?:\x07|\x1B\\))/g;
const BEGINS_STEP = /^(?:##\[group\]Run |Post job cleanup\.)/;

export function failedSteps(steps: readonly LoggedStep[]): readonly LoggedStep[] {
  return steps.filter(({ conclusion }) => conclusion === "failure" || conclusion === "timed_out");
}

/** The output of the failed steps; the whole log where their times select nothing of it. At most some 20,000 characters. */
export function failedStepsLog(log: string, steps: readonly LoggedStep[]): string {
  const lines = stampedLines(log);
  const cut = failedSteps(steps).flatMap((step) => linesOf(step, lines));
  const shown = (cut.length === 0 ? lines : cut).map(({ text }) => text);
  return headAndTail(maskSecrets(readable(ends(shown.join("\n")))));
}

/** `second`: when it was printed, to the second; that of the line before where it has no stamp. */
type LogLine = { readonly second: string; readonly text: string };

function stampedLines(log: string): LogLine[] {
  let second = "";
  return log.split("\n").map((line) => {
    const stamp = STAMP.exec(line);
    second = stamp?.[1] ?? second;
    return { second, text: line.slice(stamp?.[0].length ?? 0) };
  });
}

/** The log does not say where a step begins; neighbours that share its first or last second are cut by their own marks. */
function linesOf(
  { started_at: startedAt, completed_at: completedAt }: LoggedStep,
  lines: readonly LogLine[],
): LogLine[] {
  const from = secondOf(startedAt);
  const to = secondOf(completedAt);
  if (from === null || to === null) return [];
  const during = lines.filter(({ second }) => second >= from && second <= to);
  const first = during.findIndex(({ second, text }) => second !== from || BEGINS_STEP.test(text));
  const own =
    during[first] !== undefined && BEGINS_STEP.test(during[first].text) ? during.slice(first) : during;
  const error = own.findLastIndex(({ text }) => text.startsWith("##[error]"));
  const next = own.findIndex(
    ({ second, text }, at) => at > error && at > 0 && second === to && BEGINS_STEP.test(text),
  );
  return error === -1 || next === -1 ? own : own.slice(0, next);
}

function secondOf(time: string | null | undefined): string | null {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? null : new Date(ms).toISOString().slice(0, SECOND_CHARS);
}

function ends(text: string): string {
  if (text.length <= 2 * READ_CHARS) return text;
  return `${text.slice(0, READ_CHARS)}\n${text.slice(-READ_CHARS)}`;
}

function readable(text: string): string {
  const lines = text.replace(TERMINAL, "").split("\n");
  return visibleText(lines.flatMap(readableLine).join("\n")).trim();
}

/** The runner's marks as words; of a line that a progress bar wrote over and over, what it said last. */
function readableLine(line: string): string[] {
  const whole = line.endsWith("\r") ? line.slice(0, -1) : line;
  const text = whole.slice(whole.lastIndexOf("\r") + 1);
  if (text.startsWith("##[endgroup]")) return [];
  const mark = /^##\[(group|command|error|warning|notice|debug)\]/.exec(text);
  const rest = text.slice(mark?.[0].length ?? 0);
  switch (mark?.[1]) {
    case "error":
      return [`Error: ${rest}`];
    case "warning":
      return [`Warning: ${rest}`];
    default:
      return [rest];
  }
}

function headAndTail(text: string): string {
  if (text.length <= HEAD_CHARS + TAIL_CHARS) return text;
  const head = wholeChars(text.slice(0, HEAD_CHARS));
  const tail = text.slice(-TAIL_CHARS);
  const headEnd = head.lastIndexOf("\n");
  const tailStart = tail.indexOf("\n");
  const kept = [
    headEnd === -1 ? head : head.slice(0, headEnd),
    tailStart === -1 ? tail.replace(/^[\uDC00-\uDFFF]/, "") : tail.slice(tailStart + 1),
  ];
  const omitted = text.length - kept.join("").length;
  return kept.join(`\n… ${omitted} characters left out …\n`);
}
