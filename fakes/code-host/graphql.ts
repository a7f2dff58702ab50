// The operations of GitHub's GraphQL API that the Action uses. https://docs.github.com/en/graphql

import { execFileSync } from "node:child_process";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { ACTIONS_BOT } from "./comments.ts";
import type { CodeHostDiscussions } from "./discussions.ts";
import { sendJson } from "./server.ts";

export type GraphqlWorld = {
  /** Where a repository is on disk. */
  readonly pathOf: (repository: string) => string | undefined;
  readonly mayWrite: boolean;
  readonly protectedBranches: ReadonlySet<string>;
  /** A list of a pull request, by its GraphQL field; undefined for another one, or without the permission. */
  readonly pullRequestList: (number: number, field: string) => readonly object[] | undefined;
  /** Resolves a thread as the job's token: null where there is none, false without the permission. */
  readonly resolveThread: (id: string) => boolean | null;
  readonly discussions: CodeHostDiscussions;
  readonly mayOnDiscussions: { readonly read: boolean; readonly write: boolean };
};

/** GitHub's largest page is of a hundred; smaller here, so that tests turn pages. */
const PAGE = 20;

type CommitInput = {
  readonly branch: { readonly repositoryNameWithOwner: string; readonly branchName: string };
  readonly expectedHeadOid: string;
  readonly message: { readonly headline: string; readonly body: string };
  readonly fileChanges: {
    readonly additions: readonly { readonly path: string; readonly contents: string }[];
    readonly deletions: readonly { readonly path: string }[];
  };
};

/** Answers one operation. */
export function serveGraphql(response: ServerResponse, body: string, world: GraphqlWorld): void {
  const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> };
  const { discussions, mayOnDiscussions } = world;
  const [, subject, field] = /\bsubject: (\w+)\(.*?\blist: (\w+)\(/.exec(query) ?? [];
  if (field !== undefined) {
    const number = Number(variables.number);
    const list =
      subject === "discussion"
        ? mayOnDiscussions.read && discussions.list(number, field)
        : world.pullRequestList(number, field);
    sendJson(response, 200, listPage(list || undefined, variables));
    return;
  }
  const answered = discussions.answer({ query, variables }, mayOnDiscussions);
  if (answered !== null) {
    const answer =
      "data" in answered
        ? answered
        : { data: null, errors: [{ type: answered.type, message: answered.fault }] };
    sendJson(response, 200, answer);
    return;
  }
  if (/\bresolveReviewThread\b/.test(query)) {
    const isResolved = world.resolveThread(String(variables.threadId));
    const fault = isResolved === null ? "NOT_FOUND" : "FORBIDDEN";
    const message = "Resource not accessible by integration";
    sendJson(
      response,
      200,
      isResolved === true
        ? { data: { resolveReviewThread: { thread: { isResolved } } } }
        : { data: { resolveReviewThread: null }, errors: [{ type: fault, message }] },
    );
    return;
  }
  if (/\bviewer\b/.test(query)) {
    sendJson(response, 200, {
      data: { viewer: { login: ACTIONS_BOT.login, databaseId: ACTIONS_BOT.id } },
    });
    return;
  }
  if (/\bcreateCommitOnBranch\b/.test(query)) {
    const made = commitOnBranch(variables.input as CommitInput, world);
    const answer =
      "oid" in made
        ? { data: { createCommitOnBranch: { commit: { oid: made.oid } } } }
        : { data: { createCommitOnBranch: null }, errors: [{ message: made.fault }] };
    sendJson(response, 200, answer);
    return;
  }
  sendJson(response, 200, {
    errors: [{ message: `The code host knows no such operation: ${query.slice(0, 80)}` }],
  });
}

/** https://docs.github.com/en/graphql/guides/using-pagination-in-the-graphql-api */
function listPage(list: readonly object[] | undefined, { after }: Record<string, unknown>): object {
  if (list === undefined) {
    return { data: { repository: null }, errors: [{ message: "Resource not accessible by integration" }] };
  }
  const from = Number(after ?? 0);
  const end = Math.min(list.length, from + PAGE);
  const pageInfo = { hasNextPage: end < list.length, endCursor: end === 0 ? null : String(end) };
  const page = { pageInfo, nodes: list.slice(from, end) };
  return { data: { repository: { subject: { list: page } } } };
}

/** https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch */
function commitOnBranch(input: CommitInput, world: GraphqlWorld): { oid: string } | { fault: string } {
  const { branch, expectedHeadOid, message, fileChanges } = input;
  const cwd = world.pathOf(branch.repositoryNameWithOwner);
  if (cwd === undefined) return { fault: "Could not resolve to a Repository." };
  if (!world.mayWrite) return { fault: "Resource not accessible by integration" };
  const { branchName } = branch;
  if (world.protectedBranches.has(branchName)) return { fault: "Protected branch update failed" };
  const ref = `refs/heads/${branchName}`;
  const git = (args: readonly string[], stdin: string | Buffer = ""): string => {
    const person = ["NAME=GitHub", "EMAIL=noreply@github.com"];
    const env = ["AUTHOR", "COMMITTER"].flatMap((who) => person.map((field) => `GIT_${who}_${field}`));
    const index = `GIT_INDEX_FILE=${join(cwd, "graphql-index")}`;
    return execFileSync("env", [...env, index, "git", ...args], { cwd, input: stdin })
      .toString()
      .trim();
  };
  const head = git(["rev-parse", ref]);
  if (head !== expectedHeadOid) {
    return { fault: `Expected branch to point to "${expectedHeadOid}" but it pointed to "${head}".` };
  }
  git(["read-tree", head]);
  for (const { path } of fileChanges.deletions) {
    git(["update-index", "-z", "--index-info"], `0 ${"0".repeat(40)}\t${path}\0`);
  }
  for (const { path, contents } of fileChanges.additions) {
    const blob = git(["hash-object", "-w", "--stdin"], Buffer.from(contents, "base64"));
    git(["update-index", "-z", "--index-info"], `100644 ${blob}\t${path}\0`);
  }
  const oid = git(
    ["commit-tree", git(["write-tree"]), "-p", head],
    `${message.headline}\n\n${message.body}\n`,
  );
  git(["update-ref", ref, oid, head]);
  return { oid };
}
