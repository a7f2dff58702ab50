// "👀" under the request: whoever asked sees that it was heard.
// https://docs.github.com/en/rest/reactions/reactions

import * as z from "zod/mini";
import type { GitHubApi } from "../api/github-api.ts";
import type { Talk } from "../trigger/agent-request.ts";

/** Does nothing where nothing can be reacted to, or nobody asked. Safe to repeat. Rejects with GitHubError. */
export async function react(api: GitHubApi, talk: Talk): Promise<void> {
  const place = placeOf(talk);
  if (place === null) return;
  const body = { content: "eyes" };
  await api.write(
    { method: "POST", path: `${place}/reactions`, body, isRepeatable: true },
    z.object({ id: z.int() }),
  );
}

function placeOf({ thread, remark, command }: Talk): string | null {
  switch (remark?.type) {
    case "issue_comment":
      return `/issues/comments/${remark.id}`;
    case "pull_request_review_comment":
      return `/pulls/comments/${remark.id}`;
    // GitHub has no reactions to a review.
    case "pull_request_review":
      return null;
    case undefined:
      return command === null ? null : `/issues/${thread.number}`;
  }
}
