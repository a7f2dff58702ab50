// Events with a text that may be a command: a comment, a review, a new discussion. Pure.

type CommentEventRules = {
  /** The field of the payload that has the text. */
  readonly field: string;
  /** The action that tells that the text is new. */
  readonly action: string;
  /** Whether the event starts a run without a command where the workflow names it (`allow-events`). */
  readonly isNameable: boolean;
};

export const COMMENT_EVENTS: Readonly<Record<string, CommentEventRules>> = {
  issue_comment: { field: "comment", action: "created", isNameable: false },
  pull_request_review_comment: { field: "comment", action: "created", isNameable: false },
  pull_request_review: { field: "review", action: "submitted", isNameable: false },
  discussion: { field: "discussion", action: "created", isNameable: true },
  discussion_comment: { field: "comment", action: "created", isNameable: true },
};

export function isCommentEvent(event: string): boolean {
  return Object.hasOwn(COMMENT_EVENTS, event);
}

/** Whether the event can do without a command. */
export function isNameable(event: string): boolean {
  return isCommentEvent(event) && COMMENT_EVENTS[event]?.isNameable === true;
}
