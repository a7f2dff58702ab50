// /v1/ci/commits: the state of a job's commit, and the pack that it sends.

import { ok } from "../../../../base/result.ts";
import type { commitRoutes } from "../../../../contract/ci/routes.ts";
import { findCommit } from "../../../core/commit-uploads/find-commit.ts";
import { sendCommit } from "../../../core/commit-uploads/send-commit.ts";
import type { Core } from "../../../core/core.ts";
import { type NounHandlers, shown } from "../handler.ts";

export function commitHandlers(core: Core): NounHandlers<typeof commitRoutes> {
  return {
    find: async ({ caller, params: { sha }, query: { pull_request: pullRequest } }) =>
      shown(await findCommit(core, { caller, sha, pullRequest }), (state) => state),
    send: async ({ caller, params: { sha }, query, body: content, contentLength: size, signal }) => {
      const { pull_request: pullRequest, base: bases } = query;
      const sent = await sendCommit(core, { caller, sha, pullRequest, bases, size, content, signal });
      return sent.ok ? ok({ body: sent.value }) : sent;
    },
  };
}
