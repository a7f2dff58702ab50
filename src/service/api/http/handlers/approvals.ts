// /v1/approvals, /v1/agents/{agentID}/write-grants and /v1/questions.

import { ok, refused } from "../../../../base/result.ts";
import type { approvalRoutes } from "../../../../contract/approvals/routes.ts";
import type { questionRoutes } from "../../../../contract/questions.ts";
import { mcpServerNamePattern } from "../../../../contract/runs/mcp-server-name.ts";
import type { writeGrantRoutes } from "../../../../contract/write-grants.ts";
import type { ApprovalRecord } from "../../../core/approvals/approval.ts";
import { approveApproval, denyApproval } from "../../../core/approvals/decide-approval.ts";
import { findApproval, listApprovals } from "../../../core/approvals/read-approvals.ts";
import type { Core } from "../../../core/core.ts";
import { invalidRequest } from "../../../core/ports/problem.ts";
import { answerQuestion } from "../../../core/questions/answer-question.ts";
import { listQuestions } from "../../../core/questions/list-questions.ts";
import type { RunSubmitter } from "../../../core/runs/submit-run.ts";
import { grantWrites, listGrants, revokeWrites } from "../../../core/write-grants/manage-grants.ts";
import { EVERY_SERVER, type WriteGrant } from "../../../core/write-grants/write-grant.ts";
import { toApproval } from "../../shared/approval-view.ts";
import { toQuestion } from "../../shared/question-view.ts";
import { type NounHandlers, shown } from "../handler.ts";
import { submittedHeaders } from "../submitted-headers.ts";
import { toSubmitted } from "./runs.ts";

export function approvalHandlers(core: Core, submitter: RunSubmitter): NounHandlers<typeof approvalRoutes> {
  const view = (approval: ApprovalRecord) =>
    toApproval(approval, { policy: core.policy, now: core.clock.now() });
  return {
    list: async ({ caller, query }) => {
      const { status = null, agent_id: agentId = null, before = null, limit } = query;
      const page = await listApprovals(core, { caller, status, agentId, before, limit });
      const body = page.approvals.map(view);
      return ok({ body, ...nextPage(core, "/v1/approvals", { ...query, before: page.next }) });
    },
    get: async ({ caller, params }) =>
      shown(await findApproval(core, { caller, approvalId: params.approvalID }), view),
    approve: async ({ caller, params, requestId }) =>
      shown(
        await approveApproval(core, submitter, { caller, approvalId: params.approvalID, requestId }),
        view,
      ),
    deny: async ({ caller, params, requestId }) =>
      shown(await denyApproval(core, { caller, approvalId: params.approvalID, requestId }), view),
  };
}

export function writeGrantHandlers(core: Core): NounHandlers<typeof writeGrantRoutes> {
  const view = (agentId: string) => (grants: readonly WriteGrant[]) =>
    grants.map(({ server, grantedAt }) => ({
      agent_id: agentId,
      server,
      granted_at: new Date(grantedAt).toISOString(),
    }));
  return {
    list: async ({ caller, params: { agentID: agentId } }) =>
      shown(await listGrants(core, { caller, agentId }), view(agentId)),
    put: async ({ caller, params: { agentID: agentId, server }, requestId }) => {
      if (!isServer(server)) return refused(serverProblem);
      return shown(await grantWrites(core, { caller, agentId, server, requestId }), view(agentId));
    },
    delete: async ({ caller, params: { agentID: agentId, server }, requestId }) => {
      if (!isServer(server)) return refused(serverProblem);
      return shown(await revokeWrites(core, { caller, agentId, server, requestId }), view(agentId));
    },
  };
}

const serverProblem = invalidRequest('The server must be the name of an MCP server, or "*" for every one.');

function isServer(name: string): boolean {
  return name === EVERY_SERVER || mcpServerNamePattern.test(name);
}

export function questionHandlers(core: Core, submitter: RunSubmitter): NounHandlers<typeof questionRoutes> {
  return {
    list: async ({ caller, query }) => {
      const { agent_id: agentId = null, before = null, limit } = query;
      const page = await listQuestions(core, { caller, agentId, before, limit });
      const body = page.questions.map(toQuestion);
      return ok({ body, ...nextPage(core, "/v1/questions", { ...query, before: page.next }) });
    },
    answer: async ({ caller, params, body: { answer, asked_at: askedAt } }) => {
      const answered = await answerQuestion(core, submitter, {
        caller,
        runId: params.runID,
        answer,
        askedAt: askedAt === undefined ? null : Date.parse(askedAt),
        mayPark: false,
      });
      if (!answered.ok) return answered;
      return ok({
        body: toSubmitted(answered.value),
        headers: submittedHeaders(answered.value),
        isReplay: answered.value.isReplay,
      });
    },
  };
}

/** The header that names the next page; nothing on the last one. */
function nextPage(
  core: Core,
  path: string,
  { before, ...rest }: Readonly<Record<string, string | number | null | undefined>>,
): { readonly headers?: { readonly Link: string } } {
  if (before === null || before === undefined) return {};
  const url = new URL(core.policy.baseUrl + path);
  for (const [name, value] of Object.entries({ ...rest, before }))
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  return { headers: { Link: `<${url.href}>; rel="next"` } };
}
