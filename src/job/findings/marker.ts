// The hidden lines by which a review finds earlier findings. Only the last lines of a text are read for markers: the
// agent's text is above them. Pure.

import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { singleLine } from "../../base/untrusted-text.ts";
import { type Finding, severities } from "../../report/findings.ts";

const LAST_LINES =
  /(?:\r?\n<!-- agent-service:(?:(?:finding|review|probe|fixed|withdrawn|answered) [0-9a-f]{32}|head [0-9a-f]{40,64}|at [\w-]+) -->)+\s*$/;
const MAX_TITLE_CHARS = 200;
const ID_CHARS = 12;

export type MarkedFinding = Finding & { readonly marker: string };

/** The subject of a finding, at the commit that was reviewed. */
export type FindingAnchor = Pick<Finding, "path" | "startLine" | "line" | "severity" | "title"> & {
  readonly sha: string;
};

const anchorSchema = z.object({
  path: z.string(),
  startLine: z.int(),
  line: z.int(),
  severity: z.enum(severities),
  title: z.string(),
  sha: z.string(),
});

/**
 * The same title and body in the same file give the same marker, whatever the lines. Where a file has several of these,
 * they are numbered.
 */
export function markFindings(findings: readonly Finding[]): readonly MarkedFinding[] {
  const counts = new Map<string, number>();
  return findings.map((finding) => {
    const words = [finding.path, plainWords(finding.title), plainWords(finding.body)];
    const first = marker("finding", words);
    const count = counts.get(first) ?? 0;
    counts.set(first, count + 1);
    return { ...finding, marker: count === 0 ? first : marker("finding", [...words, String(count)]) };
  });
}

/** One review for each run, however often its job is re-run. */
export function reviewMarker(runId: string): string {
  return marker("review", [runId]);
}

/** Names the commit that was reviewed. */
export function headMarker(sha: string): string {
  return `<!-- agent-service:head ${sha} -->`;
}

/** The commits that the markers name, the first one first. */
export function headsOf(markers: readonly string[]): readonly string[] {
  return markers.flatMap((marker) => /^<!-- agent-service:head ([0-9a-f]+) -->$/.exec(marker)?.[1] ?? []);
}

/** What became of a finding by the word of a later review. `answered`: its thread says so, as it could not be resolved. */
const closings = ["fixed", "withdrawn", "answered"] as const;
type Closing = (typeof closings)[number];

export function closingMarker(closing: Closing, { marker }: Pick<MarkedFinding, "marker">): string {
  return `<!-- agent-service:${closing} ${hashOf(marker)} -->`;
}

/** Names a finding to people and models, for as long as its comment exists. */
export function findingId({ marker }: Pick<MarkedFinding, "marker">): string {
  return hashOf(marker).slice(0, ID_CHARS);
}

function hashOf(marker: string): string {
  return /[0-9a-f]{32}/.exec(marker)?.[0] ?? "";
}

/** Stands before the finding's own marker. */
export function anchorMarker({ path, startLine, line, severity, title }: Finding, sha: string): string {
  const anchor: FindingAnchor = {
    path,
    startLine,
    line,
    severity,
    title: singleLine(title, MAX_TITLE_CHARS),
    sha,
  };
  return `<!-- agent-service:at ${Buffer.from(JSON.stringify(anchor)).toString("base64url")} -->`;
}

/** The findings of the markers, with their anchors; null for one of a version that wrote none. */
export function anchorsOf(
  markers: readonly string[],
): readonly { readonly marker: string; readonly anchor: FindingAnchor | null }[] {
  return markers.flatMap((marker, index) =>
    marker.startsWith("<!-- agent-service:finding ")
      ? [{ marker, anchor: anchorOf(markers[index - 1] ?? "") }]
      : [],
  );
}

function anchorOf(marker: string): FindingAnchor | null {
  const [, data] = /^<!-- agent-service:at ([\w-]+) -->$/.exec(marker) ?? [];
  if (data === undefined) return null;
  try {
    return anchorSchema.parse(JSON.parse(Buffer.from(data, "base64url").toString()));
  } catch {
    return null;
  }
}

/** Marks a review that only tests whether the code host accepts its comments. */
export function probeMarker(): string {
  return marker("probe", []);
}

/** The text above its markers. */
export function textAbove(text: string): string {
  return text.slice(0, LAST_LINES.exec(text)?.index ?? text.length).trimEnd();
}

/** The markers at the end of a text. */
export function markersOf(text: string): readonly string[] {
  const last = LAST_LINES.exec(text)?.[0] ?? "";
  return last.split(/\r?\n/).filter((line) => line.startsWith("<!--"));
}

function marker(kind: "finding" | "review" | "probe", what: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(what)).digest("hex").slice(0, 32);
  return `<!-- agent-service:${kind} ${hash} -->`;
}

function plainWords(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}
