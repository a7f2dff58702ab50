// Runs as a table: prompt, time, state, cost.

import { html } from "hono/html";
import { parkedTitle } from "../../../../../render/parked-titles.ts";
import { maskSecrets } from "../../../../../report/find-secrets.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import { toRun } from "../../../shared/run-view.ts";
import type { Html } from "../../web-context.ts";
import { timeText } from "../settings/settings-page.ts";

const origins = {
  user: "requested",
  schedule: "scheduled",
  background: "in the background",
  agent: "delegated",
  agent_result: "delegated",
} as const;

export function runTable(runs: readonly RunRecord[], agents: readonly Pick<Agent, "id" | "name">[]): Html {
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Runs"><table>
<thead><tr><th scope="col">Run</th><th scope="col">State</th><th scope="col">Origin</th><th scope="col" class="number">Credits</th></tr></thead>
<tbody>${runs.map((run) => {
    const name = names.get(run.agentId);
    const credits = toRun(run).credits;
    return html`<tr>
<td><a href="/agent/${run.agentId}/runs/${run.id}">${name === undefined ? "" : html`${name}, `}${timeText(run.submittedAt)}</a>${aboutText(run)}</td>
<td>${stateText(run)}</td><td>${origins[run.origin]}</td>
<td class="number">${credits === null ? "" : credits.toLocaleString("en-US")}</td></tr>`;
  })}</tbody></table></div>`;
}

/** The request's first words, and where and by whom they were said. */
function aboutText({ request, about }: RunRecord): Html {
  const subject = about?.subject === undefined ? "" : `#${about.subject.number}`;
  const where = [`${about?.repository ?? ""}${subject}`, about?.actor ?? ""].filter((part) => part !== "");
  if (request === null && where.length === 0) return html``;
  return html`<br>${request === null ? "" : maskSecrets(request)} <span class="faint">${where.join(", ")}</span>`;
}

function stateText({ status, stopReason, cause, parked }: RunRecord): Html {
  if (parked !== undefined)
    return html`<span class="warn">parked</span> <span class="faint">${parkedTitle(parked.reason)}</span>`;
  switch (status) {
    case "completed":
      return stopReason === "question"
        ? html`<span class="warn">has a question</span>`
        : html`<span class="good">completed</span>`;
    case "failed":
      return html`<span class="bad">failed</span> <span class="faint">${stopReason ?? cause}</span>`;
    default:
      return html`${status}`;
  }
}
