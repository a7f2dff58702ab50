// Writes the typed outputs of a run that has ended, each within what the job itself has declared: neither the service nor the model
// is trusted. The same for each code host.
// Why: docs/decisions/146-typed-outputs.md

import { assertNever } from "../../base/assert-never.ts";
import { admitOutputs } from "../../contract/runs/admit-output.ts";
import type { TypedOutput } from "../../contract/runs/typed-outputs.ts";
import type { RefusedOutput, WrittenOutput, WrittenOutputs } from "../../report/written-outputs.ts";
import { StepError } from "../step-error.ts";
import { isApplicable } from "./applicable-outputs.ts";
import { fileIssue } from "./file-issue.ts";
import { addLabels, assignUsers, closeIssue, requestReviewers } from "./on-subject.ts";
import { NotWritten, type OutputsOptions } from "./outputs-host.ts";

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
      if (!(cause instanceof NotWritten) && !StepError.is(cause)) throw cause;
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
  { host, declared, subject, filing }: OutputsOptions,
  { one, index }: { readonly one: TypedOutput; readonly index: number },
): Promise<WrittenOutput> {
  const { type, number } = subject;
  if (!isApplicable(one.type, type))
    throw new NotWritten("This job is about nothing that it could be written to.");
  switch (one.type) {
    case "issue":
      return await fileIssue({ host, filing, declared: declared.issue ?? { max: 0 }, asked: one, index });
    case "discussion":
      return await host.writeOwn({
        type: "discussion",
        asked: one,
        declared: declared.discussion ?? { category: "", max: 0 },
        filing,
        index,
      });
    case "dispatch":
      return await host.writeOwn({ type: "dispatch", asked: one });
    case "labels":
    case "assign":
    case "reviewers":
    case "close": {
      if (number === null) throw new NotWritten("This job is about no issue and no pull request.");
      const on = { host, place: { number, isPullRequest: type === "pull_request" } };
      if (one.type === "labels") return await addLabels(on, one);
      if (one.type === "assign") return await assignUsers(on, one);
      if (one.type === "reviewers") return await requestReviewers(on, one);
      return await closeIssue(on, one);
    }
    default:
      return assertNever(one);
  }
}
