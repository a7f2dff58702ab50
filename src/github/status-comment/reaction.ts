// The reaction "👀" to a request: its author sees that it arrived.
// https://docs.github.com/en/rest/reactions/reactions

import * as z from "zod/mini";
import type { GitHubApi } from "../api/github-api.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";

/** Does nothing for a review, which takes no reactions, and without a request. Safe to repeat. Rejects with GitHubError. */
export async function react(api: GitHubApi, subject: RequestSubject): Promise<void> {
  const place = placeOf(subject);
  if (place === null) return;
  const body = { content: "eyes" };
  await api.write(
    { method: "POST", path: `${place}/reactions`, body, isRepeatable: true },
    z.object({ id: z.int() }),
  );
}

function placeOf({ number, comment, command }: RequestSubject): string | null {
  switch (comment?.type) {
    case "issue_comment":
      return `/issues/comments/${comment.id}`;
    case "pull_request_review_comment":
      return `/pulls/comments/${comment.id}`;
    // GitHub has no reactions to a review.
    case "pull_request_review":
      return null;
    case undefined:
      return command === null ? null : `/issues/${number}`;
  }
}
