// A reply as data, for people: the review's summary, and a table of its findings. Pure.

import { byteLength, SectionRoom } from "../base/bounded-text.ts";
import { withoutJsonFence } from "../base/json-fence.ts";
import { singleLine } from "../base/untrusted-text.ts";
import {
  convergence,
  type Finding,
  type OpenFinding,
  type PublishedFindings,
  placeOf,
  readFindings,
  type Severity,
  severities,
  severityCounts,
} from "../report/findings.ts";
import { type RunReport, replyMessage } from "../report/run-report.ts";
import { blobUrl, type FileLinks, filesUrl } from "./blob-url.ts";
import { inertMarkdown } from "./inert-markdown.ts";
import { escapeMarkdown, fence, link, linkedCode } from "./markdown.ts";
import { plural } from "./quantities.ts";

export const MAX_TABLE_FINDINGS = 50;
const MAX_TITLE_CHARS = 200;
const MAX_PLACE_CHARS = 160;
const MAX_BODY_BYTES = 8_192;
const TABLE_PART = 1 / 2;

export const severityIcons: Readonly<Record<Severity, string>> = {
  error: "❌",
  warning: "⚠️",
  notice: "ℹ️",
};

/** A review's summary; other data as a block of JSON; any other reply as it is. Not made inert. */
export function readableReply(report: RunReport): string | null {
  const { output } = report;
  const said = replyMessage(report)?.text ?? null;
  if (output === null) return said;
  const { findings, summary } = readFindings(output);
  if (findings === null) return said === null || isJson(said) ? jsonBlock(output.value) : said;
  if (summary !== null) return summary.trim() === "" ? null : summary;
  // A review by another schema: its other fields.
  const { findings: _, ...rest } = { ...Object(output.value) };
  return Object.keys(rest).length === 0 ? null : jsonBlock(rest);
}

/** A heading and one row a finding, the worst first, in at most `maxBytes`. "" when there is none. */
export function findingsTable(
  output: RunReport["output"],
  room: { readonly maxBytes: number; readonly links?: FileLinks | null | undefined },
): string {
  return tableOfFindings(readFindings(output).findings ?? [], room);
}

function tableOfFindings(
  found: readonly Finding[],
  { maxBytes, links = null }: { readonly maxBytes: number; readonly links?: FileLinks | null | undefined },
): string {
  const findings = worstFirst(found);
  if (findings.length === 0) return "";
  const heading = `### ${plural(findings.length, "finding")}: ${severityCounts(findings)}`;
  const rows = findings.slice(0, MAX_TABLE_FINDINGS).map((finding) => tableRow(finding, links));
  return tableOf({ heading, rows, count: findings.length, maxBytes });
}

/** As many rows as fit; the rest is counted. */
function tableOf(table: {
  readonly heading: string;
  readonly rows: readonly string[];
  readonly count: number;
  readonly maxBytes: number;
}): string {
  const { heading, count, maxBytes } = table;
  const columns = "| | Finding | Where |\n|:--|:--|:--|";
  const more = (left: number) => (left === 0 ? "" : `\n\nand ${plural(left, "more finding")}`);
  let roomBytes = maxBytes - byteLength(heading + columns + more(count)) - 3;
  const rows: string[] = [];
  for (const row of table.rows.slice(0, MAX_TABLE_FINDINGS)) {
    roomBytes -= byteLength(row) + 1;
    if (roomBytes < 0) break;
    rows.push(row);
  }
  if (rows.length === 0) return byteLength(heading) <= maxBytes ? heading : "";
  return `${heading}\n\n${[columns, ...rows].join("\n")}${more(count - rows.length)}`;
}

/**
 * What is new, where it is published, what is still open, and the full text where it is published nowhere else. Of findings that
 * are not published no reader is to miss that there were some: they are folded.
 */
export function findingsSection(
  { output }: Pick<RunReport, "output">,
  {
    published,
    maxBytes,
    links = null,
  }: {
    published: PublishedFindings | null;
    maxBytes: number;
    links?: FileLinks | null | undefined;
  },
): string {
  const room = new SectionRoom(maxBytes);
  const found = published?.fresh ?? readFindings(output).findings ?? [];
  const where = room.take(publishedLine(published));
  const open = room.take(openTable(published?.open ?? [], Math.floor(room.bytes * TABLE_PART) - 2));
  const isElsewhere = published !== null && published.reviewUrl !== null;
  const part = isElsewhere ? 1 : TABLE_PART;
  const table = room.take(tableOfFindings(found, { maxBytes: Math.floor(room.bytes * part) - 2, links }));
  const isInFull = isElsewhere || table === "";
  const full = isInFull ? "" : room.take(foldedFindings(FULL, found, { maxBytes: room.bytes - 2, links }));
  const unpublished = published?.late ?? [];
  const late = room.take(foldedFindings(LATE, unpublished, { maxBytes: room.bytes - 2, links }));
  return [table, where, open, full, late].filter((section) => section !== "").join("\n\n");
}

const FULL = "The findings in full";
const LATE = "Not published: at lines that the last review saw as they are";

/** The place of the findings; "" for nowhere. */
export function publishedLine(published: PublishedFindings | null): string {
  if (published === null) return "";
  const { commented, repeated, dismissed, annotated, reviewUrl, late, minor, unresolved } = published;
  const later = convergence(published);
  const review = reviewUrl === null ? "a review" : link("the review", reviewUrl);
  return [
    ...(later === "" ? [] : [later]),
    ...(commented === 0 ? [] : [`${commented} written in ${review}`]),
    ...(repeated === 0 ? [] : [`${repeated} said in a review before`]),
    ...(dismissed === 0 ? [] : [`${dismissed} where a person has declined a finding, and not counted`]),
    ...(late.length === 0 ? [] : [`${late.length} at lines that have not changed since, and not published`]),
    ...(minor === 0 ? [] : [`${minor} not severe enough for a late review, and not published`]),
    ...(annotated === 0 ? [] : [`${annotated} in the job's annotations`]),
    ...(unresolved === 0
      ? []
      : [`${plural(unresolved, "closed thread")} not resolved: that takes "contents: write"`]),
  ].join(" · ");
}

/** One sentence; "" where nothing is open. */
export function openLine({ open }: Pick<PublishedFindings, "open">): string {
  const are = open.length === 1 ? "is" : "are";
  return open.length === 0 ? "" : `Of earlier reviews ${are} still open: ${severityCounts(open)}.`;
}

/** Findings of earlier reviews that nothing has settled, the worst first, each with a link to where it can be resolved. */
function openTable(open: readonly OpenFinding[], maxBytes: number): string {
  if (open.length === 0) return "";
  const heading = `### Still open of earlier reviews: ${severityCounts(open)}`;
  const rows = worstFirst(open).map(
    (finding) =>
      `| ${severityIcons[finding.severity]} | ${escapeMarkdown(finding.title, MAX_TITLE_CHARS)} | ${linkedCode(
        singleLine(placeOf(finding), MAX_PLACE_CHARS),
        finding.url,
      )} |`,
  );
  return tableOf({ heading, rows, count: open.length, maxBytes });
}

function foldedFindings(
  heading: string,
  findings: readonly Finding[],
  { maxBytes, links }: { readonly maxBytes: number; readonly links: FileLinks | null },
): string {
  const [open, close] = [`<details><summary>${heading}</summary>`, "</details>"];
  const room = new SectionRoom(maxBytes - byteLength(open + close) - 2);
  const sections = worstFirst(findings)
    .slice(0, MAX_TABLE_FINDINGS)
    .map((finding) => room.take(findingText(finding, links)))
    .filter((section) => section !== "");
  return sections.length === 0 ? "" : [open, ...sections, close].join("\n\n");
}

function findingText(finding: Finding, links: FileLinks | null): string {
  const body = inertMarkdown(finding.body, MAX_BODY_BYTES).text;
  const head = `${severityIcons[finding.severity]} **${escapeMarkdown(finding.title, MAX_TITLE_CHARS)}** · ${placeCode(finding, links)}`;
  return body === "" ? head : `${head}\n\n${body}`;
}

function tableRow(finding: Finding, links: FileLinks | null): string {
  const title = escapeMarkdown(finding.title, MAX_TITLE_CHARS);
  return `| ${severityIcons[finding.severity]} | ${title} | ${placeCode(finding, links)} |`;
}

function placeCode(finding: Finding, links: FileLinks | null): string {
  const url = links === null ? null : blobUrl(filesUrl(links, links.headSha), finding);
  return linkedCode(singleLine(placeOf(finding), MAX_PLACE_CHARS), url);
}

function worstFirst<Found extends { readonly severity: Severity }>(
  findings: readonly Found[],
): readonly Found[] {
  return findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(withoutJsonFence(text));
    return true;
  } catch {
    return false;
  }
}

function jsonBlock(value: unknown): string {
  return fence(JSON.stringify(value, null, 2), "json");
}
