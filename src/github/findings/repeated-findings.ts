// Findings that a later review leaves out: those that an earlier one published, and those at lines that it saw as they still
// are.

import type { Finding } from "../../report/findings.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { readRepositoryFile } from "../api/repository-file.ts";
import { type MarkedFinding, markFindings } from "./marker.ts";
import type { Published, PublishedPlace } from "./published.ts";

const MAX_FILE_BYTES = 512 * 1024;

type RepeatOptions = {
  readonly api: GitHubApi;
  readonly findings: readonly Finding[];
  /** The commit that is reviewed now. */
  readonly headSha: string;
};

/**
 * The findings to publish. At lines that have not changed since the last review, only an error is new, and only where no
 * comment of ours is: another wording of the same thing is no news.
 */
export async function freshFindings(
  earlier: Published,
  { api, findings, headSha }: RepeatOptions,
): Promise<readonly MarkedFinding[]> {
  const unsaid = markFindings(findings).filter(({ marker }) => !earlier.markers.has(marker));
  const { lastHead } = earlier;
  // A second review of the same commit was asked for.
  if (lastHead === null || lastHead === headSha) return unsaid;
  const files = new Map<string, Versions>();
  const fresh: MarkedFinding[] = [];
  for (const finding of unsaid) {
    const isNewError =
      finding.severity === "error" && !earlier.places.some((place) => overlap(place, finding));
    const versions =
      files.get(finding.path) ?? (await readVersions(api, { path: finding.path, lastHead, headSha }));
    files.set(finding.path, versions);
    if (isNewError || versions === null || !areUnchanged(versions, finding)) fresh.push(finding);
  }
  return fresh;
}

/** Null where one of them cannot be compared: then every line counts as changed. */
type Versions = { readonly before: string; readonly after: string } | null;

async function readVersions(
  api: GitHubApi,
  { path, lastHead, headSha }: { path: string; lastHead: string; headSha: string },
): Promise<Versions> {
  try {
    const before = await readRepositoryFile(api, { path, ref: lastHead, maxBytes: MAX_FILE_BYTES });
    if (before.type !== "file") return null;
    const after = await readRepositoryFile(api, { path, ref: headSha, maxBytes: MAX_FILE_BYTES });
    return after.type === "file" ? { before: before.text, after: after.text } : null;
  } catch (cause) {
    // Without `contents: read` the files of a private repository cannot be compared.
    if (cause instanceof GitHubError) return null;
    throw cause;
  }
}

function overlap(place: PublishedPlace, finding: Finding): boolean {
  return place.path === finding.path && place.startLine <= finding.line && finding.startLine <= place.line;
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
