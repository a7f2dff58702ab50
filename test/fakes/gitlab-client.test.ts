// The fake of GitLab, driven by a client that others made: its types know the paths, the parameters and the fields of the answers.
// https://www.npmjs.com/package/@gitbeaker/rest (43.8.0)

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CommitDiffSchema,
  type CommitSchema,
  type CommitStatusSchema,
  type CondensedMemberSchema,
  type DiscussionNoteSchema,
  type DiscussionSchema,
  type ExpandedMergeRequestDiffVersionsSchema,
  type ExpandedMergeRequestSchema,
  GitbeakerRequestError,
  Gitlab,
  type IssueSchema,
  type MergeRequestDiffVersionsSchema,
  type MergeRequestDraftNoteSchema,
  type MergeRequestSchema,
  type NoteSchema,
  type PersonalAccessTokenSchema,
  type RepositoryCompareSchema,
  type RepositoryFileExpandedSchema,
  type SimpleProjectSchema,
  type SimpleUserSchema,
} from "@gitbeaker/rest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  BOT,
  type GitLabProject,
  IID,
  startGitLabProject,
  TOKEN,
} from "../support/fixtures/gitlab-project.ts";

const PROJECT = 20;

let folder: string;
let on: GitLabProject;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gitlab-client-"));
  on = await startGitLabProject(folder);
});
afterEach(async () => {
  await on.gitlab.close();
  await rm(folder, { recursive: true, force: true });
});

const client = (token = TOKEN) => new Gitlab({ host: on.gitlab.url, token });

/** What a type of the client declares by name: all of them take any other field too. */
type Declared<Schema> = {
  [Name in keyof Schema as string extends Name ? never : number extends Name ? never : Name]: Schema[Name];
};

/** The names of the fields that are always there. */
type Always<Schema> = keyof {
  [Name in keyof Schema as Record<never, never> extends Pick<Schema, Name> ? never : Name]: true;
};

/** Expects every field that the type declares as always there: one that is not listed does not compile. */
function expectFields<Schema extends object>(
  answer: Declared<Schema> | undefined,
  fields: Readonly<Record<Always<Declared<Schema>>, true>>,
): void {
  expect(Object.keys(answer ?? {})).toEqual(expect.arrayContaining(Object.keys(fields)));
}

/** Status and words of a refusal, as the client has them. */
async function refusal(call: Promise<unknown>): Promise<readonly [number | undefined, string]> {
  const cause: unknown = await call.then(
    () => null,
    (failed: unknown) => failed,
  );
  if (!(cause instanceof GitbeakerRequestError)) throw new Error("It was not refused.", { cause });
  return [cause.cause?.response.status, cause.message];
}

const person = {
  id: true,
  username: true,
  name: true,
  state: true,
  avatar_url: true,
  web_url: true,
} as const;
const note = {
  id: true,
  body: true,
  attachment: true,
  author: true,
  created_at: true,
  updated_at: true,
  system: true,
  noteable_id: true,
  noteable_type: true,
  noteable_iid: true,
  resolvable: true,
} as const;
const issue = {
  id: true,
  iid: true,
  project_id: true,
  title: true,
  description: true,
  state: true,
  type: true,
  author: true,
  labels: true,
  created_at: true,
  updated_at: true,
  upvotes: true,
  downvotes: true,
  merge_requests_count: true,
  user_notes_count: true,
  due_date: true,
  web_url: true,
  references: true,
  time_stats: true,
  has_tasks: true,
  task_status: true,
  confidential: true,
  discussion_locked: true,
  _links: true,
  task_completion_status: true,
  subscribed: true,
} as const;
const mergeRequest = {
  id: true,
  iid: true,
  project_id: true,
  title: true,
  description: true,
  state: true,
  created_at: true,
  updated_at: true,
  web_url: true,
  merged_by: true,
  merged_at: true,
  closed_by: true,
  closed_at: true,
  target_branch: true,
  source_branch: true,
  user_notes_count: true,
  upvotes: true,
  downvotes: true,
  author: true,
  assignees: true,
  assignee: true,
  reviewers: true,
  source_project_id: true,
  target_project_id: true,
  labels: true,
  draft: true,
  work_in_progress: true,
  milestone: true,
  merge_when_pipeline_succeeds: true,
  merge_status: true,
  detailed_merge_status: true,
  sha: true,
  merge_commit_sha: true,
  squash_commit_sha: true,
  discussion_locked: true,
  should_remove_source_branch: true,
  force_remove_source_branch: true,
  reference: true,
  references: true,
  time_stats: true,
  squash: true,
  task_completion_status: true,
  prepared_at: true,
  has_conflicts: true,
  blocking_discussions_resolved: true,
} as const;
const version = {
  id: true,
  head_commit_sha: true,
  base_commit_sha: true,
  start_commit_sha: true,
  created_at: true,
  merge_request_id: true,
  state: true,
  real_size: true,
} as const;

/** At a line of notes.txt. The client's types have lines as texts. */
const position = (lines: { readonly newLine: string; readonly oldLine?: string }) => ({
  positionType: "text" as const,
  baseSha: on.main,
  startSha: on.main,
  headSha: on.head,
  oldPath: "notes.txt",
  newPath: "notes.txt",
  ...lines,
});

describe("a client of others", () => {
  it("asks what its token is, whose, and with which role", async () => {
    const gitlab = client();
    const token = await gitlab.PersonalAccessTokens.show();
    // GitLab shows the token itself only when it is made.
    expectFields<Omit<Declared<PersonalAccessTokenSchema>, "token">>(token, {
      id: true,
      name: true,
      revoked: true,
      created_at: true,
      user_id: true,
      last_used_at: true,
      active: true,
    });
    expect([token.scopes, token.expires_at, "token" in token]).toEqual([["api"], "2099-12-31", false]);
    const viewer = await gitlab.Users.showCurrentUser();
    expectFields<SimpleUserSchema>(viewer, { ...person, created_at: true });
    expect([viewer.id, viewer.username]).toEqual([token.user_id, BOT]);
    const member = await gitlab.ProjectMembers.show(PROJECT, viewer.id, { includeInherited: true });
    expectFields<CondensedMemberSchema>(member, person);
    expect([member.access_level, member.expires_at]).toEqual([30, null]);
    const found = await gitlab.Users.all({ username: "OctoCat" });
    expect(found.map(({ username }) => username)).toEqual(["octocat"]);
    const project = await gitlab.Projects.show(PROJECT);
    expectFields<SimpleProjectSchema>(project, {
      id: true,
      description: true,
      name: true,
      name_with_namespace: true,
      path: true,
      path_with_namespace: true,
      created_at: true,
      default_branch: true,
      topics: true,
      ssh_url_to_repo: true,
      http_url_to_repo: true,
      web_url: true,
      readme_url: true,
      forks_count: true,
      avatar_url: true,
      star_count: true,
      last_activity_at: true,
      namespace: true,
    });
    expect(project.path_with_namespace).toBe("my-group/my-project");
  });

  it("opens a merge request, finds it by its branch, edits it, and is told of the one that is there", async () => {
    const gitlab = client();
    const create = () =>
      gitlab.MergeRequests.create(PROJECT, "fix", "main", "Fix it", { description: "Why." });
    expect((await refusal(create()))[0]).toBe(422);
    on.repository.updateRef("refs/heads/fix", on.head);
    const made = await create();
    const whole = {
      ...mergeRequest,
      subscribed: true,
      changes_count: true,
      latest_build_started_at: true,
      latest_build_finished_at: true,
      first_deployed_to_production_at: true,
      pipeline: true,
      head_pipeline: true,
      diff_refs: true,
      merge_error: true,
      first_contribution: true,
      user: true,
    } as const;
    // "approvals_before_merge" is of GitLab Premium.
    expectFields<Omit<Declared<ExpandedMergeRequestSchema>, "approvals_before_merge">>(made, whole);
    expect([made.source_branch, made.sha, made.state]).toEqual(["fix", on.head, "opened"]);
    expect(await refusal(create())).toEqual([
      409,
      `["Another open merge request already exists for this source branch: !${made.iid}"]`,
    ]);
    const edited = await gitlab.MergeRequests.edit(PROJECT, made.iid, { description: "Because." });
    expect(edited.description).toBe("Because.");
    const found = await gitlab.MergeRequests.all({ projectId: PROJECT, sourceBranch: "fix", scope: "all" });
    expect(found.map(({ iid }) => iid)).toEqual([made.iid]);
    expectFields<Omit<Declared<MergeRequestSchema>, "approvals_before_merge">>(found[0], mergeRequest);
    const shown = await gitlab.MergeRequests.show(PROJECT, IID);
    expect(shown.diff_refs).toEqual({ base_sha: on.main, head_sha: on.head, start_sha: on.main });
  });

  it("reads the versions of a merge request", async () => {
    const gitlab = client();
    const [newest] = await gitlab.MergeRequests.allDiffVersions(PROJECT, IID);
    expectFields<MergeRequestDiffVersionsSchema>(newest, version);
    const whole = await gitlab.MergeRequests.showDiffVersion(PROJECT, IID, newest?.id ?? 0);
    expectFields<ExpandedMergeRequestDiffVersionsSchema>(whole, { ...version, commits: true, diffs: true });
    expectFields<CommitDiffSchema>(whole.diffs[0], {
      diff: true,
      new_path: true,
      old_path: true,
      b_mode: true,
      new_file: true,
      renamed_file: true,
      deleted_file: true,
    });
  });

  it("writes and edits notes, and has the newest first unless it asks otherwise, page by page", async () => {
    const gitlab = client();
    for (let number = 1; number <= 5; number += 1)
      await gitlab.MergeRequestNotes.create(PROJECT, IID, `Note ${number}`);
    const all = await gitlab.MergeRequestNotes.all(PROJECT, IID, { perPage: 2 });
    expect(all.map(({ body }) => body)).toEqual(["Note 5", "Note 4", "Note 3", "Note 2", "Note 1"]);
    const reads = on.gitlab.requests.filter(({ method }) => method === "GET");
    expect(reads).toHaveLength(3);
    const { data, paginationInfo } = await gitlab.MergeRequestNotes.all(PROJECT, IID, {
      sort: "asc",
      perPage: 2,
      page: 2,
      showExpanded: true,
    });
    expect(data.map(({ body }) => body)).toEqual(["Note 3", "Note 4"]);
    expect(paginationInfo).toEqual({ total: 5, next: 3, current: 2, previous: 1, perPage: 2, totalPages: 3 });
    const [first] = data;
    expectFields<NoteSchema>(first, { ...note, project_id: true });
    const edited = await gitlab.MergeRequestNotes.edit(PROJECT, IID, first?.id ?? 0, { body: "Three." });
    expect([edited.body, edited.author.username]).toEqual(["Three.", BOT]);
    expect((await gitlab.MergeRequestNotes.show(PROJECT, IID, first?.id ?? 0)).body).toBe("Three.");
  });

  it("opens a thread at a line, answers it, resolves it and opens it again", async () => {
    const gitlab = client();
    const at = position({ newLine: "5" });
    const made = await gitlab.MergeRequestDiscussions.create(PROJECT, IID, "Five?", { position: at });
    expectFields<DiscussionSchema>(made, { id: true, individual_note: true });
    expectFields<DiscussionNoteSchema>(made.notes?.[0], { ...note, type: true });
    expect(made.notes?.map(({ type, resolvable }) => [type, resolvable])).toEqual([["DiffNote", true]]);
    await gitlab.MergeRequestDiscussions.addNote(PROJECT, IID, made.id, "Yes.");
    const states = async () => {
      const shown = await gitlab.MergeRequestDiscussions.show(PROJECT, IID, made.id);
      return shown.notes?.map(({ body, resolved }) => [body, resolved]);
    };
    await gitlab.MergeRequestDiscussions.resolve(PROJECT, IID, made.id, true);
    expect(await states()).toEqual([
      ["Five?", true],
      ["Yes.", true],
    ]);
    await gitlab.MergeRequestDiscussions.resolve(PROJECT, IID, made.id, false);
    expect(await states()).toEqual([
      ["Five?", false],
      ["Yes.", false],
    ]);
    const far = { position: position({ newLine: "500" }) };
    expect((await refusal(gitlab.MergeRequestDiscussions.create(PROJECT, IID, "Far.", far)))[0]).toBe(400);
    await gitlab.MergeRequestNotes.create(PROJECT, IID, "A note.");
    const [, single] = await gitlab.MergeRequestDiscussions.all(PROJECT, IID);
    expect([single?.individual_note, single?.notes?.[0]?.type]).toEqual([true, null]);
    const resolve = gitlab.MergeRequestDiscussions.resolve(PROJECT, IID, single?.id ?? "", true);
    expect(await refusal(resolve)).toEqual([403, "403 Forbidden"]);
  });

  it("drafts notes, which nobody else sees, and publishes them together", async () => {
    const gitlab = client();
    const draft = (text: string, lines: { readonly newLine: string; readonly oldLine?: string }) =>
      gitlab.MergeRequestDraftNotes.create(PROJECT, IID, text, { position: position(lines) });
    const added = await draft("Five?", { newLine: "5" });
    expectFields<MergeRequestDraftNoteSchema>(added, {
      id: true,
      author_id: true,
      merge_request_id: true,
      resolve_discussion: true,
      note: true,
      position: true,
    });
    expect(added.line_code).toMatch(/^[0-9a-f]{40}_\d+_5$/);
    await draft("Seven?", { newLine: "7", oldLine: "7" });
    on.gitlab.addToken("other", { account: "project_20_bot_other", role: "developer" });
    expect(await client("other").MergeRequestDraftNotes.all(PROJECT, IID)).toEqual([]);
    const far = await draft("Far.", { newLine: "500" });
    // It is taken, and would fail all of them.
    expect(far.line_code).toBeNull();
    expect((await refusal(gitlab.MergeRequestDraftNotes.publishBulk(PROJECT, IID)))[0]).toBe(500);
    await gitlab.MergeRequestDraftNotes.remove(PROJECT, IID, far.id);
    expect((await refusal(gitlab.MergeRequestDraftNotes.remove(PROJECT, IID, far.id)))[0]).toBe(404);
    await gitlab.MergeRequestDraftNotes.publishBulk(PROJECT, IID);
    expect(await gitlab.MergeRequestDraftNotes.all(PROJECT, IID)).toEqual([]);
    const threads = await client("other").MergeRequestDiscussions.all(PROJECT, IID);
    expect(threads.map(({ notes }) => notes?.map(({ body, type }) => [body, type]))).toEqual([
      [["Five?", "DiffNote"]],
      [["Seven?", "DiffNote"]],
    ]);
  });

  it("files issues, labels, assigns and closes them, and asks for reviews", async () => {
    const gitlab = client();
    const made = await gitlab.Issues.create(PROJECT, "It breaks", { description: "Here." });
    expectFields<IssueSchema>(made, issue);
    const octocat = on.gitlab.idOf("octocat") ?? 0;
    const edited = await gitlab.Issues.edit(PROJECT, made.iid, {
      addLabels: "bug,Area::API",
      assigneeIds: [octocat],
    });
    expect([edited.labels, edited.assignees?.map(({ username }) => username)]).toEqual([
      ["Area::API", "bug"],
      ["octocat"],
    ]);
    const closed = await gitlab.Issues.edit(PROJECT, made.iid, { stateEvent: "close" });
    expect(closed.state).toBe("closed");
    const viewer = await gitlab.Users.showCurrentUser();
    const own = await gitlab.Issues.all({ projectId: PROJECT, authorId: viewer.id, scope: "all" });
    expect(own.map(({ iid, state }) => [iid, state])).toEqual([[made.iid, "closed"]]);
    const asked = await gitlab.MergeRequests.edit(PROJECT, IID, { reviewerIds: [octocat] });
    expect(asked.reviewers?.map(({ username }) => username)).toEqual(["octocat"]);
  });

  it("sets and reads the status of a commit", async () => {
    const gitlab = client();
    const set = await gitlab.Commits.editStatus(PROJECT, on.head, "failed", {
      name: "agent-service/review",
      description: "1 error",
      targetUrl: "https://example.com/jobs/302",
      pipelineId: 601,
    });
    expectFields<CommitStatusSchema>(set, {
      id: true,
      sha: true,
      ref: true,
      status: true,
      name: true,
      target_url: true,
      created_at: true,
      allow_failure: true,
      author: true,
    });
    const named = { name: "agent-service/review" };
    const [read] = await gitlab.Commits.allStatuses(PROJECT, on.head, named);
    expect([read?.status, read?.pipeline_id, read?.author.username]).toEqual(["failed", 601, BOT]);
    expect(await gitlab.Commits.allStatuses(PROJECT, on.head, { name: "another" })).toEqual([]);
    const missing = gitlab.Commits.editStatus(PROJECT, "0".repeat(40), "success");
    expect(await refusal(missing)).toEqual([404, "404 Commit Not Found"]);
  });

  it("compares commits, finds where they part, and reads files", async () => {
    const gitlab = client();
    const compared = await gitlab.Repositories.compare(PROJECT, on.main, on.head);
    expectFields<RepositoryCompareSchema>(compared, {
      commit: true,
      compare_timeout: true,
      compare_same_ref: true,
    });
    expect(compared.diffs?.map(({ new_path: path, diff }) => [path, diff.startsWith("@@ -2,7 ")])).toEqual([
      ["notes.txt", true],
    ]);
    expect(compared.commits?.map(({ id }) => id)).toEqual([on.head]);
    const base = await gitlab.Repositories.mergeBase(PROJECT, [on.main, on.head]);
    expectFields<CommitSchema>(base, {
      id: true,
      short_id: true,
      title: true,
      message: true,
      author_name: true,
      author_email: true,
      created_at: true,
      web_url: true,
    });
    expect(base.id).toBe(on.main);
    const unknown = "f".repeat(40);
    expect(await refusal(gitlab.Repositories.mergeBase(PROJECT, [on.main, unknown]))).toEqual([
      400,
      `Could not find ref: ${unknown}`,
    ]);
    expect(await refusal(gitlab.Repositories.compare(PROJECT, unknown, on.head))).toEqual([
      404,
      "404 Ref Not Found",
    ]);
    const file = await gitlab.RepositoryFiles.show(PROJECT, "notes.txt", on.head);
    expectFields<RepositoryFileExpandedSchema>(file, {
      file_name: true,
      file_path: true,
      size: true,
      encoding: true,
      content: true,
      content_sha256: true,
      ref: true,
      blob_id: true,
      commit_id: true,
      last_commit_id: true,
    });
    expect(Buffer.from(file.content, "base64").toString()).toContain("line five\n");
    expect(await refusal(gitlab.RepositoryFiles.show(PROJECT, "none.txt", on.head))).toEqual([
      404,
      "404 File Not Found",
    ]);
  });

  it("is refused with a wrong token, too small a scope, too small a role, and where nothing is", async () => {
    expect(await refusal(client("none").Users.showCurrentUser())).toEqual([401, "401 Unauthorized"]);
    on.gitlab.addToken("reader", { scopes: ["read_api"] });
    const reader = client("reader");
    expect((await reader.MergeRequests.show(PROJECT, IID)).iid).toBe(IID);
    expect(await refusal(reader.MergeRequestNotes.create(PROJECT, IID, "No."))).toEqual([
      403,
      "insufficient_scope",
    ]);
    on.gitlab.addToken("guest", { role: "guest" });
    expect(await refusal(client("guest").MergeRequestNotes.create(PROJECT, IID, "No."))).toEqual([
      403,
      "403 Forbidden",
    ]);
    expect(await refusal(client().MergeRequests.show(PROJECT, 404))).toEqual([404, "404 Not found"]);
    expect(await refusal(client().Projects.show(21))).toEqual([404, "404 Project Not Found"]);
    on.gitlab.tokens.delete(TOKEN);
    expect(await refusal(client().Projects.show(PROJECT))).toEqual([401, "401 Unauthorized"]);
  });
});
