// Settings of what the job of `agent-service run` writes on the code host, from its flags.

import type { SubmitRunRequest } from "../contract/runs/run-requests.ts";
import type { ReviewedPaths } from "../job/findings/reviewed-paths.ts";
import type { Severity } from "../report/findings.ts";
import { UsageError } from "./flags.ts";
import type { RunFlags } from "./run-flags.ts";

export type WriteBackSettings = {
  /** Whether a comment on the pull request follows the run. */
  readonly comment: boolean;
  /** Null: they stay in the patch. */
  readonly changes: "commit" | "pull-request" | null;
  readonly branchPrefix: string;
  readonly review: ReviewSettings | null;
};

export type ReviewSettings = {
  readonly commitStatus: boolean;
  /** The least severe finding that fails the job. */
  readonly threshold: Severity | null;
  readonly reviewed: ReviewedPaths;
};

/** What a submission has of it. */
export type PreparedWriteBack = {
  /** For the end of the prompt; "" for nothing. */
  readonly text: string;
  readonly outputSchema: SubmitRunRequest["output_schema"];
  /** Later runs of the same job update what this one opens. */
  readonly sessionKey: string | undefined;
  readonly isReview: boolean;
  /** Whether anything is written at all. */
  readonly writes: boolean;
};

export const nothingPrepared: PreparedWriteBack = {
  text: "",
  outputSchema: undefined,
  sessionKey: undefined,
  isReview: false,
  writes: false,
};

/** Null where nothing is to be written. Throws UsageError for flags that belong to others. */
export function readWriteBack(values: RunFlags): WriteBackSettings | null {
  const review = values.findings === "review" ? readReview(values) : refuseOfReview(values);
  const changes = values.changes === "patch" ? null : values.changes;
  if (changes !== null && values.issue !== null)
    throw new UsageError(
      `--changes ${changes} and --issue exclude each other: anybody may have written the issue. Leave the changes in the patch, or start the job on a branch.`,
    );
  const { comment, "branch-prefix": branchPrefix } = values;
  if (!comment && changes === null && review === null) return null;
  return { comment, changes, branchPrefix, review };
}

function readReview(values: RunFlags): ReviewSettings {
  if (values["output-schema"] !== null)
    throw new UsageError(
      "--output-schema and --findings review exclude each other: a review has a schema of its own.",
    );
  const severity = values["fail-on-severity"];
  return {
    commitStatus: values["commit-status"],
    threshold: severity === "none" ? null : severity,
    reviewed: { paths: values.paths ?? [], ignorePaths: values["ignore-paths"] ?? [] },
  };
}

function refuseOfReview(values: RunFlags): null {
  const given = [
    ...(values["commit-status"] ? ["--commit-status"] : []),
    ...(values["fail-on-severity"] === "none" ? [] : ["--fail-on-severity"]),
    ...(values.paths === null ? [] : ["--paths"]),
    ...(values["ignore-paths"] === null ? [] : ["--ignore-paths"]),
  ];
  if (given.length === 0) return null;
  throw new UsageError(
    `${given.join(", ")} needs --findings review: add it, or remove ${given.length === 1 ? "it" : "them"}.`,
  );
}
