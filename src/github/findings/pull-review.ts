// One review of a pull request, with comments at the lines that its diff shows. It neither approves nor requests changes.
// https://docs.github.com/en/rest/pulls/reviews#create-a-review-for-a-pull-request

import * as z from "zod/mini";
import { isShown, type LineRange, shownLines } from "../../job/findings/diff-lines.ts";
import { commentText, reviewText } from "../../job/findings/finding-text.ts";
import { type MarkedFinding, probeMarker } from "../../job/findings/marker.ts";
import type { NewReview, PullReview } from "../../job/findings/reviews-host.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import { readPublished } from "./published.ts";

/** GitHub lists at most 3,000 files of a pull request. */
const MAX_FILE_PAGES = 30;
/** Each is at most two calls. */
const MAX_PROBES = 20;

const madeSchema = z.object({ id: z.int(), html_url: z.string() });
const fileSchema = z.object({ filename: z.string(), patch: z.optional(z.nullable(z.string())) });

type PullReviewOptions = NewReview & {
  readonly api: GitHubApi;
  /** The address of the files at that commit: ".../blob/<sha>". */
  readonly filesUrl: string;
};

/** Publishes the new findings in one review. Rejects with GitHubError. Safe to repeat: no finding is published twice. */
export async function reviewPullRequest(options: PullReviewOptions): Promise<PullReview> {
  const { api, number, findings: fresh, earlier } = options;
  if (fresh.length === 0) return { url: earlier.review?.url ?? null, commented: 0, left: [] };
  const diff = await readDiff(api, number, new Set(fresh.map(({ path }) => path)));
  const isInside = (finding: MarkedFinding) => isShown(diff.get(finding.path) ?? [], finding);
  const inside = fresh.filter(isInside);
  const outside = fresh.filter((finding) => !isInside(finding));
  const send = (accepted: readonly MarkedFinding[]) => {
    const refused = inside.filter((finding) => !accepted.includes(finding));
    return sendOnce(options, { inside: accepted, outside: [...refused, ...outside] });
  };
  try {
    return await send(inside);
  } catch (cause) {
    if (!isRefusedContent(cause) || inside.length === 0) throw cause;
    const accepted = await acceptedOf(options, { inside, cause });
    return await send(accepted).catch(async (again: unknown) => {
      if (!isRefusedContent(again) || accepted.length === 0) throw again;
      return await send([]);
    });
  }
}

async function readDiff(
  api: GitHubApi,
  number: number,
  paths: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly LineRange[]>> {
  const diff = new Map<string, readonly LineRange[]>();
  for await (const { filename, patch } of api.items(`/pulls/${number}/files`, fileSchema, MAX_FILE_PAGES)) {
    // A binary file has no patch, nor has one that is too large.
    if (paths.has(filename)) diff.set(filename, shownLines(patch ?? ""));
  }
  return diff;
}

type Draft = {
  readonly inside: readonly MarkedFinding[];
  readonly outside: readonly MarkedFinding[];
};

/** Without an answer the review may exist or not: searches for it before the one retry. */
async function sendOnce(options: PullReviewOptions, draft: Draft): Promise<PullReview> {
  const { text, left } = reviewText({ ...options, ...draft });
  const published = [...draft.inside, ...draft.outside].filter((finding) => !left.includes(finding));
  const end = (url: string): PullReview => ({ url, commented: published.length, left });
  const body = {
    event: "COMMENT",
    body: text,
    comments: draft.inside.map((finding) => commentOf(finding, options)),
  };
  try {
    return end((await post(options, body)).html_url);
  } catch (cause) {
    if (!(cause instanceof GitHubError && cause.code === "code_host_unavailable")) throw cause;
    const { review, markers } = await readPublished(options.api, options);
    const isThere = review !== null && published.every(({ marker }) => markers.has(marker));
    return end(isThere ? review.url : (await post(options, body)).html_url);
  }
}

async function post(
  { api, number, headSha }: PullReviewOptions,
  body: { event?: string; body: string; comments: readonly unknown[] },
): Promise<z.infer<typeof madeSchema>> {
  const write = { method: "POST", path: `/pulls/${number}/reviews`, isRepeatable: false } as const;
  return await api.write({ ...write, body: { commit_id: headSha, ...body } }, madeSchema);
}

function commentOf(
  finding: MarkedFinding,
  { headSha }: PullReviewOptions,
): Readonly<Record<string, unknown>> {
  const { path, startLine, line } = finding;
  const start = startLine === line ? {} : { start_line: startLine, start_side: "RIGHT" };
  return { path, ...start, line, side: "RIGHT", body: commentText(finding, headSha) };
}

/** GitHub refuses all comments for a bad one, and does not say which: bisects them, with pending reviews that are deleted. */
async function acceptedOf(
  options: PullReviewOptions,
  { inside, cause }: { inside: readonly MarkedFinding[]; cause: unknown },
): Promise<readonly MarkedFinding[]> {
  const hadProbes = await dropProbes(options);
  // Where GitHub refuses even an empty review, no comment is the cause.
  if (!(await isTaken(options, []))) throw cause;
  let probes = 0;
  const among = async (some: readonly MarkedFinding[]): Promise<readonly MarkedFinding[]> => {
    if (probes >= MAX_PROBES) return [];
    probes += 1;
    return (await isTaken(options, some)) ? some : await amongRefused(some);
  };
  const amongRefused = async (some: readonly MarkedFinding[]): Promise<readonly MarkedFinding[]> => {
    if (some.length <= 1) return [];
    const middle = Math.ceil(some.length / 2);
    const rest = some.slice(middle);
    const first = await among(some.slice(0, middle));
    // If the first half is accepted, the bad one is in the rest.
    return [...first, ...(await (first.length === middle ? amongRefused(rest) : among(rest)))];
  };
  return await (hadProbes ? among(inside) : amongRefused(inside));
}

async function isTaken(options: PullReviewOptions, findings: readonly MarkedFinding[]): Promise<boolean> {
  try {
    const text = `Not sent.\n\n${probeMarker()}`;
    const { id } = await post(options, {
      body: text,
      comments: findings.map((one) => commentOf(one, options)),
    });
    await drop(options, id);
    return true;
  } catch (cause) {
    if (isRefusedContent(cause)) return false;
    throw cause;
  }
}

/** Deletes pending reviews that a killed job left: an account can have only one a pull request. True where there was one. */
async function dropProbes(options: PullReviewOptions): Promise<boolean> {
  const { pending } = await readPublished(options.api, options);
  const probes = pending.filter(({ markers }) => markers.includes(probeMarker()));
  for (const { id } of probes) await drop(options, id);
  return probes.length > 0;
}

async function drop({ api, number }: PullReviewOptions, id: number): Promise<void> {
  const path = `/pulls/${number}/reviews/${id}`;
  await api.write({ method: "DELETE", path, isRepeatable: true }, z.unknown()).catch((cause: unknown) => {
    if (!(cause instanceof GitHubError && cause.status === 404)) throw cause;
  });
}

function isRefusedContent(cause: unknown): boolean {
  return cause instanceof GitHubError && cause.status === 422;
}
