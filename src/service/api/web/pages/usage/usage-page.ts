// /usage: what an account's runs used in a period, as figures, pictures and tables, and each table as CSV.

import { Hono } from "hono";
import { html, raw } from "hono/html";
import { type UsageBy, type UsageReport, usageBys } from "../../../../../contract/money/usage.ts";
import { toCsv } from "../../../../../render/csv.ts";
import { type Element, toHtml } from "../../../../../render/html/element.ts";
import { listAgents } from "../../../../core/agents/manage-agent.ts";
import type { Core } from "../../../../core/core.ts";
import { readUsage } from "../../../../core/usage/read-usage.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { toUsage } from "../../../shared/usage-view.ts";
import { notFoundPage, page } from "../../page.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";
import { hasReviews, resolutionBars, reviewTable } from "./review-sections.ts";
import { answerCsv, usageTabs } from "./usage-frame.ts";
import { runsOf } from "./usage-numbers.ts";
import {
  addressOf,
  filterOf,
  type Period,
  periodBefore,
  periodsAt,
  type UsageFilter,
} from "./usage-request.ts";
import { barsOf, costByDay, figures, runsByDay, tableOf, usageCsv } from "./usage-sections.ts";

/** Beside days, in the order of the page. */
const breakdowns = [
  { by: "agent", title: "By agent", hint: null },
  { by: "repository", title: "By repository", hint: null },
  { by: "model", title: "By model", hint: "A run that asked several models counts with the first one." },
  {
    by: "person",
    title: "By person",
    hint: "Who started the run: a person of the account, or who started its job, by the code host's id.",
  },
  { by: "origin", title: "By origin", hint: null },
] as const satisfies readonly { by: UsageBy; title: string; hint: string | null }[];

export function usageRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/usage", async (context) => {
    const session = await needSession(context);
    return session instanceof Response ? session : await usagePage(context, session);
  });

  routes.get("/usage.csv", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const by = usageBys.find((one) => one === (context.req.query("by") ?? "day"));
    if (by === undefined) return await notFoundPage(context, session);
    const { core } = context.get("parts");
    const { filter } = await filterFor(context, session);
    const report = await reportOf(core, { session, filter, by, span: filter.period });
    return answerCsv(context, {
      name: `usage-by-${by}-${filter.period.value}`,
      text: toCsv(usageCsv(report)),
    });
  });

  return routes;
}

async function usagePage(context: WebContext, session: WebSession): Promise<Response> {
  const { core } = context.get("parts");
  const { filter, agents } = await filterFor(context, session);
  const { period } = filter;
  const read = (by: UsageBy, span: Pick<Period, "from" | "to">) =>
    reportOf(core, { session, filter, by, span });
  const [days, before, ...others] = await Promise.all([
    read("day", period),
    read("day", periodBefore(period)),
    ...breakdowns.map(({ by }) => read(by, period)),
  ]);
  const isEmpty = runsOf(days.total) + days.total.runs.delegated === 0;
  const body = html`<div class="usage">${usageTabs("usage")}
<h1>Usage</h1>
<form class="filters" method="get" action="/usage">
<label>Period <select name="period">${periodsAt(core.clock.now()).map(({ value, text }) => option(value, text, value === period.value))}</select></label>
<label>Agent <select name="agent">${option("", "All agents", filter.agent === null)}${agents.map(({ id, name }) => option(id, name, id === filter.agent?.id))}</select></label>
<button>Show</button></form>
<p class="faint">${period.from} to ${period.to} (UTC), beside as many days before. A run counts on the day that it ended.</p>
${
  isEmpty
    ? emptyNote
    : html`${raw(toHtml(figures(days.total, before.total)))}
<h2>Runs by day</h2>${picture(runsByDay(days))}
<h2>Cost by day</h2>${picture(costByDay(days))}
${picture(tableOf(days, { csv: addressOf("/usage.csv", filter, { by: "day" }) }))}
${others.map((report, index) => breakdown(report, { title: breakdowns[index]?.title ?? "", hint: breakdowns[index]?.hint ?? null, filter }))}
${reviewsByRepository(others, filter)}`
}
</div>`;
  return await page(context, { title: "Usage", body, session });
}

function breakdown(
  report: UsageReport,
  { title, hint, filter }: { title: string; hint: string | null; filter: UsageFilter },
): Html {
  const csv = addressOf("/usage.csv", filter, { by: report.by });
  return html`<h2>${title}</h2>${hint === null ? "" : html`<p class="hint">${hint}</p>`}
${picture(barsOf(report, `Cost ${title.toLowerCase()}`))}${picture(tableOf(report, { csv }))}`;
}

/** Nothing where no review was reported. */
function reviewsByRepository(reports: readonly UsageReport[], filter: UsageFilter): Html {
  const report = reports.find(({ by }) => by === "repository");
  if (report === undefined || !hasReviews(report)) return html``;
  const csv = addressOf("/usage.csv", filter, { by: report.by });
  return html`<h2>Reviews by repository</h2>
<p class="hint">Which share of the findings of reviews was fixed, as of each pull request's newest review. Whether it was merged is not known.</p>
${picture(resolutionBars(report))}${picture(reviewTable(report, { csv }))}`;
}

function picture(element: Element): Html {
  return html`${raw(toHtml(element))}`;
}

function option(value: string, text: string, isSelected: boolean): Html {
  return html`<option value="${value}"${isSelected ? html` selected` : ""}>${text}</option>`;
}

const emptyNote = html`<div class="note"><p>No run ended in this period. Once one has, this page shows the runs and their cost by day, and by agent,
repository, model and person, with how many succeeded, how many of their checks passed, and how many findings of reviews were fixed.</p>
<p>A workflow with the agent's action begins runs, and so does <code>agent-service runs submit</code>. <a href="/">Your agents</a></p></div>`;

async function filterFor(context: WebContext, session: WebSession) {
  const { core } = context.get("parts");
  const agents = await listAgents(core, { caller: personIn(session), withIndependent: true });
  if (!agents.ok) throw new Error("A session's own account was refused.");
  const query = { period: context.req.query("period"), agent: context.req.query("agent") };
  return { filter: filterOf(query, { now: core.clock.now(), agents: agents.value }), agents: agents.value };
}

async function reportOf(
  core: Core,
  asked: { session: WebSession; filter: UsageFilter; by: UsageBy; span: Pick<Period, "from" | "to"> },
): Promise<UsageReport> {
  const { session, filter, by, span } = asked;
  const { from, to } = span;
  const agentId = filter.agent?.id ?? null;
  return toUsage(await readUsage(core, { caller: personIn(session), by, from, to, agentId }), {
    by,
    from,
    to,
  });
}
