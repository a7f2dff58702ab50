// /operator/refusals: who was refused, by reason: tokens and sign-ins by day, from the audit trail; requests since each node started.

import { Hono } from "hono";
import { html } from "hono/html";
import type { RefusalCount } from "../../../core/audit/store-port.ts";
import type { NodeState } from "../../../core/nodes/node.ts";
import { listNodes } from "../../../core/nodes/nodes.ts";
import { dayStart } from "../../../core/operators/overview.ts";
import { timeText } from "../time-text.ts";
import type { Html, WebEnv } from "../web-context.ts";
import { choice, filters, listAddress, listTable, operatorPage, queryOf } from "./operator-page.ts";

const DAY_MS = 86_400_000;
const PATH = "/operator/refusals";
const days = { "1": "Today", "7": "7 days", "30": "30 days", "90": "90 days" } as const;
type Days = keyof typeof days;
const DEFAULT: Days = "7";

export function refusalsRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get(PATH, async (context) => {
    const { core } = context.get("parts");
    const given = queryOf(context, "days");
    const chosen = (Object.keys(days) as Days[]).find((one) => one === given) ?? DEFAULT;
    const since = dayStart(core.clock.now(), Number(chosen) - 1);
    const counts = await core.store.committed.audit.countRefusals({ since });
    const body = html`<div class="usage"><h1>Refusals</h1>
<h2>Tokens and sign-ins</h2>
${filters(PATH, {
  label: "Refusals",
  fields: [choice({ name: "days", label: "Period", options: Object.entries(days), chosen, all: null })],
})}
${listTable({
  label: "Refused tokens and sign-ins",
  head: ["Day", "Action", "Reason", { number: "Count" }],
  rows: counts.map(refusalRow),
  none: "Nobody was refused a token or a sign-in in this time.",
})}
${requests(await listNodes(core))}</div>`;
    return await operatorPage(context, { title: "Refusals", body });
  });
  return routes;
}

export function refusalRow({ day, action, outcome, count }: RefusalCount): Html {
  const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
  return html`<tr><td><time datetime="${date}">${date}</time></td><td>${action.replaceAll("_", " ")}</td>
<td><a href="${listAddress("/operator/audit", { action, outcome })}">${outcome.replaceAll("_", " ")}</a></td><td class="number">${count}</td></tr>`;
}

function requests(nodes: readonly NodeState[]): Html {
  const counts = new Map<string, number>();
  for (const { refusals } of nodes)
    for (const [reason, count] of Object.entries(refusals))
      counts.set(reason, (counts.get(reason) ?? 0) + count);
  const rows = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  const since = Math.min(...nodes.map(({ startedAt }) => startedAt));
  return html`<h2>Requests of the API</h2>
<p class="faint">Counted by each node since it started, the first one at ${timeText(since)}. What a node counted ends with it; metrics are kept by who scrapes
them.</p>
${listTable({
  label: "Refused requests",
  head: ["Reason", { number: "Count" }],
  rows: rows.map(
    ([reason, count]) =>
      html`<tr><td>${reason.replaceAll("_", " ")}</td><td class="number">${count}</td></tr>`,
  ),
  none: "No node that is at work has refused a request.",
})}`;
}
