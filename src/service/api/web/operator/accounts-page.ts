// /operator/accounts: every account, newest first; and one account: its plan, people, agents, grants and ledger.

import { Hono } from "hono";
import { html } from "hono/html";
import { roles } from "../../../../contract/roles.ts";
import type { Account } from "../../../core/accounts/account.ts";
import { readLedger } from "../../../core/accounts/read-ledger.ts";
import type { Agent } from "../../../core/agents/agent.ts";
import type { Core } from "../../../core/core.ts";
import { operatorLists } from "../../../core/operators/lists.ts";
import { dayStart } from "../../../core/operators/overview.ts";
import { EVERY_SERVER, type WriteGrant } from "../../../core/write-grants/write-grant.ts";
import { exactCredits, ledgerTable } from "../pages/usage/ledger-table.ts";
import { timeText } from "../time-text.ts";
import type { Html, WebContext, WebEnv } from "../web-context.ts";
import {
  accountLink,
  filters,
  idText,
  listAddress,
  listTable,
  moreLinks,
  nothingHere,
  operatorPage,
  queryOf,
  textField,
} from "./operator-page.ts";

const PATH = "/operator/accounts";
const ROWS = 50;
const LINES = 100;
/** The newest ones. All of them are in the list of commands. */
const AGENTS = 100;

export function accountsRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get(PATH, async (context) => await accountsPage(context));
  routes.get(`${PATH}/:accountId`, async (context) => {
    const { core } = context.get("parts");
    const account = await core.store.committed.accounts.find(context.req.param("accountId"));
    return account === null ? await nothingHere(context) : await accountPage(context, account);
  });
  return routes;
}

async function accountsPage(context: WebContext): Promise<Response> {
  const { core } = context.get("parts");
  const before = queryOf(context, "before");
  const query = { text: queryOf(context, "text") };
  const found = await operatorLists(core.store).accounts({ ...query, before, limit: ROWS + 1 });
  const shown = found.slice(0, ROWS);
  const accountIds = shown.map(({ account }) => account.id);
  const since = dayStart(core.clock.now());
  const runs = await core.store.committed.runs.countSubmitted({ accountIds, since });
  const next = found.length > ROWS ? (accountIds.at(-1) ?? null) : null;
  const body = html`<div class="usage"><h1>Accounts</h1>
${filters(PATH, {
  label: "Accounts",
  fields: [textField({ name: "text", label: "Name or id", value: query.text })],
})}
${listTable({
  label: "Accounts",
  head: [
    "Account",
    "Name",
    "Plan",
    { number: "Balance" },
    { number: "People" },
    { number: "Agents" },
    { number: "Runs today" },
    "Opened",
    "First signed in",
  ],
  rows: shown.map(
    ({ account, balance, members, agents, signedInAt }) => html`<tr><td>${accountLink(account.id)}</td>
<td>${nameText(account)}</td><td>${planText(account)}</td><td class="number">${balance}</td><td class="number">${members}</td>
<td class="number">${agents}</td><td class="number">${runs.get(account.id) ?? 0}</td>
<td>${timeText(account.createdAt)}</td><td>${timeText(signedInAt)}</td></tr>`,
  ),
  none: query.text === null ? noneText(before) : "No account fits.",
})}
${moreLinks({ path: PATH, query, before, next })}</div>`;
  return await operatorPage(context, { title: "Accounts", body });
}

function noneText(before: string | null): string {
  return before === null ? "There is no account yet." : "There is no older account.";
}

async function accountPage(context: WebContext, account: Account): Promise<Response> {
  const { core } = context.get("parts");
  const { id } = account;
  const before = queryOf(context, "before");
  const ledger = await readLedger(core, { caller: { accountId: id }, before, limit: LINES });
  const members = await core.store.committed.people.listMembers(id);
  const agents = await agentsOf(core, id);
  const runsHref = listAddress("/operator/runs", { account: id });
  const body = html`<div class="usage"><h1>Account</h1>
<dl>
<dt>Name</dt><dd>${nameText(account)}</dd>
<dt>Id</dt><dd><code>${id}</code></dd>
<dt>Plan</dt><dd>${planText(account)}</dd>
<dt>Opened</dt><dd>${timeText(account.createdAt)}</dd>
<dt>People</dt><dd>${roles.map((role) => `${members.filter((one) => one.role === role).length} ${role}`).join(", ")}</dd>
</dl>
<p><a href="${runsHref}">Runs</a> · <a href="${listAddress("/operator/repositories", { account: id })}">Repositories</a> ·
<a href="${listAddress("/operator/audit", { account: id })}">Audit trail</a></p>
<h2>Ledger</h2>
<dl>
<dt>${before === null ? "Balance" : "Closing balance of this page"}</dt><dd><strong>${exactCredits(ledger.closingMicroUsd)} credits</strong></dd>
<dt>Opening balance of this page</dt><dd>${exactCredits(ledger.openingMicroUsd)} credits</dd>
</dl>
${ledger.lines.length === 0 ? html`<p class="empty">There are no ${before === null ? "" : "earlier "}lines.</p>` : ledgerTable(ledger.lines, ({ runId }) => (runId === null ? html`` : idText(runId)))}
${moreLinks({ path: `${PATH}/${id}`, query: {}, before, next: ledger.next })}
<h2>Agents</h2>
${listTable({
  label: "Agents",
  head: ["Agent", "Works on", "Backend", "Write grants", "Since", "Retired"],
  rows: agents.map(agentRow),
  none: "The account has no agent.",
})}
${agents.length < AGENTS ? "" : html`<p class="hint">The newest ${AGENTS}. <code>agent-service accounts agents --account ${id}</code> has all.</p>`}</div>`;
  return await operatorPage(context, { title: "Account", body });
}

type ListedAgent = { readonly agent: Agent; readonly grants: readonly WriteGrant[] };

async function agentsOf({ store }: Core, accountId: string): Promise<readonly ListedAgent[]> {
  const { agents, writeGrants } = store.committed;
  const found = await agents.listAll({ accountId, of: "all", before: null, limit: AGENTS });
  return await Promise.all(found.map(async (agent) => ({ agent, grants: await writeGrants.list(agent.id) })));
}

function agentRow({ agent, grants }: ListedAgent): Html {
  const { id, repository, workspaceId, backend, createdAt, retiredAt } = agent;
  // Names that people have chosen are not shown: one may be the title of a workspace.
  const worksOn = repository?.name ?? (workspaceId === null ? "–" : "a workspace");
  const servers = grants.map(({ server, grantedAt }) => {
    const since = new Date(grantedAt).toISOString().slice(0, 10);
    return `${server === EVERY_SERVER ? "every server" : server}, since ${since}`;
  });
  return html`<tr><td>${idText(id)}</td><td>${worksOn}</td><td>${backend}</td>
<td>${servers.length === 0 ? html`<span class="faint">none</span>` : servers.join("; ")}</td><td>${timeText(createdAt)}</td>
<td>${retiredAt === null ? "–" : timeText(retiredAt)}</td></tr>`;
}

/** What its people call it: of all texts of an account the one that an operator sees, to know whom they are asked about. */
function nameText({ name }: Account): Html {
  return name === null ? html`<span class="faint">none</span>` : html`<span dir="auto">${name}</span>`;
}

function planText({ plan, subscription }: Account): string {
  if (subscription === null) return plan === "registered_free" ? "free" : plan;
  const { sku, monthlyCredits, status, periodEnd, cancelAtPeriodEnd } = subscription;
  const day = new Date(periodEnd).toISOString().slice(0, 10);
  const goesOn = status === "active" && !cancelAtPeriodEnd;
  return `${sku}, ${monthlyCredits} credits a month, ${status}, ${goesOn ? "renews" : "ends"} on ${day}`;
}
