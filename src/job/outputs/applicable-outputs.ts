// The typed outputs of a job that have something to be written to: a label needs an issue. Pure.

import type { OutputType, TypedOutputs } from "../../contract/runs/typed-outputs.ts";

/** What the job is about. */
export type OutputSubject = "issue" | "pull_request" | "discussion" | "none";

const needs: { readonly [Type in OutputType]: readonly OutputSubject[] | null } = {
  labels: ["issue", "pull_request"],
  assign: ["issue", "pull_request"],
  reviewers: ["pull_request"],
  close: ["issue"],
  issue: null,
  discussion: null,
  dispatch: null,
};

/** Whether one of the type can be written where the job is about this. */
export function isApplicable(type: OutputType, subject: OutputSubject): boolean {
  return needs[type]?.includes(subject) ?? true;
}

const words: { readonly [Subject in OutputSubject]: string } = {
  issue: "an issue",
  pull_request: "a pull request",
  discussion: "a discussion",
  none: "no issue and no pull request",
};

/** Why these of the declared outputs are not asked for. */
export function notWritableText(types: readonly string[], subject: OutputSubject): string {
  return `Not among the outputs of this job, which is about ${words[subject]}: ${types.join(", ")}.`;
}

/** Null where none is left. */
export function applicableOutputs(declared: TypedOutputs, subject: OutputSubject): TypedOutputs | null {
  const types = Object.keys(declared) as OutputType[];
  const left = types.filter((type) => isApplicable(type, subject));
  if (left.length === 0) return null;
  return Object.fromEntries(left.map((type) => [type, declared[type]]));
}
