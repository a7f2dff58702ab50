// Writes the typed outputs of a run that has ended, each within what the job itself has declared: neither the service nor the model
// is trusted.
// Why: docs/decisions/146-typed-outputs.md

import { assertNever } from "../../base/assert-never.ts";
import { admitOutputs } from "../../contract/runs/admit-output.ts";
import type { TypedOutput } from "../../contract/runs/typed-outputs.ts";
import { isApplicable } from "../../job/outputs/applicable-outputs.ts";
import type { RefusedOutput, WrittenOutput, WrittenOutputs } from "../../report/written-outputs.ts";
import { GitHubError } from "../api/github-error.ts";
import { dispatchWorkflow } from "./dispatch-workflow.ts";
import { fileIssue } from "./file-issue.ts";
import { addLabels, assignUsers, closeIssue, requestReviewers } from "./on-subject.ts";
import { openDiscussion } from "./open-discussion.ts";
import { NotWritten, type OutputsOptions } from "./outputs-context.ts";

/** Rejects with the signal's reason alone: every other obstacle is a refusal. Safe to repeat. */
export async function writeOutputs(options: OutputsOptions): Promise<WrittenOutputs> {
  const { admitted, refused } = admitOutputs(options.declared, options.asked);
  const written: WrittenOutput[] = [];
  const left: RefusedOutput[] = [...refused];
  const indices = { issue: 0, discussion: 0 };
  for (const one of inOrder(admitted)) {
    const index = one.type === "issue" || one.type === "discussion" ? indices[one.type]++ : 0;
    try {
      written.push(await write(options, { one, index }));
    } catch (cause) {
      if (!(cause instanceof NotWritten) && !(cause instanceof GitHubError)) throw cause;
      left.push({ type: one.type, why: cause.message });
    }
  }
  return { written, refused: left };
}

/** What ends an issue comes after all that is written on it, and a workflow is started last. */
function inOrder(admitted: readonly TypedOutput[]): readonly TypedOutput[] {
  const late = ["close", "dispatch"];
  return admitted.toSorted((a, b) => late.indexOf(a.type) - late.indexOf(b.type));
}

async function write(
  options: OutputsOptions,
  { one, index }: { readonly one: TypedOutput; readonly index: number },
): Promise<WrittenOutput> {
  const { api, declared, subject } = options;
  const { type, number } = subject;
  if (!isApplicable(one.type, type))
    throw new NotWritten("This job is about nothing that it could be written to.");
  switch (one.type) {
    case "issue":
      return await fileIssue({ ...options, declared: declared.issue ?? { max: 0 }, asked: one, index });
    case "discussion":
      return await openDiscussion({
        ...options,
        declared: declared.discussion ?? { category: "", max: 0 },
        asked: one,
        index,
      });
    case "dispatch":
      return await dispatchWorkflow(options, one);
    case "labels":
    case "assign":
    case "reviewers":
    case "close": {
      if (number === null) throw new NotWritten("This job is about no issue and no pull request.");
      const place = { api, number, isPullRequest: type === "pull_request" };
      if (one.type === "labels") return await addLabels(place, one);
      if (one.type === "assign") return await assignUsers(place, one);
      if (one.type === "reviewers") return await requestReviewers(place, one);
      return await closeIssue(place, one);
    }
    default:
      return assertNever(one);
  }
}
