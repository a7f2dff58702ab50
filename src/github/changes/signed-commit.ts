// A commit that GitHub makes and signs, on top of a branch. Plain files only.
// https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch

import * as z from "zod/mini";
import type { ChangesHost, SignedChange, SigningContext } from "../../job/changes/changes-host.ts";
import { messageBody } from "../../job/changes/commit-message.ts";
import { Kept, namedPaths } from "../../job/changes/kept.ts";
import type { TreeChange } from "../../job/changes/scratch-repository.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";

/** GitHub refuses a request above about 45 MB; base64 adds a third. */
const MAX_BYTES = 30_000_000;

const MUTATION =
  "mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }";
const committedSchema = z.object({
  createCommitOnBranch: z.object({
    commit: z.object({ oid: z.string().check(z.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)) }),
  }),
});

export type Signing = {
  readonly context: SigningContext;
  readonly host: Pick<ChangesHost, "jobUrl" | "coAuthor">;
  readonly api: GitHubApi;
  /** owner/name */
  readonly repository: string;
};

/** Rejects with Kept, or with GitHubError. "moved": the branch is not at `tip` any more. */
export async function signCommit(
  { context, host, api, repository }: Signing,
  { branch, tip, from, to }: SignedChange,
): Promise<"moved" | { sha: string }> {
  const { run, title } = context;
  const fileChanges = await fileChangesOf(context, { from, to });
  const body = messageBody({ run, host });
  const input = {
    branch: { repositoryNameWithOwner: repository, branchName: branch },
    expectedHeadOid: tip,
    message: { headline: title, body },
    fileChanges,
  };
  const answer = await api
    .graphql({ query: MUTATION, variables: { input } }, committedSchema)
    .catch(async (cause: unknown) => {
      if (!(cause instanceof GitHubError)) throw cause;
      // Moved by somebody else, or by this request, whose answer was lost.
      if ((await context.tip(branch)) !== tip) return null;
      throw refusalOf(cause, branch);
    });
  if (answer === null) return "moved";
  const { oid: sha } = answer.createCommitOnBranch.commit;
  await context.pushed(sha);
  return { sha };
}

function refusalOf(cause: GitHubError, branch: string): unknown {
  if (cause.code === "code_host_unavailable") return cause;
  if (/protected branch|rule violations|\bGH0(06|13)\b/i.test(cause.detail)) {
    const message =
      `The changes were not pushed: ${branch} is protected. GitHub says: ${cause.detail} Use "changes: pull-request", ` +
      "or let GitHub Actions bypass that rule.";
    return new Kept("branch_protected", message, { cause });
  }
  if (/not accessible by integration|permission/i.test(cause.detail)) {
    const message =
      'The changes were not pushed: this job may not write the repository. Give it "permissions: contents: write".';
    return new Kept("permission_missing", message, { cause });
  }
  return new Kept("push_refused", `The changes were not pushed: GitHub refused them. ${cause.detail}`, {
    cause,
  });
}

type FileChanges = {
  readonly additions: { readonly path: string; readonly contents: string }[];
  readonly deletions: { readonly path: string }[];
};

async function fileChangesOf(
  { scratch }: SigningContext,
  { from, to }: { from: string; to: string },
): Promise<FileChanges> {
  const changes = await scratch.changes(from, to);
  const unfit = changes.filter(isUnfit);
  if (unfit.length > 0) {
    throw new Kept(
      "signing_unsupported",
      `The changes were not pushed: GitHub signs plain files only, and ${namedPaths(unfit.map(({ path }) => utf8(path)))} ` +
        'is not one: executable, a link, a submodule, or a name that is not UTF-8. Use "signed-commits: false".',
    );
  }
  const additions: FileChanges["additions"] = [];
  let bytes = 0;
  for (const { path, newMode, newId } of changes) {
    if (newMode === NOTHING) continue;
    const content = await scratch.blob(newId);
    bytes += content.length;
    if (bytes > MAX_BYTES) {
      const message =
        `The changes were not pushed: GitHub signs at most ${MAX_BYTES / 1_000_000} MB at once, and the changed files ` +
        'have more. Use "signed-commits: false".';
      throw new Kept("signing_unsupported", message);
    }
    additions.push({ path: utf8(path), contents: content.toString("base64") });
  }
  const gone = changes.filter(({ newMode }) => newMode === NOTHING);
  return { additions, deletions: gone.map(({ path }) => ({ path: utf8(path) })) };
}

const NOTHING = "000000";
const PLAIN = "100644";

function isUnfit({ path, newMode }: TreeChange): boolean {
  return (newMode !== PLAIN && newMode !== NOTHING) || Buffer.from(utf8(path)).toString("latin1") !== path;
}

function utf8(path: string): string {
  return Buffer.from(path, "latin1").toString("utf8");
}
