// The port between the delivery of changes and a code host: its pull requests, its account, its words. GitHub, GitLab and Bitbucket
// implement it.

import type { FileLinks } from "../../render/blob-url.ts";
import type { GitHost } from "../git/job-git.ts";
import type { ScratchRepository } from "./scratch-repository.ts";

/** What the run was about. Null where a job is about nothing: a push, a schedule. */
export type ChangesSubject = {
  readonly number: number;
  readonly isPullRequest: boolean;
  /** Of a discussion. */
  readonly discussionId?: string;
  readonly title: string;
  /** The account that wrote it; null where it is gone, or not known. */
  readonly author: { readonly id: number | string } | null;
  readonly command: { readonly verb: string | null; readonly request: string } | null;
  /** The comment that holds the request; null where the event itself is the request. */
  readonly comment: object | null;
  /** Of a pull request. */
  readonly refs: {
    readonly headRef: string;
    readonly headSha: string;
    readonly baseSha: string;
    readonly isFork: boolean;
  } | null;
};

/** A pull request of this repository, as GitHub calls it, or a merge request. */
export type PullRequest = {
  readonly number: number;
  readonly url: string;
  readonly isOpen: boolean;
  readonly isMerged: boolean;
  readonly body: string;
  readonly headSha: string;
};

export type NewPullRequest = {
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
};

/** The account of the token, as a commit names it. */
export type Committer = { readonly id: number | string; readonly name: string; readonly email: string };

/** A commit on top of a branch, which the code host is to make. */
export type SignedChange = {
  readonly branch: string;
  readonly tip: string;
  /** Trees: the one of the tip, and the wanted one. */
  readonly from: string;
  readonly to: string;
};

/** What a signer needs of a delivery. */
export type SigningContext = {
  readonly scratch: ScratchRepository;
  readonly run: { readonly id: string; readonly sessionId: string };
  /** The first line of the message. */
  readonly title: string;
  /** The newest commit of a branch. */
  tip(branch: string): Promise<string | null>;
  /** Tells of the commit that was made. Never rejects. */
  pushed(sha: string): Promise<void>;
};

/** Commits that the code host makes and signs itself. */
export interface CommitSigner {
  /** Rejects with Kept, or with CodeHostError. "moved": the branch is not at `tip` any more. */
  commit(context: SigningContext, change: SignedChange): Promise<"moved" | { sha: string }>;
  createBranch(branch: string, sha: string): Promise<void>;
  /** Never rejects. */
  deleteBranch(branch: string): Promise<void>;
}

/** Parts of messages. A sentence ends with its full stop; the others are clauses. */
export type ChangesWords = {
  /** "GitHub" */
  readonly host: string;
  /** "pull request" */
  readonly pullRequest: string;
  /** "pull request #7" */
  readonly named: (number: number) => string;
  /** What its users put before a number where they refer to one: "#". */
  readonly mark: "#" | "!";
  /** The name of a delivery in titles. Undefined: "pull request #7". */
  readonly deliveredName: (number: number) => string | undefined;
  readonly patchIsIn: string;
  readonly usePullRequest: string;
  readonly otherPrefix: string;
  readonly letBypass: string;
  readonly noToken: string;
  readonly badToken: string;
  readonly mayPush: string;
  readonly mayDeliver: string;
  readonly workflowRefused: string;
  readonly retry: string;
};

/** Calls reject with CodeHostError, or with Kept where a message of their own says more. */
export interface ChangesHost {
  readonly words: ChangesWords;
  readonly git: GitHost;
  /** For links to files. */
  readonly links: Pick<FileLinks, "repositoryUrl" | "files">;
  readonly jobUrl: string;
  /** The branch that the job is on; null on a tag and the like. */
  readonly branch: string | null;
  /** Names the job in a branch's name, where it is about nothing. */
  readonly jobName: string;
  /** Whether a person asked for this run, by hand or in words. */
  readonly isRequested: boolean;
  /** A trailer for who asked; null for nobody. */
  readonly coAuthor: string | null;
  commitUrl(sha: string): string;
  pullRequestUrl(number: number): string;
  /** Rejects only with CodeHostError. */
  committer(): Promise<Committer>;
  /** Those of one branch, newest first. */
  findPullRequests(branch: string): Promise<readonly PullRequest[]>;
  openPullRequest(wanted: NewPullRequest): Promise<PullRequest>;
  /** Replaces the description. */
  renewBody(pull: PullRequest, body: string): Promise<void>;
  readDefaultBranch(): Promise<string>;
  /** The text without what the code host would execute. */
  inert(text: string): string;
  /** A title that names nothing of the code host's own. */
  inertTitle(title: string): string;
  /** Null where it signs none. */
  readonly signer: CommitSigner | null;
}
