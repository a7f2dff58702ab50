// /operator: the service at one look.

import { Hono } from "hono";
import { html } from "hono/html";
import { durationText } from "../../../../render/quantities.ts";
import { NODE_LOST_MS, type NodeState } from "../../../core/nodes/node.ts";
import { type Overview, readOverview } from "../../../core/operators/overview.ts";
import { agoText, timeText } from "../time-text.ts";
import type { Html, WebEnv } from "../web-context.ts";
import { idText, listAddress, listTable, operatorPage } from "./operator-page.ts";
import { refusalRow } from "./refusals-page.ts";

const MAX_SHOWN_RUNS = 20;

export function overviewRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get("/operator", async (context) => {
    const { core } = context.get("parts");
    const body = overviewBody(await readOverview(core), core.clock.now());
    return await operatorPage(context, { title: "Overview", body });
  });
  return routes;
}

function overviewBody({ runs, longestWaitingSince, nodes, refusals }: Overview, now: number): Html {
  const { queued, running, waiting } = runs.unfinished;
  const endedAs = (status: string) =>
    runs.ended.filter((one) => one.status === status).reduce((sum, { count }) => sum + count, 0);
  const wait = longestWaitingSince === null ? "–" : durationText(Math.max(0, now - longestWaitingSince));
  const causes = runs.ended.filter(({ status }) => status === "failed");
  return html`<div class="usage"><h1>Overview</h1>
<dl class="figures">
${figure("Wait for a worker", queued, "/operator/runs?state=queued")}
<div><dt>Longest wait</dt><dd>${wait}</dd></div>
${figure("Running", running, "/operator/runs?state=running")}
${figure("Wait for somebody", waiting, "/operator/runs?state=waiting")}
${figure("Completed today", endedAs("completed"), "/operator/runs?state=completed")}
${figure("Failed today", endedAs("failed"), "/operator/runs?state=failed")}
${figure("Cancelled today", endedAs("cancelled"), "/operator/runs?state=cancelled")}
</dl>
<p class="faint">Today began at midnight, UTC.</p>
<h2>Nodes</h2>
${listTable({
  label: "Nodes",
  head: ["Node", "Does", "Seen", "Since", { number: "Runs" }, "Executes"],
  rows: nodes.map((node) => nodeRow(node, now)),
  none: "No node is known.",
})}
<h2>Refusals of today</h2>
${listTable({
  label: "Refusals of today",
  head: ["Day", "Action", "Reason", { number: "Count" }],
  rows: refusals.map(refusalRow),
  none: "Nobody was refused a token or a sign-in today.",
})}
<p><a href="/operator/refusals">All refusals by reason</a></p>
<h2>Runs that failed today</h2>
${listTable({
  label: "Runs that failed today",
  head: ["Cause", { number: "Count" }],
  rows: causes.map(
    ({ cause, count }) =>
      html`<tr><td>${cause?.replaceAll("_", " ") ?? "unknown"}</td><td class="number">${count}</td></tr>`,
  ),
  none: "No run failed today.",
})}</div>`;
}

function figure(name: string, count: number, href: string): Html {
  return html`<div><dt>${name}</dt><dd><a href="${href}">${count}</a></dd></div>`;
}

const roleTexts: Readonly<Record<NodeState["role"], string>> = {
  all: "answers and executes",
  api: "answers requests",
  worker: "executes runs",
};

function nodeRow({ id, name, role, seenAt, startedAt, slots, runIds }: NodeState, now: number): Html {
  const isLost = now - seenAt > NODE_LOST_MS;
  const shown = runIds.slice(0, MAX_SHOWN_RUNS);
  return html`<tr><td>${name}</td><td>${roleTexts[role]}</td>
<td>${isLost ? html`<strong class="warn">lost, </strong>` : ""}${agoText(seenAt, now)}</td><td>${timeText(startedAt)}</td>
<td class="number">${slots === 0 ? "–" : `${runIds.length} of ${slots}`}</td>
<td>${shown.map((runId, index) => html`${index === 0 ? "" : ", "}${idText(runId)}`)}${runIds.length === 0 ? html`<span class="faint">nothing</span>` : html` <a href="${listAddress("/operator/runs", { node: id })}" aria-label="Runs of ${name}">Show</a>`}</td></tr>`;
}
