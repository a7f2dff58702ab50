// The card of an approval, as its owner reads it before deciding: who asked, when, and exactly what will be done.

import { html } from "hono/html";
import { assertNever } from "../../../../../base/assert-never.ts";
import type { ApprovalStatus } from "../../../../../contract/approvals/approval.ts";
import type { Role } from "../../../../../contract/roles.ts";
import { plural } from "../../../../../render/quantities.ts";
import { maskSecrets } from "../../../../../report/find-secrets.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import type {
  ApprovalAction,
  ApprovalRecord,
  ApprovalRequester,
} from "../../../../core/approvals/approval.ts";
import { formFor } from "../../page-roles.ts";
import { timeText } from "../../time-text.ts";
import type { Html } from "../../web-context.ts";
import type { Evidence } from "./evidence.ts";

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

type ApprovalPlace = Evidence & {
  readonly agent: Pick<Agent, "id" | "name">;
  /** Of the headings below it. */
  readonly level: 2 | 3;
};

/** The facts, one a line. */
export function approvalFacts(approval: ApprovalRecord, place: ApprovalPlace): Html {
  const { action, requestedBy, createdAt, expiresAt } = approval;
  const { agent, cost } = place;
  return html`<dl>
<dt>Agent</dt><dd><a href="/agent/${agent.id}">${agent.name}</a></dd>
<dt>Asked by</dt><dd>${requesterText(requestedBy, place)}</dd>
<dt>Asked on</dt><dd>${timeText(createdAt)}</dd>
${actionFacts(action, place)}
<dt>Costs</dt><dd>${cost}</dd>
<dt>Can be decided until</dt><dd>${timeText(expiresAt)}</dd>
</dl>
${evidenceOf(action, place)}`;
}

function requesterText(requester: ApprovalRequester, { agent, run, person }: ApprovalPlace): Html {
  if (requester.type === "run") {
    const request = run?.request ?? "";
    const actor = run?.about?.actor ?? "";
    return html`<a href="/agent/${agent.id}/runs/${requester.runId}">a run of the agent</a>${actor === "" ? "" : html`, asked by <strong>${actor}</strong>`}${request === "" ? "" : `: ${maskSecrets(request)}`}`;
  }
  const { name } = requester;
  return html`an AI client${name === null || name === "" ? "" : html`, <strong>${name}</strong>`}${person === null ? "" : html`, for <strong>${person}</strong>`}`;
}

function actionFacts(action: ApprovalAction, { isThere }: Evidence): Html {
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
    additions === null || deletions === null
      ? ""
      : `, ${plural(additions, "line")} added, ${deletions} removed`;
  return `${plural(files, "file")}${lines}`;
}

function validationOf({ evidence }: ChangesetAction): Html {
  if (typeof evidence === "string") return textBlock(evidence);
  return html`${evidence.map(({ kind, text }) => html`<p><strong>${kind}</strong></p>${textBlock(text)}`)}`;
}

/** The arguments, the changes, or the text that a run is given, as it is: others may have written it. */
function evidenceOf(action: ApprovalAction, { level, diff }: ApprovalPlace): Html {
  const heading = (text: string) => (level === 2 ? html`<h2>${text}</h2>` : html`<h3>${text}</h3>`);
  switch (action.kind) {
    case "grant_writes":
      return action.args === undefined
        ? html``
        : html`${heading("What it wanted to call it with")}
${textBlock(maskSecrets(laidOut(action.args)))}`;
    case "accept_changeset":
      return html`${heading("How it was validated")}
${validationOf(action)}
${diff ?? ""}`;
    case "confirm_schedule":
    case "activate_workflow":
    case "run_workflow": {
      const input = action.kind === "run_workflow" ? action.input : null;
      return html`${heading("What the agent is told")}
${textBlock(action.prompt)}
${input === null ? "" : html`${heading("And after it")}${textBlock(input)}`}`;
    }
    default:
      return assertNever(action);
  }
}

/** JSON with a line for each field. What was cut is no JSON any more, and stays as it is. */
function laidOut(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return `${json}…`;
  }
}

/** For whoever may decide it. `about` tells its buttons from those of others on the page; null: there are none. */
export function decisionForms(
  holder: { readonly role: Role },
  { id, action }: ApprovalRecord,
  { about }: { readonly about: string | null },
): Html {
  const { approve, deny } = textsOf(action);
  const label = (text: string) => (about === null ? "" : html` aria-label="${text}: ${about}"`);
  const button = (decision: string, style: string, text: string) =>
    html`<form method="post" action="/approve/${id}"><input type="hidden" name="decision" value="${decision}"><button class="${style}"${label(text)}>${text}</button></form>`;
  return formFor(holder, {
    path: "/approve/:approvalId",
    what: "decide this",
    form: () =>
      html`<div class="actions">${button("approve", "main", approve)}${button("deny", "danger", deny)}</div>`,
  });
}

/** Text of others as it is, in lines that break. */
export function textBlock(text: string): Html {
  return html`<pre class="wrap">${text}</pre>`;
}
