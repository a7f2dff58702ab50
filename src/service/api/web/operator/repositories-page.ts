// /operator/repositories: the repositories that have an agent, across accounts.

import { Hono } from "hono";
import { html } from "hono/html";
import { timeText } from "../time-text.ts";
import type { WebContext, WebEnv } from "../web-context.ts";
import {
  accountLink,
  choice,
  filters,
  listAddress,
  listTable,
  moreLinks,
  operatorPage,
  queryOf,
  textField,
} from "./operator-page.ts";

const PATH = "/operator/repositories";
const ROWS = 50;

export function repositoriesRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get(PATH, async (context) => await repositoriesPage(context));
  return routes;
}

async function repositoriesPage(context: WebContext): Promise<Response> {
  const { agents } = context.get("parts").core.store.committed;
  const [before, account] = [queryOf(context, "before"), queryOf(context, "account")];
  const of = queryOf(context, "of") === "unclaimed" ? "unclaimed" : "repositories";
  const found = await agents.listAll({ accountId: account, of, before, limit: ROWS + 1 });
  const shown = found.slice(0, ROWS);
  const next = found.length > ROWS ? (shown.at(-1)?.id ?? null) : null;
  const query = { account, of: of === "unclaimed" ? of : null };
  const body = html`<div class="usage"><h1>Repositories</h1>
${filters(PATH, {
  label: "Repositories",
  fields: [
    textField({ name: "account", label: "Account", value: account }),
    choice({
      name: "of",
      label: "Claimed",
      options: [["unclaimed", "By nobody"]],
      chosen: query.of,
    }),
  ],
})}
${listTable({
  label: "Repositories",
  head: ["Repository", "Provider", "Visibility", "Account", "Since"],
  rows: shown.flatMap(({ repository, accountId, createdAt }) =>
    repository === null
      ? []
      : [
          html`<tr><td><a href="${listAddress("/operator/runs", { repository: repository.name })}" title="Its runs">${repository.name}</a></td>
<td>${repository.provider}</td><td>${repository.visibility}</td><td>${accountLink(accountId)}</td><td>${timeText(createdAt)}</td></tr>`,
        ],
  ),
  none: "There is no such repository.",
})}
${moreLinks({ path: PATH, query, before, next })}</div>`;
  return await operatorPage(context, { title: "Repositories", body });
}
