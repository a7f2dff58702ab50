// An agent's plan as a list of check boxes, for the status comment and the summary. Pure.

import type { RunReport } from "../report/run-report.ts";
import { escapeMarkdown } from "./markdown.ts";

const MAX_SHOWN_STEPS = 20;
const MAX_STEP_CHARS = 160;

/** Markdown, or "" where there is no plan. */
export function planSection({ plan }: Pick<RunReport, "plan">): string {
  if (plan.length === 0) return "";
  const done = plan.filter(({ status }) => status === "completed").length;
  const lines = plan.slice(0, MAX_SHOWN_STEPS).map(({ text, status }) => {
    const mark = status === "in_progress" ? "⏳ " : "";
    return `- [${status === "completed" ? "x" : " "}] ${mark}${escapeMarkdown(text, MAX_STEP_CHARS)}`;
  });
  const more = plan.length - lines.length;
  return [
    `**Plan**: ${done} of ${plan.length} done`,
    [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n"),
  ].join("\n\n");
}
