// The card of an approval, as its owner reads it before deciding: who asked, when, and exactly what will be done.

import { html } from "hono/html";
import { assertNever } from "../../../../../base/assert-never.ts";
import type { ApprovalStatus } from "../../../../../contract/approvals/approval.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import type {
  ApprovalAction,
  ApprovalRecord,
  ApprovalRequester,
} from "../../../../core/approvals/approval.ts";
import { timeText } from "../../time-text.ts";
import type { Html } from "../../web-context.ts";

type Texts = {
  /** The heading while it waits. */
  readonly title: string;
  readonly approve: string;
  readonly deny: string;
  /** The effect of approving. */
  readonly effect: string;
};

export function textsOf(action: ApprovalAction): Texts {
  switch (action.kind) {
    case "confirm_schedule":
      return {
        title: "Confirm a scheduled run?",
        approve: "Confirm",
        deny: "Cancel the schedule",
        effect:
          "The run starts at its time and is paid from your credits. What it wants to write outside still needs your word.",
      };
    case "activate_workflow":
      return {
        title: `Activate version ${action.version} of ${action.name}?`,
        approve: "Activate",
        deny: "Deny",
        effect: "From then on your AI clients may run this version as often as your credits allow.",
      };
    case "run_workflow":
      return {
        title: `Run version ${action.version} of ${action.name} once?`,
        approve: "Run it",
        deny: "Deny",
        effect: "The workflow is not active. This version runs once, now, and is paid from your credits.",
      };
    case "grant_writes":
      return {
        title: `Let the agent write by ${action.server}?`,
        approve: "Allow writing",
        deny: "Deny",
        effect: `Runs of this agent may call every tool of the MCP server ${action.server}, until you revoke it in the agent's settings.`,
      };
    case "accept_changeset":
      return {
        title: `Accept the changeset "${action.title}"?`,
        approve: "Accept",
        deny: "Deny",
        effect:
          "Its changes become part of the workspace's accepted files, on top of the revision that it was validated with. Denied, the changeset stays open.",
      };
    default:
      return assertNever(action);
  }
}

export const stateTexts: Readonly<Record<ApprovalStatus, string>> = {
  pending: "waits for you",
  approved: "approved",
  denied: "denied",
  expired: "expired: nobody decided in time",
  resolved_elsewhere: "over: it was done, or became pointless, another way",
};

type ApprovalPlace = {
  readonly agent: Pick<Agent, "id" | "name">;
  /** Whether what it is about is still there to be linked to. */
  readonly isThere: boolean;
};

/** The facts, one a line. */
export function approvalFacts(approval: ApprovalRecord, { agent, isThere }: ApprovalPlace): Html {
  const { action, requestedBy, createdAt, expiresAt } = approval;
  return html`<dl>
<dt>Agent</dt><dd><a href="/agent/${agent.id}">${agent.name}</a></dd>
<dt>Asked by</dt><dd>${requesterText(requestedBy, agent.id)}</dd>
<dt>Asked on</dt><dd>${timeText(createdAt)}</dd>
${actionFacts(action, { isThere })}
<dt>Can be decided until</dt><dd>${timeText(expiresAt)}</dd>
</dl>
${promptOf(action)}`;
}

function requesterText(requester: ApprovalRequester, agentId: string): Html {
  return requester.type === "run"
    ? html`<a href="/agent/${agentId}/runs/${requester.runId}">a run of the agent</a>`
    : html`an AI client${requester.name === null || requester.name === "" ? "" : html`, <strong>${requester.name}</strong>`}`;
}

function actionFacts(action: ApprovalAction, { isThere }: Pick<ApprovalPlace, "isThere">): Html {
  switch (action.kind) {
    case "confirm_schedule":
      return html`<dt>Starts</dt><dd>${timeText(action.fireAt)}</dd>`;
    case "activate_workflow":
    case "run_workflow":
      return html`<dt>Workflow</dt><dd>${action.name}, version ${action.version}</dd>`;
    case "grant_writes":
      return html`<dt>MCP server</dt><dd><code>${action.server}</code></dd>
<dt>Tool that was called</dt><dd><code>${action.tool}</code></dd>`;
    case "accept_changeset":
      return html`<dt>Changeset</dt><dd>${isThere ? html`<a href="/workspace/${action.workspaceId}/changesets/${action.changesetId}">${action.title}</a>` : action.title}</dd>
<dt>Changes</dt><dd>${changesText(action)}</dd>`;
    default:
      return assertNever(action);
  }
}

type ChangesetAction = Extract<ApprovalAction, { readonly kind: "accept_changeset" }>;

function changesText({ files, additions, deletions }: ChangesetAction): string {
  const lines =
    additions === null || deletions === null ? "" : `, ${additions} lines added, ${deletions} removed`;
  return `${files} files${lines}`;
}

function evidenceOf({ evidence }: ChangesetAction): Html {
  if (typeof evidence === "string") return textBlock(evidence);
  return html`${evidence.map(({ kind, text }) => html`<h3>${kind}</h3>${textBlock(text)}`)}`;
}

/** The text that a run is given, as it is: others may have written it. */
function promptOf(action: ApprovalAction): Html {
  if (action.kind === "grant_writes") return html``;
  if (action.kind === "accept_changeset")
    return html`<h2>How it was validated</h2>
${evidenceOf(action)}`;
  const input = action.kind === "run_workflow" ? action.input : null;
  return html`<h2>What the agent is told</h2>
${textBlock(action.prompt)}
${input === null ? "" : html`<h3>And after it</h3>${textBlock(input)}`}`;
}

/** Text of others as it is, in lines that break. */
export function textBlock(text: string): Html {
  return html`<pre class="wrap">${text}</pre>`;
}
