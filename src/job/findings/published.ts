// Published findings of our earlier reviews of a pull request, as a code host has it now. Types, and the order of reviewed commits. Pure.

import type { FindingAnchor } from "./marker.ts";

/** A reply in the thread of a finding, not by our own account. Untrusted. */
export type ThreadReply = {
  readonly login: string | null;
  /** Where the code host tells it: a login can pass to another account. */
  readonly accountId?: number | string;
  readonly isBot: boolean;
  readonly body: string;
};

/** A finding that an earlier review published. */
export type PublishedFinding = FindingAnchor & {
  readonly marker: string;
  /** Of its comment, or of the review that has it. */
  readonly url: string;
  /** One in a review's own text has no thread. */
  readonly hasThread: boolean;
  /** The id of its comment; null without a thread. */
  readonly commentId: number | null;
  /** Its comment without the markers; "" without a thread. */
  readonly text: string;
  readonly replies: readonly ThreadReply[];
};

export type Published = {
  /** Markers of findings, and of reviews. */
  readonly markers: ReadonlySet<string>;
  /** The review that this run has published already. */
  readonly review: { readonly url: string } | null;
  /** The commits that were reviewed, each once, the latest last. */
  readonly heads: readonly string[];
  /** Our latest review; null without one. */
  readonly latest: { readonly id: number; readonly body: string } | null;
  /** Without those of pending reviews. */
  readonly findings: readonly PublishedFinding[];
  /** False where the pull request has more comments or reviews than are read. */
  readonly isWhole: boolean;
};

/** Each once, in the order of their last places. */
export function lastOfEach(heads: readonly string[]): readonly string[] {
  return heads.filter((head, index) => heads.lastIndexOf(head) === index);
}
