// Accounts, tokens, issues and merge requests of the project, as the fake keeps them.

export type GitLabRole = "none" | "guest" | "planner" | "reporter" | "developer" | "maintainer";

export type GitLabToken = {
  readonly account: string;
  readonly role: GitLabRole;
  readonly scopes: readonly string[];
  /** "2026-12-31" */
  readonly expiresOn: string;
};

export type Account = { readonly id: number; readonly username: string; readonly hasAccess: boolean };

export type GitLabItem = {
  iid: number;
  title: string;
  description: string | null;
  confidential?: boolean;
  state: "opened" | "closed";
  labels: string[];
  author: Account;
  assignees: Account[];
  reviewers: Account[];
  sourceBranch?: string;
  targetBranch?: string;
  /** Null where the fork is gone. */
  sourceProjectId?: number | null;
};
