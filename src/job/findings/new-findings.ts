// Selection of the new findings of a review: not said before, not declined, at lines that have changed since the last review, and severe
// enough for a late round.
// Why: docs/decisions/149-reviews-remember.md

import { type Finding, reaches, type Severity } from "../../report/findings.ts";
import { CodeHostError } from "../code-host/code-host-error.ts";
import type { JudgedFinding } from "./judged-findings.ts";
import { type MarkedFinding, markFindings } from "./marker.ts";
import type { Published } from "./published.ts";
import type { ReviewsReader } from "./reviews-host.ts";

const MAX_FILE_BYTES = 512 * 1024;
/** From this review of a pull request on, only the most severe findings are new comments. */
export const NARROW_ROUND = 3;

export type SortedFindings = {
  /** To be published. */
  readonly fresh: readonly MarkedFinding[];
  /** An earlier review of ours has them, in these words or at these lines. */
  readonly repeated: readonly Finding[];
  /** At lines where a person has declined a finding. */
  readonly dismissed: readonly Finding[];
  /** At lines that the last review saw as they are. */
  readonly late: readonly Finding[];
  /** Not severe enough for this round. */
  readonly minor: readonly Finding[];
};

type Sorting = {
  readonly host: ReviewsReader;
  readonly found: readonly Finding[];
  readonly judged: readonly JudgedFinding[];
  readonly earlier: Pick<Published, "markers" | "heads" | "review">;
  /** The commit that is reviewed now. */
  readonly headSha: string;
  /** The least severe finding that gates: such a one is new in every round. */
  readonly threshold: Severity | null;
  /** Whether a person asked for this review: then the same commit may be looked at again. */
  readonly isAsked: boolean;
};

/** Which review of the pull request this is, from 1 on: each commit counts once. */
export function roundOf({ heads }: Pick<Published, "heads">, headSha: string): number {
  return heads.filter((head) => head !== headSha).length + 1;
}

/** Rejects only with the signal's reason. */
export async function sortFindings(sorting: Sorting): Promise<SortedFindings> {
  const { found, earlier, headSha, threshold } = sorting;
  const sorted = {
    fresh: [] as MarkedFinding[],
    repeated: [] as Finding[],
    dismissed: [] as Finding[],
    late: [] as Finding[],
    minor: [] as Finding[],
  };
  const isNarrow = roundOf(earlier, headSha) >= NARROW_ROUND;
  const isSeen = lineComparison(sorting);
  for (const [index, marked] of markFindings(found).entries()) {
    const finding = found[index];
    if (finding === undefined) continue;
    const said = whatWasSaid(marked, sorting);
    const isMinor = isNarrow && finding.severity !== "error" && !reaches(finding.severity, threshold);
    if (said !== null) sorted[said].push(finding);
    else if (await isSeen(finding)) sorted.late.push(finding);
    else if (isMinor) sorted.minor.push(finding);
    else sorted.fresh.push(marked);
  }
  return sorted;
}

/** By its words, or at its lines. */
function whatWasSaid(marked: MarkedFinding, { judged, earlier }: Sorting): "repeated" | "dismissed" | null {
  const same = judged.filter((one) => saysAgain(marked, one));
  if (same.some(({ state }) => state === "open")) return "repeated";
  if (same.some(({ state, hasChanged }) => state === "declined" && !hasChanged)) return "dismissed";
  // An earlier attempt of this job has published it.
  return earlier.review !== null && earlier.markers.has(marked.marker) ? "repeated" : null;
}

function saysAgain(marked: MarkedFinding, { now, finding }: JudgedFinding): boolean {
  const overlaps = marked.startLine <= now.line && now.startLine <= marked.line;
  return marked.path === now.path && (marked.marker === finding.marker || overlaps);
}

/** Whether the last review saw a finding's lines as they are. */
function lineComparison({
  host,
  earlier,
  headSha,
  isAsked,
}: Sorting): (finding: Finding) => Promise<boolean> {
  const lastHead = earlier.heads.at(-1);
  if (lastHead === undefined) return async () => false;
  if (lastHead === headSha) return async () => !isAsked;
  const files = new Map<string, Versions>();
  return async (finding) => {
    const { path } = finding;
    const known = files.get(path);
    const versions = known === undefined ? await readVersions(host, { path, lastHead, headSha }) : known;
    files.set(path, versions);
    return versions !== null && areUnchanged(versions, finding);
  };
}

/** Null where one of them cannot be compared: then every line counts as changed. */
type Versions = { readonly before: string; readonly after: string } | null;

async function readVersions(
  host: ReviewsReader,
  { path, lastHead, headSha }: { path: string; lastHead: string; headSha: string },
): Promise<Versions> {
  try {
    const before = await host.readFile({ path, ref: lastHead, maxBytes: MAX_FILE_BYTES });
    if (before.type !== "file") return null;
    const after = await host.readFile({ path, ref: headSha, maxBytes: MAX_FILE_BYTES });
    return after.type === "file" ? { before: before.text, after: after.text } : null;
  } catch (cause) {
    // Without `contents: read` the files of a private repository cannot be compared.
    if (cause instanceof CodeHostError) return null;
    throw cause;
  }
}

/**
 * Whether the lines `startLine` to `line` of `after` stand in `before`, each between the same neighbours. Lines are counted
 * from 1.
 */
export function areUnchanged(
  { before, after }: { readonly before: string; readonly after: string },
  { startLine, line }: { readonly startLine: number; readonly line: number },
): boolean {
  const lines = after.split("\n");
  if (line > lines.length) return false;
  const known = new Set(windowsOf(before.split("\n")));
  return windowsOf(lines)
    .slice(startLine - 1, line)
    .every((window) => known.has(window));
}

/** Each line with the ones before and after it. */
function windowsOf(lines: readonly string[]): string[] {
  return lines.map((text, index) =>
    JSON.stringify([lines[index - 1] ?? null, text, lines[index + 1] ?? null]),
  );
}
