// /usage/ledger: the ledger of an account, line by line, and as CSV.

import { Hono } from "hono";
import { html } from "hono/html";
import { type CsvCell, toCsv } from "../../../../../render/csv.ts";
import { type LedgerLines, readLedger } from "../../../../core/accounts/read-ledger.ts";
import type { Core } from "../../../../core/core.ts";
import { isoTime } from "../../../../core/ports/problem.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { page } from "../../page.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";
import { exactCredits, ledgerTable, shortId } from "./ledger-table.ts";
import { answerCsv, usageTabs } from "./usage-frame.ts";

const LINES = 100;
/** Lines of one file. The page says where it ends. */
const CSV_LINES = 50_000;
const CSV_PAGE = 500;
const MAX_ID_CHARS = 100;

export function ledgerRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/usage/ledger", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const { core } = context.get("parts");
    const before = beforeOf(context);
    const ledger = await readLedger(core, { caller: personIn(session), before, limit: LINES });
    const title = "Ledger";
    return await page(context, { title, body: describe(ledger, { before }), session });
  });

  routes.get("/usage/ledger.csv", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const rows = await csvRows(context.get("parts").core, {
      caller: personIn(session),
      before: beforeOf(context),
    });
    return answerCsv(context, { name: "ledger", text: toCsv(rows) });
  });

  return routes;
}

function beforeOf(context: WebContext): string | null {
  const before = context.req.query("before") ?? "";
  return before === "" || before.length > MAX_ID_CHARS || before.includes("\0") ? null : before;
}

function describe(
  { lines, closingMicroUsd, openingMicroUsd, next }: LedgerLines,
  { before }: { before: string | null },
): Html {
  return html`<div class="usage">${usageTabs("ledger")}
<h1>Ledger</h1>
<dl>
<dt>${before === null ? "Balance" : "Closing balance of this page"}</dt><dd><strong>${exactCredits(closingMicroUsd)} credits</strong></dd>
<dt>Opening balance of this page</dt><dd>${exactCredits(openingMicroUsd)} credits</dd>
</dl>
<p class="faint">Every movement of credits, newest first. A run holds its price when it is submitted; its end charges what it cost of that,
and releases the rest. Lines never change: all of them sum to the balance.</p>
${lines.length === 0 ? empty(before) : ledgerTable(lines, linkToRun)}
<div class="actions">${next === null ? "" : html`<a class="button" href="/usage/ledger?before=${encodeURIComponent(next)}">Earlier lines</a>`}
${before === null ? "" : html`<a class="button" href="/usage/ledger">Newest lines</a>`}
${lines.length === 0 ? "" : html`<a class="button" href="/usage/ledger.csv" download>Download as CSV</a>`}</div>
${lines.length === 0 ? "" : html`<p class="hint">The file has the newest ${CSV_LINES.toLocaleString("en-US")} lines. Programs read all of them with <code>GET /v1/account/ledger</code>.</p>`}
</div>`;
}

function linkToRun({ runId, agentId }: LedgerLines["lines"][number]["posting"]): Html {
  return runId === null || agentId === null
    ? html``
    : html`<a href="/agent/${agentId}/runs/${runId}">${shortId(runId)}</a>`;
}

function empty(before: string | null): Html {
  if (before !== null)
    return html`<p class="note">The ledger has no lines before that one. <a href="/usage/ledger">Newest lines</a></p>`;
  return html`<p class="note">There is no line yet. The first one is a grant of credits; then each run has one for what it holds, and two for what it cost
and what came back.</p>`;
}

async function csvRows(
  core: Core,
  { caller, before }: { caller: { readonly accountId: string }; before: string | null },
): Promise<readonly (readonly CsvCell[])[]> {
  const rows: (readonly CsvCell[])[] = [
    ["id", "at", "kind", "micro_usd", "change_micro_usd", "balance_micro_usd", "run_id", "agent_id"],
  ];
  for (let from = before; rows.length <= CSV_LINES; ) {
    const { lines, next } = await readLedger(core, { caller, before: from, limit: CSV_PAGE });
    for (const { posting, changeMicroUsd, balanceMicroUsd } of lines) {
      const { id, at, kind, microUsd, runId, agentId } = posting;
      rows.push([id, isoTime(at), kind, microUsd, changeMicroUsd, balanceMicroUsd, runId, agentId]);
    }
    if (next === null) break;
    from = next;
  }
  return rows;
}
