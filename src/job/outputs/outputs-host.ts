// The port between the flow of typed outputs and a code host: what is there, and one write each. GitHub and GitLab implement it.

import type { OutputOf, TypedOutput, TypedOutputs } from "../../contract/runs/typed-outputs.ts";
import type { WrittenOutput } from "../../report/written-outputs.ts";
import type { OutputSubject } from "./applicable-outputs.ts";

/** The output was not written. The message is for people: why, and what to do. */
export class NotWritten extends Error {
  override readonly name = "NotWritten";
}

/** What the job is about. */
export type SubjectPlace = {
  readonly number: number;
  readonly isPullRequest: boolean;
};

type SubjectState = {
  readonly isOpen: boolean;
  readonly labels: readonly string[];
  /** Logins. */
  readonly assignees: readonly string[];
};

export type FiledIssue = {
  readonly number: number;
  readonly url: string;
  readonly isOpen: boolean;
  readonly title: string;
  readonly body: string;
};

/** The marks of one job by which it finds again what it has filed. */
export type Filing = {
  /** The same for each run of the same step: the names of its workflow, job and step. */
  readonly place: readonly string[];
  /** The same for each attempt at the same job. */
  readonly runKey: string;
  /** The page of the job. */
  readonly jobUrl: string;
};

/** Outputs that one code host has, and the other does not. */
export type OwnOutput =
  | {
      readonly type: "discussion";
      readonly asked: OutputOf<"discussion">;
      readonly declared: NonNullable<TypedOutputs["discussion"]>;
      readonly filing: Filing;
      /** Counted from 0 within the run. */
      readonly index: number;
    }
  | { readonly type: "dispatch"; readonly asked: OutputOf<"dispatch"> };

/** Each call rejects with NotWritten, or with the signal's reason when that aborts. */
export interface OutputsHost {
  /** As its users write it: "#7", "!7". */
  nameOf(place: SubjectPlace): string;
  isSameLabel(one: string, other: string): boolean;
  readSubject(place: SubjectPlace): Promise<SubjectState>;
  addLabels(place: SubjectPlace, labels: readonly string[]): Promise<void>;
  assign(place: SubjectPlace, logins: readonly string[]): Promise<void>;
  /** Whose review was requested or given. Refuses those of whom none can be asked. */
  readReviewers(number: number, wanted: readonly string[]): Promise<readonly string[]>;
  requestReviews(number: number, reviewers: readonly string[]): Promise<void>;
  closeIssue(number: number, reason: string): Promise<void>;
  /** Those of the token's own account, the newest first: anybody can copy a marker. */
  ownIssues(): Promise<readonly FiledIssue[]>;
  createIssue(text: { readonly title: string; readonly body: string }): Promise<FiledIssue>;
  /** The text without what the code host would execute. */
  inert(text: string): string;
  writeOwn(output: OwnOutput): Promise<WrittenOutput>;
}

export type OutputsOptions = {
  readonly host: OutputsHost;
  readonly declared: TypedOutputs;
  /** What the run asked for. Untrusted. */
  readonly asked: readonly TypedOutput[];
  /** `number` is null where the job is about nothing. */
  readonly subject: { readonly type: OutputSubject; readonly number: number | null };
  readonly filing: Filing;
};
