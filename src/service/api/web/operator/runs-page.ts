// /operator/runs: runs of all accounts, by state, origin, account, repository and node. It links to no page of a run.

import { Hono } from "hono";
import { html } from "hono/html";
import type { RunOrigin } from "../../../../contract/runs/run.ts";
import { parkedTitle } from "../../../../render/parked-titles.ts";
import { durationText } from "../../../../render/quantities.ts";
import { listOperatedRuns, type OperatedRun } from "../../../core/operators/operated-runs.ts";
import { type RunState, runStates } from "../../../core/runs/store-port.ts";
import { agoText } from "../time-text.ts";
import type { Html, WebContext, WebEnv } from "../web-context.ts";
import {
  accountLink,
  choice,
  filters,
  idText,
  listTable,
  moreLinks,
  operatorPage,
  queryOf,
  textField,
} from "./operator-page.ts";

const PATH = "/operator/runs";
const ROWS = 50;

const stateNames: Readonly<Record<RunState, string>> = {
  queued: "Waits for a worker",
  running: "Running",
  waiting: "Waits for somebody",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};
/** The other origins are produced by nothing. */
const originNames: Readonly<Partial<Record<RunOrigin, string>>> = {
  user: "People, programs and jobs",
  schedule: "Schedules",
  agent: "Other runs",
};

export function operatedRunsRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get(PATH, async (context) => await runsPage(context));
  return routes;
}

async function runsPage(context: WebContext): Promise<Response> {
  const { core } = context.get("parts");
  const [state, origin] = [queryOf(context, "state"), queryOf(context, "origin")];
  const search = {
    state: runStates.find((one) => one === state) ?? null,
    origin: (Object.keys(originNames) as RunOrigin[]).find((one) => one === origin) ?? null,
    account: queryOf(context, "account"),
    repository: queryOf(context, "repository"),
    node: queryOf(context, "node"),
  };
  const before = queryOf(context, "before");
  const { runs, nodes, next } = await listOperatedRuns(core, {
    state: search.state,
    origin: search.origin,
    accountId: search.account,
    repositoryName: search.repository,
    nodeId: search.node,
    before,
    limit: ROWS,
  });
  const now = core.clock.now();
  const body = html`<div class="usage"><h1>Runs</h1>
${filters(PATH, {
  label: "Runs",
  fields: [
    choice({ name: "state", label: "State", options: Object.entries(stateNames), chosen: search.state }),
    choice({
      name: "origin",
      label: "Started by",
      options: Object.entries(originNames),
      chosen: search.origin,
    }),
    choice({
      name: "node",
      label: "Executed now by",
      options: nodes.map(({ id, name }) => [id, name] as const),
      chosen: search.node,
      all: "Any",
    }),
    textField({ name: "account", label: "Account", value: search.account }),
    textField({ name: "repository", label: "Repository", value: search.repository }),
  ],
})}
${listTable({
  label: "Runs",
  head: [
    "Run",
    "State",
    "Repository",
    "Account",
    "Origin",
    "Node",
    "Submitted",
    "Took",
    { number: "Credits" },
  ],
  rows: runs.map((run) => runRow(run, now)),
  none: before === null ? "No run fits." : "There is no older run.",
})}
${moreLinks({ path: PATH, query: search, before, next })}
<p class="faint">What was asked, said and changed in a run is its account's: no page of an operator has it.</p></div>`;
  return await operatorPage(context, { title: "Runs", body });
}

function runRow(run: OperatedRun, now: number): Html {
  const { id, accountId, repository, origin, node, submittedAt, startedAt, endedAt, credits } = run;
  const { mark, tone, words } = stateOf(run);
  const took = startedAt === null ? "–" : durationText(Math.max(0, (endedAt ?? now) - startedAt));
  return html`<tr><td>${idText(id)}</td>
<td><span class="state ${tone}" aria-hidden="true">${mark}</span> ${words}</td>
<td>${repository ?? "–"}</td><td>${accountLink(accountId)}</td><td>${originNames[origin] ?? origin}</td><td>${node ?? "–"}</td>
<td>${agoText(submittedAt, now)}</td><td>${took}</td><td class="number">${credits}</td></tr>`;
}

type State = {
  readonly mark: string;
  readonly tone: "good" | "warn" | "bad" | "live";
  readonly words: string;
};

/** Each state has a shape of its own beside its colour. */
function stateOf({ status, cause, parkedFor }: OperatedRun): State {
  switch (status) {
    case "queued":
      return { mark: "○", tone: "live", words: "waits for a worker" };
    case "running":
      return parkedFor === null
        ? { mark: "▶", tone: "live", words: "running" }
        : { mark: "‖", tone: "warn", words: parkedTitle(parkedFor) };
    case "cancelling":
      return { mark: "■", tone: "live", words: "is being cancelled" };
    case "completed":
      return { mark: "✓", tone: "good", words: "completed" };
    case "failed":
      return { mark: "✗", tone: "bad", words: `failed: ${(cause ?? "unknown").replaceAll("_", " ")}` };
    case "cancelled":
      return { mark: "■", tone: "warn", words: `cancelled: ${(cause ?? "unknown").replaceAll("_", " ")}` };
  }
}
