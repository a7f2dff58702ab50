// The port between the status comment and a code host: the place of one comment, and the reaction to the request. Types only.

import type { Conclusion } from "../../report/conclusion.ts";

/** `id` is what the place knows it by. */
export type CreatedComment = { readonly id: number | string; readonly url: string };

/** Each call rejects with CodeHostError. */
export interface CommentPlace {
  /** The comment of this token's account with this text in it: anybody can copy a marker. */
  find(marker: string): Promise<CreatedComment | null>;
  create(body: string): Promise<CreatedComment>;
  /** Replaces the text. Rejects with a status of 404 where the comment was deleted. */
  edit(id: CreatedComment["id"], body: string): Promise<void>;
}

/** Each call rejects with CodeHostError. Safe to repeat. */
export interface RequestReaction {
  acknowledge(): Promise<void>;
  conclude(conclusion: Conclusion, reason: string): Promise<void>;
}

/** Where a job writes about its run. */
export type StatusPlace = {
  readonly comment: CommentPlace;
  /** Null where the code host shows none, or nobody asked. */
  readonly reaction: RequestReaction | null;
};
