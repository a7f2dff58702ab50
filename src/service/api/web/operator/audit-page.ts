// /operator/audit: the audit trail of the whole service.

import { Hono } from "hono";
import { html } from "hono/html";
import { type AuditEntry, auditActions } from "../../../core/audit/audit-entry.ts";
import { timeText } from "../time-text.ts";
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

const PATH = "/operator/audit";
const ROWS = 100;

export function auditRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get(PATH, async (context) => await auditPage(context));
  return routes;
}

async function auditPage(context: WebContext): Promise<Response> {
  const { audit } = context.get("parts").core.store.committed;
  const given = queryOf(context, "action");
  const query = {
    action: auditActions.find((one) => one === given) ?? null,
    outcome: queryOf(context, "outcome"),
    account: queryOf(context, "account"),
    repository: queryOf(context, "repository"),
  };
  const before = queryOf(context, "before");
  const { action, outcome, account: accountId, repository: repositoryName } = query;
  const found = await audit.list({ action, outcome, accountId, repositoryName, before, limit: ROWS + 1 });
  const shown = found.slice(0, ROWS);
  const next = found.length > ROWS ? (shown.at(-1)?.id ?? null) : null;
  const body = html`<div class="usage"><h1>Audit trail</h1>
${filters(PATH, {
  label: "Audit trail",
  fields: [
    choice({
      name: "action",
      label: "Action",
      options: auditActions.map((one) => [one, one.replaceAll("_", " ")] as const),
      chosen: action,
    }),
    textField({ name: "outcome", label: "Outcome", value: outcome }),
    textField({ name: "account", label: "Account", value: accountId }),
    textField({ name: "repository", label: "Repository", value: repositoryName }),
  ],
})}
${listTable({
  label: "Audit trail",
  head: ["When", "Action", "Outcome", "Account", "Who", "By", "Repository", "Request"],
  rows: shown.map(entryRow),
  none: "There is no such entry.",
})}
${moreLinks({ path: PATH, query, before, next })}
<p class="faint">Entries are kept for 90 days. The outcome is ok, or the reason of the refusal.</p></div>`;
  return await operatorPage(context, { title: "Audit trail", body });
}

function entryRow(entry: AuditEntry): Html {
  const { at, action, outcome, accountId, method, repositoryName, requestId } = entry;
  return html`<tr><td>${timeText(at)}</td><td>${action.replaceAll("_", " ")}</td><td>${outcome.replaceAll("_", " ")}</td>
<td>${accountId === undefined ? "–" : accountLink(accountId)}</td><td>${whoOf(entry)}</td><td>${method ?? "–"}</td>
<td>${repositoryName ?? "–"}</td><td>${idText(requestId)}</td></tr>`;
}

function whoOf({ operatorId, personId, aboutPersonId }: AuditEntry): Html {
  if (operatorId !== undefined) return html`operator ${idText(operatorId)}`;
  const about = aboutPersonId === undefined ? "" : html`, about ${idText(aboutPersonId)}`;
  return personId === null ? html`–${about}` : html`person ${idText(personId)}${about}`;
}
