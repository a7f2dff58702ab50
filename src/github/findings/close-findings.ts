// Closes what a review has settled: resolves the threads of findings that are fixed or withdrawn, and keeps in our latest review
// what became of them and which commits were reviewed.

import * as z from "zod/mini";
import { singleLine } from "../../base/untrusted-text.ts";
import { inertMarkdown } from "../../render/inert-markdown.ts";
import { plural } from "../../render/quantities.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import type { JudgedFinding } from "./judged-findings.ts";
import { closingMarker, headMarker, reviewMarker } from "./marker.ts";
import type { Published } from "./published.ts";
import { resolveThread } from "./review-threads.ts";

/** GitHub takes 65,536 characters. */
const MAX_TEXT_CHARS = 65_000;
const MAX_REASON_BYTES = 2_000;

export type ClosingOptions = {
  readonly api: GitHubApi;
  readonly number: number;
  readonly headSha: string;
  readonly earlier: Pick<Published, "markers" | "latest" | "heads">;
  readonly judged: readonly JudgedFinding[];
  readonly onNote: (note: string) => void;
};

/** Returns how many threads GitHub does not let the job resolve. Rejects with GitHubError where nothing can be written. */
export async function closeThreads(options: ClosingOptions): Promise<number> {
  const { judged, earlier, onNote } = options;
  let unresolved = 0;
  let isRefused = false;
  for (const finding of judged) {
    if (!isToBeResolved(finding, earlier)) continue;
    if (finding.reason !== "") await sayWithdrawn(options, finding);
    isRefused ||= !(await isResolved(options, finding));
    if (!isRefused) continue;
    unresolved += 1;
    await answer(options, finding);
  }
  if (unresolved > 0) {
    onNote(
      `GitHub let this job resolve no threads: ${plural(unresolved, "closed finding")} ${unresolved === 1 ? "has" : "have"} a reply instead. Resolving takes "permissions: contents: write".`,
    );
  }
  return unresolved;
}

/** Once it is closed, whoever opens its thread again has the last word. */
function isToBeResolved(
  { state, thread, finding, reason }: JudgedFinding,
  { markers }: Pick<Published, "markers">,
): boolean {
  if (thread === null || thread.isResolved || (state !== "fixed" && state !== "withdrawn")) return false;
  return reason !== "" || !markers.has(closingMarker("answered", finding));
}

async function isResolved({ api }: ClosingOptions, { thread }: JudgedFinding): Promise<boolean> {
  try {
    await resolveThread(api, thread?.id ?? "");
    return true;
  } catch (cause) {
    if (cause instanceof GitHubError && cause.code === "code_host_refused") return false;
    throw cause;
  }
}

async function sayWithdrawn(options: ClosingOptions, { finding, reason }: JudgedFinding): Promise<void> {
  const marker = closingMarker("withdrawn", finding);
  if (options.earlier.markers.has(marker)) return;
  const { text } = inertMarkdown(reason, MAX_REASON_BYTES);
  await reply(options, { finding, body: `Withdrawn: ${text}\n\n${marker}` });
}

/** In place of a resolved thread. */
async function answer(options: ClosingOptions, { finding, state }: JudgedFinding): Promise<void> {
  const marker = closingMarker("answered", finding);
  if (options.earlier.markers.has(marker)) return;
  const what = state === "fixed" ? "Fixed" : "Withdrawn";
  const body = `${what} as of ${options.headSha.slice(0, 7)}. This thread can be resolved.\n\n${marker}`;
  await reply(options, { finding, body });
}

async function reply(
  { api, number }: ClosingOptions,
  { finding, body }: { readonly finding: JudgedFinding["finding"]; readonly body: string },
): Promise<void> {
  const path = `/pulls/${number}/comments/${finding.commentId}/replies`;
  await api.write({ method: "POST", path, body: { body }, isRepeatable: false }, z.unknown());
}

/** The markers that a review's text needs beside its own: what became of earlier findings. */
export function closingMarkers({ judged, earlier }: Pick<ClosingOptions, "judged" | "earlier">): string[] {
  return judged.flatMap(({ finding, state }) => {
    if (state !== "fixed" && state !== "withdrawn") return [];
    const marker = closingMarker(state, finding);
    return earlier.markers.has(marker) ? [] : [marker];
  });
}

/**
 * Keeps in our latest review that this commit was reviewed, where there is nothing new to publish. Where there is no review of
 * ours it makes one that says so, once a pull request. Returns that one's address. Rejects with GitHubError.
 */
export async function rememberReview(
  options: ClosingOptions & { readonly closed: readonly string[]; readonly runId: string },
): Promise<string | null> {
  const { api, number, headSha, earlier, closed, onNote } = options;
  const { latest, heads } = earlier;
  if (latest === null) return await writeFirstReview(options);
  const added = [...closed, ...(heads.at(-1) === headSha ? [] : [headMarker(headSha)])];
  if (added.length === 0) return null;
  const body = `${latest.body.trimEnd()}\n${added.join("\n")}`;
  if (body.length > MAX_TEXT_CHARS) {
    onNote(`Our review ${singleLine(String(latest.id), 20)} is full: the commit is not kept as reviewed.`);
    return null;
  }
  const path = `/pulls/${number}/reviews/${latest.id}`;
  await api.write({ method: "PUT", path, body: { body }, isRepeatable: true }, z.unknown());
  return null;
}

/** Without it the next review would be a first one again, and could say at unchanged lines what this one did not. */
async function writeFirstReview({
  api,
  number,
  headSha,
  judged,
  closed,
  runId,
}: Parameters<typeof rememberReview>[0]): Promise<string> {
  const text = judged.length === 0 ? "**No findings.**" : "**No new findings.**";
  const markers = [...closed, headMarker(headSha), reviewMarker(runId)];
  const write = { method: "POST", path: `/pulls/${number}/reviews`, isRepeatable: false } as const;
  const body = { commit_id: headSha, event: "COMMENT", body: `${text}\n\n${markers.join("\n")}` };
  return (await api.write({ ...write, body }, z.object({ html_url: z.string() }))).html_url;
}
