// /approve/{id}: the owner sees exactly what waits, and approves or denies it. To everybody else there is nothing here.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { type ApprovalRecord, statusAt } from "../../../../core/approvals/approval.ts";
import { approveApproval, denyApproval } from "../../../../core/approvals/decide-approval.ts";
import { findApproval } from "../../../../core/approvals/read-approvals.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { toProblem } from "../../../shared/problems/to-problem.ts";
import { readForm } from "../../form.ts";
import { notFoundPage, page } from "../../page.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needRecent, needSession, sessionOf } from "../../web-session.ts";
import { approvalFacts, decisionForms, stateTexts, textsOf } from "./approval-card.ts";
import { gatherEvidence } from "./evidence.ts";

const decisionForm = z.object({ decision: z.enum(["approve", "deny"]) });

export function approveRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/approve/:approvalId", async (context) => {
    const session = await needSession(context);
    return session instanceof Response ? session : await approvePage(context, session, { alert: null });
  });

  routes.post("/approve/:approvalId", async (context) => {
    const form = await readForm(context, decisionForm);
    const isApproval = form.ok && form.value.decision === "approve";
    // To deny takes less: an AI client may.
    const session = isApproval ? await needRecent(context) : await needSession(context);
    if (session instanceof Response) return session;
    if (!form.ok) return await approvePage(context, session, { alert: form.refusal });
    const { core, submitter } = context.get("parts");
    const approvalId = context.req.param("approvalId");
    const decision = { caller: personIn(session), approvalId, requestId: context.get("requestId") };
    const decided = isApproval
      ? await approveApproval(core, submitter, decision)
      : await denyApproval(core, decision);
    if (decided.ok) return context.redirect(`/approve/${encodeURIComponent(approvalId)}`, 303);
    return await approvePage(context, session, { alert: toProblem(decided.refusal).message });
  });

  // The link that a schedule has. Whoever is not signed in learns nothing of it, not even whether there is one.
  routes.get("/confirm/:scheduleId", async (context) => {
    const path = `/approve/${encodeURIComponent(context.req.param("scheduleId"))}`;
    const session = await sessionOf(context);
    if (session !== null) return context.redirect(path, 303);
    const body = html`<h1>Confirm a scheduled run</h1>
<p>An AI client has scheduled a run for one of your agents. It does not start until you, the owner of the account, confirm it.
If you did not want it, leave it.</p>
<div class="actions"><a class="button main" href="/sign-in?to=${encodeURIComponent(path)}">Sign in to see it</a></div>`;
    return await page(context, { title: "Confirm a scheduled run", body, session, isNarrow: true });
  });

  return routes;
}

async function approvePage(
  context: WebContext,
  session: WebSession,
  { alert }: { readonly alert: string | null },
): Promise<Response> {
  const { core } = context.get("parts");
  const approvalId = context.req.param("approvalId") ?? "";
  const found = await findApproval(core, { caller: personIn(session), approvalId });
  const agent = found.ok ? await core.store.committed.agents.find(found.value.agentId) : null;
  if (!found.ok || agent === null) return await notFoundPage(context, session);
  const approval = found.value;
  const isPending = statusAt(approval, core.clock.now()) === "pending";
  const { title, effect } = textsOf(approval.action);
  const evidence = await gatherEvidence(core, {
    caller: personIn(session),
    approval,
    withDiff: isPending,
    signal: context.req.raw.signal,
  });
  const body = html`<h1>${title}</h1>
${alert === null ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${isPending ? html`<p>${effect}</p>` : outcome(approval, core.clock.now())}
${approvalFacts(approval, { ...evidence, agent, level: 2 })}
${isPending ? decisionForms(session, approval, { about: null }) : html`<p><a href="/">Your agents</a></p>`}`;
  return await page(context, { title, body, session, status: alert === null ? 200 : 409 });
}

function outcome(approval: ApprovalRecord, now: number): Html {
  const { decidedAt, decidedBy, runId, agentId } = approval;
  const by = decidedBy === "ai_client" ? " by an AI client" : "";
  return html`<p class="note" role="status"><strong>This is ${stateTexts[statusAt(approval, now)]}${by}.</strong>
${decidedAt === null ? "" : html` ${timeText(decidedAt)}`}
${runId === null ? "" : html` <a href="/agent/${agentId}/runs/${runId}">See the run</a>`}</p>`;
}
