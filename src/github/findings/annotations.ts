// Findings as annotations of the job, which need no permission. They go out as commands of the runner, so their text must
// not hold one. https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands

import { excerpt } from "../../base/bounded-text.ts";
import { singleLine, visibleText } from "../../base/untrusted-text.ts";
import { plural } from "../../render/quantities.ts";
import { type Finding, type Severity, severities } from "../../report/findings.ts";

/** GitHub shows ten of each level for a step; one is left for the step's own conclusion. */
const MAX_OF_LEVEL = 9;
const MAX_TITLE_CHARS = 200;
const MAX_MESSAGE_CHARS = 4_000;

/** The place of an annotation: lines of a file, both inclusive. */
type AnnotationPlace = {
  readonly title: string;
  readonly file: string;
  readonly startLine: number;
  readonly endLine: number;
};

/** Writes one annotation. Without a place it is one of the whole job. */
export type Annotator = Readonly<Record<Severity, (message: string, place?: AnnotationPlace) => void>>;

/** Returns how many were annotated; the rest is counted in a notice. */
export function annotate(findings: readonly Finding[], annotator: Annotator): number {
  const shown = severities.flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity).slice(0, MAX_OF_LEVEL),
  );
  for (const finding of shown) {
    annotator[finding.severity](messageOf(finding), {
      title: harmless(singleLine(finding.title, MAX_TITLE_CHARS)),
      file: harmless(visibleText(finding.path)),
      startLine: finding.startLine,
      endLine: finding.line,
    });
  }
  const rest = findings.length - shown.length;
  if (rest > 0) {
    annotator.notice(
      `${plural(rest, "more finding")} ${rest === 1 ? "has" : "have"} no annotation: GitHub shows ten of a level. The job summary and the reply list them.`,
    );
  }
  return shown.length;
}

/** Plain text, never empty: the runner drops an empty annotation. */
function messageOf({ title, body, suggestion }: Finding): string {
  const suggested = suggestion === null || suggestion === "" ? "" : `Suggested:\n${suggestion}`;
  const text = [body.trim() === "" ? title : body.trim(), suggested]
    .filter((part) => part !== "")
    .join("\n\n");
  const { text: head, omittedChars } = excerpt(text, MAX_MESSAGE_CHARS);
  return harmless(visibleText(omittedChars === 0 ? head : `${head}…`));
}

/** Without `##[`: the log's viewer takes it for a command anywhere in a line. */
export function harmless(text: string): string {
  return text.replaceAll("##[", "## [");
}
