// GitLab as reviews need it: by the token of the workflow, in the words of the command.

import * as z from "zod/mini";
import { type NoteThreads, publishedIn, resolvedTexts, threadsIn } from "../../job/findings/note-threads.ts";
import type {
  Comparison,
  NewCheck,
  RepositoryFile,
  RepositoryFilePlace,
  ReviewsHost,
  ReviewsReader,
  ReviewWords,
} from "../../job/findings/reviews-host.ts";
import { filesUrl } from "../../render/blob-url.ts";
import type { Finding, WrittenCheck } from "../../report/findings.ts";
import type { GitLabApi } from "../gitlab-api.ts";
import { withoutQuickActions } from "../inert-actions.ts";
import type { Project } from "../project.ts";
import { roleAdvice } from "../token-advice.ts";
import { noteUrls, readDiscussions } from "./discussions.ts";
import { publishDrafts } from "./draft-review.ts";

/** A Developer pushes. https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const DEVELOPER = 30;

export type GitLabReviewsOptions = {
  readonly api: GitLabApi;
  readonly project: Project;
  /** The page of the merge request. */
  readonly url: string;
  readonly viewerId: number;
  readonly writeCheck: ((check: NewCheck) => Promise<WrittenCheck>) | null;
  readonly warn: (text: string) => void;
  readonly note: (text: string) => void;
};

type Reading = Pick<GitLabReviewsOptions, "api" | "url" | "viewerId">;

/** Sends nothing until the first call. */
export function gitlabReviewsReader({ api, url, viewerId }: Reading): ReviewsReader {
  const members = new Map<number, Promise<boolean>>();
  const urlOf = noteUrls({ url });
  let listed: Promise<NoteThreads> | null = null;
  const list = async (number: number, isFresh: boolean): Promise<NoteThreads> => {
    if (isFresh || listed === null) listed = readDiscussions(api, { number, viewerId });
    return await listed;
  };
  const hasWriteAccess: ReviewsReader["hasWriteAccess"] = async ({ databaseId: id }) => {
    if (typeof id !== "number") return false;
    const known = members.get(id) ?? isDeveloper(api, id);
    members.set(id, known);
    return await known;
  };
  return {
    words,
    readPublished: async ({ number, runId }) => publishedIn(await list(number, true), { urlOf, runId }),
    readThreads: async (number) => threadsIn(await list(number, false), urlOf),
    readHiddenReviews: async (number) => {
      const hidden = new Set<string>();
      for (const { url: of, by } of resolvedTexts(await list(number, false), urlOf))
        if (await hasWriteAccess(by)) hidden.add(of);
      return hidden;
    },
    hasWriteAccess,
    readFile: (place) => readFile(api, place),
    compare: (since, headSha) => compare(api, { since, headSha }),
  };
}

/** Sends nothing until the first call. */
export function gitlabReviews(options: GitLabReviewsOptions): ReviewsHost {
  const { api, project, url, viewerId, writeCheck, warn, note } = options;
  return {
    ...gitlabReviewsReader(options),
    resolveThread: async (number, threadId) => {
      const path = `/merge_requests/${number}/discussions/${encodeURIComponent(threadId)}`;
      await api.write({ method: "PUT", path, body: { resolved: true } }, z.unknown());
    },
    reply: async ({ number, thread, body }) => {
      const path = `/merge_requests/${number}/discussions/${encodeURIComponent(thread?.id ?? "")}/notes`;
      await api.write({ method: "POST", path, body: { body: withoutQuickActions(body) } }, z.unknown());
    },
    publish: (review) =>
      publishDrafts({
        ...review,
        api,
        url,
        viewerId,
        filesUrl: filesUrl({ repositoryUrl: `${project.web_url}/-` }, review.headSha),
      }),
    writeReview: async ({ number }, body) => {
      const write = { method: "POST", path: `/merge_requests/${number}/notes`, body: { body } } as const;
      const { id } = await api.write(write, z.object({ id: z.int() }));
      return `${url}#note_${id}`;
    },
    editReview: async (number, { id, body }) => {
      const path = `/merge_requests/${number}/notes/${id}`;
      await api.write({ method: "PUT", path, body: { body } }, z.unknown());
    },
    writeCheck,
    // Nothing is opened for the merge request of a fork.
    canOnlyRead: () => false,
    annotate: (findings) => tellLeft(findings, note),
    warn,
    note,
  };
}

/** GitLab's jobs have no annotations at lines. */
function tellLeft(findings: readonly Finding[], note: (text: string) => void): number {
  if (findings.length > 0) note(`Findings that are in the summary and the reply alone: ${findings.length}.`);
  return 0;
}

/** Also by a group. https://docs.gitlab.com/api/project_members (2026-11-29) */
async function isDeveloper(api: GitLabApi, id: number): Promise<boolean> {
  const member = await api.read(`/members/all/${id}`, z.object({ access_level: z.int() }));
  return (member?.access_level ?? 0) >= DEVELOPER;
}

const fileSchema = z.object({ size: z.int(), content: z.string() });

/** https://docs.gitlab.com/api/repository_files (2026-11-29): a folder and a submodule are no files to it. */
async function readFile(
  api: GitLabApi,
  { path, ref, maxBytes }: RepositoryFilePlace,
): Promise<RepositoryFile> {
  const at = `/repository/files/${encodeURIComponent(path)}?ref=${encodeURIComponent(ref)}`;
  const found = await api.read(at, fileSchema);
  if (found === null) return { type: "missing" };
  if (found.size > maxBytes) return { type: "too_large" };
  return { type: "file", text: Buffer.from(found.content, "base64").toString("utf8") };
}

const comparisonSchema = z.object({
  compare_timeout: z.optional(z.boolean()),
  diffs: z.array(
    z.object({
      old_path: z.string(),
      new_path: z.string(),
      diff: z.optional(z.nullable(z.string())),
      renamed_file: z.optional(z.boolean()),
    }),
  ),
});

/** https://docs.gitlab.com/api/repositories/#compare-branches-tags-or-commits (2026-11-29) */
async function compare(
  api: GitLabApi,
  { since, headSha }: { readonly since: string; readonly headSha: string },
): Promise<Comparison | null> {
  const [from, to] = [encodeURIComponent(since), encodeURIComponent(headSha)];
  const found = await api.read(`/repository/compare?from=${from}&to=${to}`, comparisonSchema);
  if (found === null) return null;
  const base = await api.read(
    `/repository/merge_base?refs[]=${from}&refs[]=${to}`,
    z.object({ id: z.string() }),
  );
  const { diffs, compare_timeout: isCut = false } = found;
  return {
    renames: new Map(
      diffs.flatMap(({ old_path: old, new_path: path, renamed_file: isRenamed }) =>
        isRenamed === true ? [[old, path] as const] : [],
      ),
    ),
    patches: diffs.flatMap(({ new_path: path, diff }) => (diff ? [{ path, patch: diff }] : [])),
    unshown: diffs.flatMap(({ new_path: path, diff }) => (diff ? [] : [path])),
    isAhead: base?.id === since,
    isWhole: !isCut,
  };
}

const role = roleAdvice({ number: 0, isPullRequest: true });

const words: ReviewWords = {
  host: "GitLab",
  pullRequest: "merge request",
  check: "commit status",
  named: (number) => `!${number}`,
  pathSettings: "--paths and --ignore-paths",
  instead: "in the summary and the reply",
  noReview: "The job of a fork's merge request can write no review.",
  noCheck: "The job of a fork's merge request can write no commit status.",
  mayReview: role,
  mayCheck: role,
  mayResolve: role,
};
