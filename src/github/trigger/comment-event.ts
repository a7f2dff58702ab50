// Which events are a comment or a review, that may hold a command. Pure.

/** Where the payload of each event has the text, and the action that tells that the text is new. */
export const COMMENT_EVENTS: Readonly<Record<string, { readonly field: string; readonly action: string }>> = {
  issue_comment: { field: "comment", action: "created" },
  pull_request_review_comment: { field: "comment", action: "created" },
  pull_request_review: { field: "review", action: "submitted" },
};

export function isCommentEvent(event: string): boolean {
  return Object.hasOwn(COMMENT_EVENTS, event);
}
