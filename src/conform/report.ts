// The report of the command: each difference with its exchange, and the totals by section. Pure.

import type { ConformResult, StatementOutcome } from "./conform.ts";
import { shownExchange } from "./kit/exchange.ts";
import type { Statement } from "./kit/statement.ts";

/** Of an answer; the rest says nothing about statements. */
const SHOWN_HEADERS =
  /^(content-type|location|etag|retry-after|x-request-id|x-svc-.*|www-authenticate|link|cache-control)$/;

/** Of what could not be taken away. */
const MAX_SHOWN_LEFT = 20;

/** A line for each statement. */
export function listText(statements: readonly Statement[]): string {
  const lines = statements.map(({ id, section, says }) => `${section.padEnd(12)} ${says}  [${id}]`);
  return [...lines, `${statements.length} statements.`].join("\n");
}

/** A difference, as people read it. */
export function outcomeText(outcome: Extract<StatementOutcome, { status: "differs" }>): string {
  const { statement, expected, answer } = outcome;
  const head = [
    `DIFFERS  ${statement.id}`,
    `  section   ${statement.section}`,
    `  says      ${statement.says}`,
  ];
  if (answer === null) return [...head, `  expected  ${expected}`, ""].join("\n");
  const { request, answer: got } = shownExchange(answer);
  return [
    ...head,
    `  asked     ${request.method} ${request.path}`,
    ...Object.entries(request.headers).map(([name, value]) => `            ${name}: ${value}`),
    ...(request.body === null ? [] : [`            ${request.body}`]),
    `  expected  ${expected}`,
    `  answered  ${got.status}`,
    ...Object.entries(got.headers)
      .filter(([name]) => SHOWN_HEADERS.test(name))
      .map(([name, value]) => `            ${name}: ${value}`),
    ...(got.body === "" ? [] : [`            ${got.body}`]),
    "",
  ].join("\n");
}

const stops = {
  interrupted: "Stopped: the other statements were not asked.",
  unreachable: "Stopped: the deployment does not answer any more. The other statements were not asked.",
} as const;

/** "x of y" for each section and in all, and what was not asked. */
export function totalText({ outcomes, stopped, requests, left }: ConformResult): string {
  const counts = countsOf(outcomes);
  const rows = [...counts.bySection].map(
    ([section, { holds, asked }]) => `  ${section.padEnd(12)} ${holds} of ${asked}`,
  );
  const reasons = [...counts.because].map(([because, count]) => `  ${count}: ${because}`);
  return [
    "Statements that hold, by section of the specification:",
    ...rows,
    `${counts.holds} of ${counts.asked} statements hold (${requests} requests).`,
    ...(reasons.length === 0 ? [] : [`${outcomes.length - counts.asked} were not asked:`, ...reasons]),
    ...(stopped === null ? [] : [stops[stopped]]),
    ...left.slice(0, MAX_SHOWN_LEFT).map((what) => `Could not be taken away: ${what}.`),
    ...(left.length > MAX_SHOWN_LEFT ? [`And ${left.length - MAX_SHOWN_LEFT} more.`] : []),
  ].join("\n");
}

/** All of it, for programs. */
export function outcomesJson(result: ConformResult) {
  const { holds, asked } = countsOf(result.outcomes);
  return {
    holds,
    asked,
    not_asked: result.outcomes.length - asked,
    stopped: result.stopped,
    requests: result.requests,
    left: result.left,
    statements: result.outcomes.map((outcome) => {
      const { id, section, says } = outcome.statement;
      const head = { id, section, says, status: outcome.status };
      if (outcome.status === "holds") return head;
      if (outcome.status === "not_asked") return { ...head, because: outcome.because };
      const { expected, answer } = outcome;
      return { ...head, expected, ...(answer === null ? {} : shownExchange(answer)) };
    }),
  };
}

function countsOf(outcomes: readonly StatementOutcome[]) {
  const bySection = new Map<string, { holds: number; asked: number }>();
  const because = new Map<string, number>();
  for (const outcome of outcomes) {
    if (outcome.status === "not_asked") {
      because.set(outcome.because, (because.get(outcome.because) ?? 0) + 1);
      continue;
    }
    const section = outcome.statement.section.split(" ", 1)[0] ?? "";
    const count = bySection.get(section) ?? { holds: 0, asked: 0 };
    count.asked += 1;
    if (outcome.status === "holds") count.holds += 1;
    bySection.set(section, count);
  }
  const ordered = new Map(
    [...bySection].sort(([one], [other]) => one.localeCompare(other, "en", { numeric: true })),
  );
  const sum = (of: "holds" | "asked") => [...bySection.values()].reduce((all, count) => all + count[of], 0);
  return { bySection: ordered, because, holds: sum("holds"), asked: sum("asked") };
}
