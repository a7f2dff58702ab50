// The request of the step to the agent, and the issue, pull request or discussion that the event is about. Types only.

import type { ReviewedPaths } from "../../job/findings/reviewed-paths.ts";
import type { CommentCommand } from "./command.ts";
import type { Account, CommentTrigger, PullRequestRefs, Subject } from "./github-trigger.ts";

/** The issue, pull request or discussion that the event is about. The account that caused the event was admitted. */
export type RequestSubject = Subject & {
  /** The branches of a pull request, at the commits that the request was made on; null for others. */
  readonly refs: PullRequestRefs | null;
  /** The comment or review that holds the request; null where the event itself is the request. */
  readonly comment: {
    readonly type: CommentTrigger["type"];
    readonly id: number;
    /** The first comment at the same line: GitHub accepts replies to that one only. */
    readonly firstId?: number | null;
    /** GraphQL's id of a comment in a discussion. */
    readonly nodeId?: string;
  } | null;
  readonly command: CommentCommand | null;
  /** Whose command it is, as GitHub names them; null where nobody gave one. */
  readonly asker: Account | null;
  /** Whether the asker has write access. Known for the command "continue" only. */
  readonly mayRaise?: boolean;
};

/** An image of the issue or pull request that the prompt shows. */
export type RequestImage = {
  /** Its address as the prompt has it. */
  readonly name: string;
  readonly mime: string;
  readonly base64: string;
};

export type AgentRequest = {
  readonly prompt: string;
  /** The earlier findings that a review is to answer for. Default: none. */
  readonly earlierIds?: readonly string[];
  /** Default: none. */
  readonly images?: readonly RequestImage[];
  /** Null for an event about no issue, pull request or discussion: a push, a schedule. */
  readonly subject: RequestSubject | null;
};

type Prompt =
  | { readonly from: "text"; readonly text: string }
  /** Below the repository's root. */
  | { readonly from: "file"; readonly path: string }
  /** The event decides. */
  | { readonly from: "event" };

/** The inputs that decide who can start a run, and with which prompt. */
export type RequestInputs = ReviewedPaths & {
  readonly prompt: Prompt;
  readonly githubToken: string;
  /** The first word of a line that makes a comment a request. */
  readonly triggerPhrase: string;
  /** Logins in lower case. */
  readonly allowUsers: ReadonlySet<string>;
  readonly allowBots: ReadonlySet<string>;
  readonly allowForks: boolean;
  /** Events, and actions of `pull_request` ("pull_request.closed"), that start a run only where they are named. */
  readonly allowEvents: ReadonlySet<string>;
  /** Only "run" starts one. */
  readonly mode: "run" | "attach" | "cancel" | "doctor";
  /** Whose text becomes part of the prompt. */
  readonly includeAuthors: "everyone" | "writers";
  readonly findings: "none" | "annotations" | "review";
  readonly service: { readonly type: "remote" | "embedded" };
};
