// Findings as annotations of the job, which need no permission. The runner's commands carry them, so that nothing of
// them may be one. https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands

import { error, notice, warning } from "@actions/core";
import { excerpt } from "../../base/bounded-text.ts";
import { singleLine, visibleText } from "../../base/untrusted-text.ts";
import { plural } from "../../render/quantities.ts";
import { type Finding, severities } from "../../report/findings.ts";

/** GitHub shows ten of each level for a step; one is left for the step's own word. */
const MAX_OF_LEVEL = 9;
const levels = { error, warning, notice } as const;
const MAX_TITLE_CHARS = 200;
const MAX_MESSAGE_CHARS = 4_000;

/** Returns how many were annotated; the rest is counted in a notice. */
export function annotate(findings: readonly Finding[]): number {
  const shown = severities.flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity).slice(0, MAX_OF_LEVEL),
  );
  for (const finding of shown) {
    levels[finding.severity](messageOf(finding), {
      title: harmless(singleLine(finding.title, MAX_TITLE_CHARS)),
      file: harmless(visibleText(finding.path)),
      startLine: finding.startLine,
      endLine: finding.line,
    });
  }
  const rest = findings.length - shown.length;
  if (rest > 0) {
    notice(
      `${plural(rest, "more finding")} ${rest === 1 ? "has" : "have"} no annotation: GitHub shows ten of a level. The job summary and the reply list them.`,
    );
  }
  return shown.length;
}

/** An annotation is plain text. The runner takes an empty one for none. */
function messageOf({ title, body, suggestion }: Finding): string {
  const suggested = suggestion === null || suggestion === "" ? "" : `Suggested:\n${suggestion}`;
  const text = [body.trim() === "" ? title : body.trim(), suggested]
    .filter((part) => part !== "")
    .join("\n\n");
  const { text: head, omittedChars } = excerpt(text, MAX_MESSAGE_CHARS);
  return harmless(visibleText(omittedChars === 0 ? head : `${head}…`));
}

/** The log's viewer colours and folds by it, wherever it stands. */
export function harmless(text: string): string {
  return text.replaceAll("##[", "## [");
}
