// The findings of a review on its page: a card each, the worst first, with a link to its lines where the code host is known. Pure.

import { singleLine } from "../../base/untrusted-text.ts";
import {
  type Finding,
  placeOf,
  readFindings,
  type Severity,
  severities,
  severityCounts,
} from "../../report/findings.ts";
import type { RunReport } from "../../report/run-report.ts";
import { blobUrl } from "../blob-url.ts";
import { type Contents, type Element, el, outerLink, said } from "../html/element.ts";
import { markdownElements } from "../html/markdown-elements.ts";
import { countText } from "../quantities.ts";

const MAX_TEXT_CHARS = 300;
/** Of more, only the errors are open. */
const MAX_OPEN = 10;

const marks: Readonly<Record<Severity, string>> = { error: "✖", warning: "▲", notice: "●" };

/** `filesUrl` is the address of the files that were reviewed, for `blobUrl`. Null: it is not known. */
export function findingsSection(
  { output }: RunReport,
  { filesUrl }: { readonly filesUrl: string | null },
): readonly Contents[] {
  const { findings, dropped } = readFindings(output);
  if (findings === null || findings.length === 0) return [];
  const worstFirst = findings.toSorted(
    (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
  );
  const areOpen = findings.length <= MAX_OPEN;
  return [
    el("h2", {}, `Findings: ${severityCounts(findings)}`),
    ...worstFirst.map((finding) => card(finding, { areOpen, filesUrl })),
    dropped > 0 ? el("p", { class: "faint" }, `${countText(dropped)} could not be read.`) : null,
  ];
}

function card(
  finding: Finding,
  { areOpen, filesUrl }: { readonly areOpen: boolean; readonly filesUrl: string | null },
): Element {
  const { severity, title, body, suggestion } = finding;
  const place = el("code", {}, singleLine(placeOf(finding), MAX_TEXT_CHARS));
  return el(
    "details",
    { class: `finding ${severity}`, open: areOpen || severity === "error" ? true : undefined },
    el(
      "summary",
      {},
      el("span", { class: `chip ${severity}` }, `${marks[severity]} ${severity}`),
      " ",
      el("strong", {}, singleLine(title, MAX_TEXT_CHARS)),
      filesUrl === null ? [" ", place] : null,
    ),
    filesUrl === null ? null : el("p", {}, outerLink(blobUrl(filesUrl, finding), [place])),
    ...markdownElements(body),
    suggestion === null
      ? null
      : [el("p", { class: "label" }, "Suggestion"), el("pre", { tabindex: 0 }, said(suggestion))],
  );
}
