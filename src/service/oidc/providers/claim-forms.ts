// The forms that claims of several providers have: ids, refs, commits. Pure.

import * as z from "zod/mini";
import { ok, type Result } from "../../../base/result.ts";
import type { ExchangeRefusal } from "../../core/ci/refusals.ts";
import type { JobStatement } from "../../core/ci-jobs/job-identity.ts";
import { claimRefused } from "../registered-claims.ts";

/** The letters that git allows in a ref's name, and no leading dash: it ends up among git's arguments. */
export const REF_CHARS = String.raw`(?!-)(?!.*(?:\.\.|@\{))[^\s\p{Cc}~^:?*\[\\]+`;
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const COMMIT_FORM = "must be 40 or 64 hexadecimal digits";

export const numericId = matching(/^\d{1,20}$/, "must be a number in a string");
export const uuid = matching(UUID, "must be a UUID in small letters");
/** As Bitbucket writes it. */
export const bracedUuid = matching(
  /^\{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}$/,
  "must be a UUID in braces",
);
export const commit = matching(/^[0-9a-f]{40}([0-9a-f]{24})?$/, COMMIT_FORM);
export const branchName = matching(new RegExp(`^${REF_CHARS}$`, "u"), "must be the name of a branch or tag");

const workflowClaim = matching(/^[^\p{Cc}]{1,2000}$/u, "must be the ref path of a workflow");
const statementSchema = z.object({ sha: commit });

export function matching(pattern: RegExp, form: string) {
  return z.string(form).check(z.regex(pattern, form));
}

/** The value, where it has the form. A claim that only a policy reads may be missing: the policy then refuses. */
export function whereWellFormed(schema: z.ZodMiniType<string>, value: unknown): string | null {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/**
 * The file that started a job, and its ref, from a claim that begins with where the repository is. Null for a file of
 * another repository, which could have the same path.
 */
export function ownWorkflow(claim: unknown, repositoryPrefix: string): string | null {
  const text = whereWellFormed(workflowClaim, claim);
  if (text === null || !text.startsWith(repositoryPrefix)) return null;
  return text.slice(repositoryPrefix.length) || null;
}

/**
 * The commit that the job names, for a token that names none. It need not be true: whoever has the token can have its
 * agent read any commit that the clone URL serves.
 */
export function statedCommit(statement: JobStatement): Result<string, ExchangeRefusal> {
  const parsed = statementSchema.safeParse({ sha: statement.sha ?? undefined });
  if (parsed.success) return ok(parsed.data.sha);
  const refusal = claimRefused({ sha: statement.sha ?? undefined }, parsed.error);
  const detail = `The token names no commit. Send the job's commit as "sha" beside it: it ${COMMIT_FORM}.`;
  return { ok: false, refusal: { ...refusal.refusal, detail } };
}
