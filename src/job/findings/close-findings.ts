// Closes what a review has settled: resolves the threads of findings that are fixed or withdrawn, and keeps in our latest review
// what became of them and which commits were reviewed.

import { singleLine } from "../../base/untrusted-text.ts";
import { inertMarkdown } from "../../render/inert-markdown.ts";
import { plural } from "../../render/quantities.ts";
import { CodeHostError } from "../code-host/code-host-error.ts";
import type { JudgedFinding } from "./judged-findings.ts";
import { closingMarker, headMarker, reviewMarker } from "./marker.ts";
import type { Published } from "./published.ts";
import type { ReviewsHost } from "./reviews-host.ts";

/** GitHub takes 65,536 characters. */
const MAX_TEXT_CHARS = 65_000;
const MAX_REASON_BYTES = 2_000;

type ClosingOptions = {
  readonly host: ReviewsHost;
  readonly number: number;
  readonly headSha: string;
  readonly earlier: Pick<Published, "markers" | "latest" | "heads">;
  readonly judged: readonly JudgedFinding[];
  readonly onNote: (note: string) => void;
};

/** Returns how many threads the code host does not let the job resolve. Rejects with CodeHostError where nothing can be written. */
export async function closeThreads(options: ClosingOptions): Promise<number> {
  const { host, judged, earlier, onNote } = options;
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
      `${host.words.host} let this job resolve no threads: ${plural(unresolved, "closed finding")} ${unresolved === 1 ? "has" : "have"} a reply instead. ${host.words.mayResolve}`,
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

async function isResolved({ host, number }: ClosingOptions, { thread }: JudgedFinding): Promise<boolean> {
  try {
    await host.resolveThread(number, thread?.id ?? "");
    return true;
  } catch (cause) {
    if (cause instanceof CodeHostError && cause.code === "code_host_refused") return false;
    throw cause;
  }
}

async function sayWithdrawn(
  options: ClosingOptions,
  { finding, thread, reason }: JudgedFinding,
): Promise<void> {
  const marker = closingMarker("withdrawn", finding);
  if (options.earlier.markers.has(marker)) return;
  const { text } = inertMarkdown(reason, MAX_REASON_BYTES);
  await reply(options, { finding, thread, body: `Withdrawn: ${text}\n\n${marker}` });
}

/** In place of a resolved thread. */
async function answer(options: ClosingOptions, { finding, thread, state }: JudgedFinding): Promise<void> {
  const marker = closingMarker("answered", finding);
  if (options.earlier.markers.has(marker)) return;
  const what = state === "fixed" ? "Fixed" : "Withdrawn";
  const body = `${what} as of ${options.headSha.slice(0, 7)}. This thread can be resolved.\n\n${marker}`;
  await reply(options, { finding, thread, body });
}

async function reply(
  { host, number }: ClosingOptions,
  { finding, thread, body }: Pick<JudgedFinding, "finding" | "thread"> & { readonly body: string },
): Promise<void> {
  await host.reply({ number, finding, thread, body });
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
 * ours it makes one that says so, once a pull request. Returns that one's address. Rejects with CodeHostError.
 */
export async function rememberReview(
  options: ClosingOptions & { readonly closed: readonly string[]; readonly runId: string },
): Promise<string | null> {
  const { host, number, headSha, earlier, closed, onNote } = options;
  const { latest, heads } = earlier;
  if (latest === null) return await writeFirstReview(options);
  const added = [...closed, ...(heads.at(-1) === headSha ? [] : [headMarker(headSha)])];
  if (added.length === 0) return null;
  const body = `${latest.body.trimEnd()}\n${added.join("\n")}`;
  if (body.length > MAX_TEXT_CHARS) {
    onNote(`Our review ${singleLine(String(latest.id), 20)} is full: the commit is not kept as reviewed.`);
    return null;
  }
  await host.editReview(number, { id: latest.id, body });
  return null;
}

/** Without it the next review would be a first one again, and could say at unchanged lines what this one did not. */
async function writeFirstReview({
  host,
  number,
  headSha,
  judged,
  closed,
  runId,
}: Parameters<typeof rememberReview>[0]): Promise<string> {
  const text = judged.length === 0 ? "**No findings.**" : "**No new findings.**";
  const markers = [...closed, headMarker(headSha), reviewMarker(runId)];
  return await host.writeReview({ number, headSha }, `${text}\n\n${markers.join("\n")}`);
}
