// The JSON of GitLab's accounts, tokens, project, issues and merge requests. Pure.
// https://docs.gitlab.com/api/users, …/api/personal_access_tokens, …/api/projects, …/api/issues, …/api/merge_requests (2026-11-29)

import type { Account, GitLabItem, GitLabToken } from "./records.ts";

/** Where the project is. */
export type Site = {
  readonly url: string;
  /** "my-group/my-project" */
  readonly path: string;
  readonly projectId: number;
};

export type Branches = {
  /** Of the source branch; null where it is gone. */
  readonly head: string | null;
  readonly refs: {
    readonly base_sha: string;
    readonly head_sha: string;
    readonly start_sha: string;
  } | null;
};

/** A time for each number, later for a greater one: "2026-11-01T01:56:41.000Z". */
export function timeOf(id: number): string {
  return new Date(Date.UTC(2026, 10, 1) + id * 1_000).toISOString();
}

export function personView(
  { id, username }: Pick<Account, "id" | "username">,
  { url }: Pick<Site, "url">,
): object {
  return {
    id,
    username,
    name: username,
    state: "active",
    locked: false,
    avatar_url: `${url}/uploads/-/system/user/avatar/${id}/avatar.png`,
    web_url: `${url}/${username}`,
  };
}

/** The account of the token, to itself. */
export function viewerView(account: Account, site: Site): object {
  const { id, username } = account;
  const email = `${username}@noreply.gitlab.example.com`;
  return {
    ...personView(account, site),
    created_at: timeOf(id),
    bot: username.includes("_bot"),
    email,
    commit_email: email,
    external: false,
    two_factor_enabled: false,
  };
}

export function tokenView({ scopes, expiresOn }: GitLabToken, { id }: Account): object {
  return {
    id: 4,
    name: "agent",
    revoked: false,
    active: true,
    created_at: timeOf(4),
    description: null,
    last_used_at: timeOf(5),
    scopes,
    user_id: id,
    expires_at: expiresOn,
  };
}

export function memberView(account: Account, { site, level }: { site: Site; level: number }): object {
  return {
    ...personView(account, site),
    access_level: level,
    created_at: timeOf(account.id),
    expires_at: null,
    membership_state: "active",
  };
}

export function projectView({ url, path, projectId }: Site): object {
  const [namespace = "", name = ""] = path.split("/");
  return {
    id: projectId,
    description: null,
    name,
    name_with_namespace: `${namespace} / ${name}`,
    path: name,
    path_with_namespace: path,
    created_at: timeOf(projectId),
    default_branch: "main",
    topics: [],
    ssh_url_to_repo: `git@gitlab.example.com:${path}.git`,
    http_url_to_repo: `${url}/${path}.git`,
    web_url: `${url}/${path}`,
    readme_url: `${url}/${path}/-/blob/main/README.md`,
    forks_count: 0,
    avatar_url: null,
    star_count: 0,
    last_activity_at: timeOf(projectId),
    namespace: {
      id: 3,
      name: namespace,
      path: namespace,
      kind: "group",
      full_path: namespace,
      parent_id: null,
      avatar_url: null,
      web_url: `${url}/groups/${namespace}`,
    },
    visibility: "private",
    empty_repo: false,
    archived: false,
  };
}

export function issueView(issue: GitLabItem, site: Site): object {
  const api = `${site.url}/api/v4/projects/${site.projectId}`;
  const { iid, confidential = false } = issue;
  return {
    ...itemView(issue, { site, kind: "issues", mark: "#" }),
    type: "ISSUE",
    issue_type: "issue",
    confidential,
    due_date: null,
    merge_requests_count: 0,
    moved_to_id: null,
    severity: "UNKNOWN",
    service_desk_reply_to: null,
    has_tasks: false,
    task_status: "0 of 0 checklist items completed",
    subscribed: true,
    _links: {
      self: `${api}/issues/${iid}`,
      notes: `${api}/issues/${iid}/notes`,
      award_emoji: `${api}/issues/${iid}/award_emoji`,
      project: api,
    },
  };
}

/** As lists have it. */
export function mergeRequestView(
  item: GitLabItem,
  { site, head }: { readonly site: Site; readonly head: string | null },
): object {
  const { iid, sourceBranch = "topic", targetBranch = "main", sourceProjectId, state, title } = item;
  return {
    ...itemView(item, { site, kind: "merge_requests", mark: "!" }),
    reference: `!${iid}`,
    reviewers: item.reviewers.map((one) => personView(one, site)),
    source_branch: sourceBranch,
    target_branch: targetBranch,
    source_project_id: sourceProjectId === undefined ? site.projectId : sourceProjectId,
    target_project_id: site.projectId,
    sha: head,
    draft: title.startsWith("Draft:"),
    work_in_progress: title.startsWith("Draft:"),
    merged_by: null,
    merge_user: null,
    merged_at: null,
    merge_after: null,
    merge_when_pipeline_succeeds: false,
    merge_status: "can_be_merged",
    detailed_merge_status: state === "opened" ? "mergeable" : "not_open",
    merge_commit_sha: null,
    squash_commit_sha: null,
    squash: false,
    squash_on_merge: false,
    should_remove_source_branch: null,
    force_remove_source_branch: false,
    prepared_at: timeOf(9_000 + iid),
    has_conflicts: false,
    blocking_discussions_resolved: true,
  };
}

/** As the answer about one has it. */
export function wholeMergeRequestView(
  item: GitLabItem,
  { site, branches }: { readonly site: Site; readonly branches: Branches },
): object {
  return {
    ...mergeRequestView(item, { site, head: branches.head }),
    subscribed: true,
    changes_count: "1",
    latest_build_started_at: null,
    latest_build_finished_at: null,
    first_deployed_to_production_at: null,
    pipeline: null,
    head_pipeline: null,
    diff_refs: branches.refs,
    merge_error: null,
    first_contribution: false,
    user: { can_merge: false },
  };
}

function itemView(
  { iid, title, description, state, labels, author, assignees }: GitLabItem,
  { site, kind, mark }: { readonly site: Site; readonly kind: string; readonly mark: string },
): object {
  const people = assignees.map((one) => personView(one, site));
  const at = timeOf(9_000 + iid);
  return {
    id: 9_000 + iid,
    iid,
    project_id: site.projectId,
    title,
    description,
    state,
    created_at: at,
    updated_at: at,
    closed_at: state === "closed" ? at : null,
    closed_by: null,
    labels: labels.toSorted(),
    milestone: null,
    author: personView(author, site),
    assignees: people,
    assignee: people[0] ?? null,
    user_notes_count: 0,
    upvotes: 0,
    downvotes: 0,
    discussion_locked: null,
    references: { short: `${mark}${iid}`, relative: `${mark}${iid}`, full: `${site.path}${mark}${iid}` },
    time_stats: {
      time_estimate: 0,
      total_time_spent: 0,
      human_time_estimate: null,
      human_total_time_spent: null,
    },
    task_completion_status: { count: 0, completed_count: 0 },
    web_url: `${site.url}/${site.path}/-/${kind}/${iid}`,
  };
}
