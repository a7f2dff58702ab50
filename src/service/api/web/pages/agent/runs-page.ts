// /runs: the runs of an account, by state, agent and origin. What is looked for is in the address, so that it can be shared.

import { Hono } from "hono";
import { html } from "hono/html";
import type { RunOrigin } from "../../../../../contract/runs/run.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import { listAgents } from "../../../../core/agents/manage-agent.ts";
import type { Core } from "../../../../core/core.ts";
import { listAccountRuns, MAX_LISTED_AGENTS } from "../../../../core/runs/list-runs.ts";
import { type RunState, runStates } from "../../../../core/runs/store-port.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { page } from "../../page.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";
import { answerList, isMoving, runList } from "./run-list.ts";

const RUNS_A_PAGE = 50;
const MAX_CURSOR_CHARS = 100;
const MAX_PERSON_CHARS = 200;
/** The newest ones, whose people can be chosen. */
const RUNS_WITH_PEOPLE = 200;

const stateNames: Readonly<Record<RunState, string>> = {
  queued: "Waits for a worker",
  running: "Running",
  waiting: "Waits for somebody",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};
/** The other origins are produced by nothing. */
const originNames = {
  user: "People, programs and jobs",
  schedule: "Schedules",
  agent: "Other runs",
} as const satisfies Partial<Record<RunOrigin, string>>;
type ShownOrigin = keyof typeof originNames;

/** What it cannot read is not looked for. */
type Search = {
  readonly state: RunState | null;
  readonly agent: Agent | null;
  readonly from: ShownOrigin | null;
  /** Who started the job, by the code host's id. */
  readonly who: string | null;
};
type FilterName = keyof Search;

export function runsRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get("/runs", async (context) => {
    const session = await needSession(context);
    return session instanceof Response ? session : await runsPage(context, session);
  });
  return routes;
}

async function runsPage(context: WebContext, session: WebSession): Promise<Response> {
  const { core } = context.get("parts");
  const listed = await listAgents(core, { caller: personIn(session), withIndependent: true });
  const agents = listed.ok ? listed.value : [];
  const search = searchOf(context, agents);
  const before = context.req.query("before")?.slice(0, MAX_CURSOR_CHARS) ?? null;
  const { runs, next } = await find(core, { agents, search, before, limit: RUNS_A_PAGE });
  const address = addressOf(search);
  const liveAt = `${address}${address.includes("?") ? "&" : "?"}part=list`;
  const list = runList(runs, {
    agents: search.agent === null ? agents : [],
    now: core.clock.now(),
    ...(before === null ? { liveAt } : {}),
  });
  if (context.req.query("part") === "list") return answerList(context, list);
  const people = await peopleOf(core, agents, search);
  const body = html`<h1>Runs</h1>
${filterForm(search, { agents, people })}
${agents.length > MAX_LISTED_AGENTS && search.agent === null ? html`<p class="note warn">Only runs of the ${MAX_LISTED_AGENTS} newest agents are looked at. Choose an agent to see those of an older one.</p>` : ""}
${runs.length === 0 ? await emptyText(core, { agents, people, search, isLater: before !== null }) : list}
<nav class="row" aria-label="More runs">${before === null ? "" : html`<a href="${addressOf(search)}">Newest runs</a>`}${next === null ? "" : html`<a class="end" href="${addressOf(search, next)}" rel="next">Older runs</a>`}</nav>`;
  return await page(context, {
    title: "Runs",
    body,
    session,
    scripts: before === null && isMoving(runs) ? ["list"] : [],
  });
}

function searchOf(context: WebContext, agents: readonly Agent[]): Search {
  const { state, agent, from, who } = context.req.query() as Readonly<Record<string, string | undefined>>;
  return {
    state: runStates.find((one) => one === state) ?? null,
    agent: agents.find(({ id }) => id === agent) ?? null,
    from: (Object.keys(originNames) as ShownOrigin[]).find((one) => one === from) ?? null,
    who: who === undefined || who === "" ? null : who.slice(0, MAX_PERSON_CHARS),
  };
}

/** By the code host's ids. */
type People = ReadonlyMap<string, string>;

/** Whoever has started a job of the newest runs, as the newest of them is called, and who is looked for. */
async function peopleOf(core: Core, agents: readonly Agent[], { who }: Search): Promise<People> {
  const { runs } = await listAccountRuns(core, {
    agents,
    filter: { state: null, origin: null, startedBy: null },
    before: null,
    limit: RUNS_WITH_PEOPLE,
  });
  const people = new Map<string, string>(who === null ? [] : [[who, who]]);
  for (const { startedBy, about } of runs.toReversed())
    if (startedBy !== undefined) people.set(startedBy, about?.actor ?? people.get(startedBy) ?? startedBy);
  return people;
}

type Finding = {
  readonly agents: readonly Agent[];
  readonly search: Search;
  readonly before: string | null;
  readonly limit: number;
};

async function find(core: Core, { agents, search, before, limit }: Finding) {
  const { state, agent, from, who } = search;
  return await listAccountRuns(core, {
    agents: agent === null ? agents : [agent],
    filter: { state, origin: from, startedBy: who },
    before,
    limit,
  });
}

function addressOf({ state, agent, from, who }: Search, before: string | null = null): string {
  const given = { state, agent: agent?.id ?? null, from, who, before };
  const parts = Object.entries(given).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return parts.length === 0 ? "/runs" : `/runs?${parts.join("&")}`;
}

function filterForm(
  { state, agent, from, who }: Search,
  { agents, people }: { readonly agents: readonly Agent[]; readonly people: People },
): Html {
  const select = (
    name: string,
    label: string,
    options: readonly (readonly [string, string])[],
    chosen: string | null,
  ) =>
    html`<div><label for="${name}">${label}</label>
<select id="${name}" name="${name}"><option value="">All</option>${options.map(
      ([value, text]) =>
        html`<option value="${value}"${value === chosen ? html` selected` : ""}>${text}</option>`,
    )}</select></div>`;
  return html`<form method="get" action="/runs" class="filters" role="search" aria-label="Runs">
${select("state", "State", Object.entries(stateNames), state)}
${select(
  "agent",
  "Agent or repository",
  agents.map(({ id, name }) => [id, name] as const),
  agent?.id ?? null,
)}
${select("from", "Started by", Object.entries(originNames), from)}
${people.size === 0 ? "" : select("who", "Job of", [...people], who)}
<div class="actions"><button>Show</button>${state === null && agent === null && from === null && who === null ? "" : html`<a class="button" href="/runs">Show all</a>`}</div>
</form>`;
}

type Empty = {
  readonly agents: readonly Agent[];
  readonly people: People;
  readonly search: Search;
  /** Whether it is a later page. */
  readonly isLater: boolean;
};

/** Names the filters without which there is something. */
async function emptyText(core: Core, { agents, people, search, isLater }: Empty): Promise<Html> {
  if (isLater) return html`<div class="empty"><p><strong>There is no older run.</strong></p></div>`;
  const { state, agent, from, who } = search;
  const named: Readonly<Record<FilterName, string | null>> = {
    state: state === null ? null : `State: ${stateNames[state]}`,
    agent: agent === null ? null : `Agent or repository: ${agent.name}`,
    from: from === null ? null : `Started by: ${originNames[from]}`,
    who: who === null ? null : `Job of: ${people.get(who) ?? who}`,
  };
  const active = (Object.keys(named) as FilterName[]).filter((name) => named[name] !== null);
  if (active.length === 0)
    return html`<div class="empty"><p><strong>There is no run yet.</strong> <a href="/">Your agents</a> start them.</p></div>`;
  const without = await Promise.all(
    active.map(async (name) => {
      const wider: Search = { ...search, [name]: null };
      const { runs } = await find(core, { agents, search: wider, before: null, limit: 1 });
      return { name, wider, hasSome: runs.length > 0 };
    }),
  );
  const helpful = without.filter(({ hasSome }) => hasSome);
  return html`<div class="empty"><p><strong>No run fits ${active.map((name) => `“${named[name]}”`).join(" and ")}.</strong></p>
${
  helpful.length === 0
    ? html`<p>${active.length === 1 ? "Without it there is none either." : "Leaving out one of them finds none either."} <a href="/runs">Show all runs</a></p>`
    : html`<ul>${helpful.map(({ name, wider }) => html`<li><a href="${addressOf(wider)}">Without “${named[name]}”</a> there are some.</li>`)}</ul>`
}</div>`;
}
