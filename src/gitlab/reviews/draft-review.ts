// One review of a merge request: draft notes at the lines of its diff, published together, then a note with the rest. It neither approves nor
// requests changes. Why: docs/decisions/183-gitlab-writes-back.md, https://docs.gitlab.com/api/draft_notes, …/api/merge_requests/#get-merge-request-diff-versions (2026-11-29)

import * as z from "zod/mini";
import { type CommentForm, commentText, reviewText } from "../../job/findings/finding-text.ts";
import { anchorsOf, type MarkedFinding, markersOf } from "../../job/findings/marker.ts";
import { publishedIn } from "../../job/findings/note-threads.ts";
import type { NewReview, PullReview } from "../../job/findings/reviews-host.ts";
import type { GitLabApi } from "../gitlab-api.ts";
import { GitLabError } from "../gitlab-error.ts";
import { withoutQuickActions } from "../inert-actions.ts";
import { type DiffRefs, linesOfDiff, type PositionedFile, positionOf } from "./diff-positions.ts";
import { noteUrls, readDiscussions } from "./discussions.ts";

/** Of a hundred each. */
const MAX_VERSION_PAGES = 5;
const MAX_DRAFT_PAGES = 5;
const MAX_SUGGESTED_LINES = 100;

const versionSchema = z.object({
  id: z.int(),
  head_commit_sha: z.string(),
  base_commit_sha: z.string(),
  start_commit_sha: z.string(),
});
const diffsSchema = z.object({
  diffs: z.array(z.object({ old_path: z.string(), new_path: z.string(), diff: z.string() })),
});
const draftSchema = z.object({
  id: z.int(),
  note: z.optional(z.nullable(z.string())),
  /** Null where GitLab did not find the line. */
  line_code: z.optional(z.nullable(z.string())),
});
const noteSchema = z.object({ id: z.int() });
const threadSchema = z.object({ notes: z.array(noteSchema) });

export type DraftReview = NewReview & {
  readonly api: GitLabApi;
  /** The page of the merge request. */
  readonly url: string;
  readonly viewerId: number;
  /** The address of the files at the commit: ".../-/blob/<sha>". */
  readonly filesUrl: string;
};

/** GitLab counts the lines that a suggestion replaces from the line of its note. */
export const gitlabForm: CommentForm = {
  suggestion: ({ startLine, line }, text) => {
    const above = line - startLine;
    // What could be a quick action is escaped, and would not be the same lines any more.
    return above > MAX_SUGGESTED_LINES || /^\/[a-z_]/im.test(text) ? null : `suggestion:-${above}+0`;
  },
  inert: withoutQuickActions,
};

/** Rejects with GitLabError. Safe to repeat: no finding is published twice. */
export async function publishDrafts(review: DraftReview): Promise<PullReview> {
  const { findings, earlier } = review;
  await dropDrafts(review);
  if (findings.length === 0) return { url: earlier.review?.url ?? null, commented: 0, left: [] };
  const files = await readFiles(review);
  const inside: MarkedFinding[] = [];
  const outside: MarkedFinding[] = [];
  for (const finding of findings)
    ((await isPlaced(review, { finding, files })) ? inside : outside).push(finding);
  if (inside.length > 0) await publishAll(review);
  const { text, left } = reviewText({ ...review, inside, outside, form: gitlabForm });
  const shown = outside.filter((finding) => !left.includes(finding));
  const id = await writeText(review, { text, isThread: shown.length > 0 });
  return { url: `${review.url}#note_${id}`, commented: inside.length + shown.length, left };
}

type Files = { readonly refs: DiffRefs; readonly byPath: ReadonlyMap<string, PositionedFile> } | null;

/** The diff of the version that was reviewed. Null where the merge request does not have that commit as a version of its own. */
async function readFiles({ api, number, headSha, findings }: DraftReview): Promise<Files> {
  const paths = new Set(findings.map(({ path }) => path));
  for await (const version of api.items(
    `/merge_requests/${number}/versions?`,
    versionSchema,
    MAX_VERSION_PAGES,
  )) {
    if (version.head_commit_sha !== headSha) continue;
    const found = await api.read(`/merge_requests/${number}/versions/${version.id}`, diffsSchema);
    const shown = (found?.diffs ?? []).filter((one) => paths.has(one.new_path));
    return {
      refs: {
        base_sha: version.base_commit_sha,
        head_sha: version.head_commit_sha,
        start_sha: version.start_commit_sha,
      },
      byPath: new Map(
        shown.map(({ old_path: oldPath, new_path: newPath, diff }) => [
          newPath,
          { oldPath, newPath, lines: linesOfDiff(diff) },
        ]),
      ),
    };
  }
  return null;
}

/** False where the diff does not show the lines, or GitLab takes no note there. */
async function isPlaced(
  review: DraftReview,
  { finding, files }: { readonly finding: MarkedFinding; readonly files: Files },
): Promise<boolean> {
  const file = files?.byPath.get(finding.path);
  if (files === null || file === undefined) return false;
  const text = commentText(finding, review.headSha, gitlabForm);
  const several = finding.startLine !== finding.line;
  for (const withRange of several ? [true, false] : [false]) {
    const position = positionOf(finding, { file, refs: files.refs, withRange });
    if (position === null) return false;
    try {
      await writeAt(review, { text, position });
      return true;
    } catch (cause) {
      if (!(cause instanceof GitLabError && cause.status === 400)) throw cause;
    }
  }
  return false;
}

/**
 * A draft, or a thread at once where GitLab found no line for the draft: it checks the position of a draft only when it publishes it, and one
 * that is wrong fails all. That of a thread it checks at once.
 */
async function writeAt(
  { api, number }: DraftReview,
  { text, position }: { readonly text: string; readonly position: object },
): Promise<void> {
  const path = `/merge_requests/${number}`;
  const draft = { method: "POST", path: `${path}/draft_notes`, body: { note: text, position } } as const;
  const { id, line_code: lineCode } = await api.write(draft, draftSchema);
  if (lineCode !== null) return;
  await dropDraft(api, `${path}/draft_notes/${id}`);
  const thread = { method: "POST", path: `${path}/discussions`, body: { body: text, position } } as const;
  await api.write(thread, threadSchema);
}

/** Deletes drafts that a killed job left: they would be published with these. */
async function dropDrafts({ api, number }: DraftReview): Promise<void> {
  const path = `/merge_requests/${number}/draft_notes`;
  for (const { id, note } of await readDrafts(api, path)) {
    if (anchorsOf(markersOf(note ?? "")).length === 0) continue;
    await dropDraft(api, `${path}/${id}`);
  }
}

async function dropDraft(api: GitLabApi, path: string): Promise<void> {
  await api.write({ method: "DELETE", path }, z.unknown()).catch((cause: unknown) => {
    if (!(cause instanceof GitLabError && cause.status === 404)) throw cause;
  });
}

async function readDrafts(api: GitLabApi, path: string): Promise<z.infer<typeof draftSchema>[]> {
  const found: z.infer<typeof draftSchema>[] = [];
  for await (const one of api.items(`${path}?`, draftSchema, MAX_DRAFT_PAGES)) found.push(one);
  return found;
}

/** Without an answer they may be published or not: what is left of them tells. */
async function publishAll({ api, number }: DraftReview): Promise<void> {
  const path = `/merge_requests/${number}/draft_notes`;
  const write = { method: "POST", path: `${path}/bulk_publish`, body: {} } as const;
  try {
    await api.write(write, z.unknown());
  } catch (cause) {
    if (!(cause instanceof GitLabError && cause.code === "code_host_unavailable")) throw cause;
    if ((await readDrafts(api, path)).length > 0) await api.write(write, z.unknown());
  }
}

/** A thread where it has findings of its own, so that people can resolve them; else a note, which holds up no merge. */
async function writeText(
  review: DraftReview,
  { text, isThread }: { readonly text: string; readonly isThread: boolean },
): Promise<number> {
  const { api, number, runId, url, viewerId } = review;
  const path = `/merge_requests/${number}/${isThread ? "discussions" : "notes"}`;
  const post = async () => {
    const write = { method: "POST", path, body: { body: text } } as const;
    if (!isThread) return (await api.write(write, noteSchema)).id;
    return (await api.write(write, threadSchema)).notes[0]?.id ?? 0;
  };
  return await post().catch(async (cause: unknown) => {
    if (!(cause instanceof GitLabError && cause.code === "code_host_unavailable")) throw cause;
    // The answer was lost: it may be there.
    const there = publishedIn(await readDiscussions(api, { number, viewerId }), {
      urlOf: noteUrls({ url }),
      runId,
    });
    const id = Number((there.review?.url ?? "").split("#note_")[1] ?? Number.NaN);
    return Number.isNaN(id) ? await post() : id;
  });
}
