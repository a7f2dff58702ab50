// The page of an account's credits: its balance, its plan, and what can be bought.

import { Hono } from "hono";
import { html } from "hono/html";
import type { Credits } from "../../../../../contract/money/money.ts";
import { readCredits } from "../../../../core/accounts/read-credits.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import type { Html, WebEnv } from "../../web-context.ts";
import { needSession } from "../../web-session.ts";
import { settingsPage } from "./settings-page.ts";

export function creditsRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/settings/credits", async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return session;
    const { core } = context.get("parts");
    const credits = await readCredits(core, { caller: personIn(session), userId: session.accountId });
    if (!credits.ok) throw new Error(`The credits of a session's own account: ${credits.refusal.reason}.`);
    return await settingsPage(context, { tab: "credits", session, body: describe(credits.value) });
  });

  return routes;
}

function describe(credits: Credits): Html {
  const { balance, low_credit_threshold: low, packs, plans } = credits;
  return html`${balance <= low ? html`<p class="note warn">There are few credits left. Runs end once there are none.</p>` : ""}
<dl>
<dt>Balance</dt><dd><strong>${count(balance)} credits</strong></dd>
<dt>Plan</dt><dd>${planText(credits)}</dd>
</dl>
<p><a href="/usage">Usage</a>, and the <a href="/usage/ledger">ledger</a>, line by line</p>
${plans.length === 0 ? "" : html`<h2>Plans</h2>${offers(plans.map((plan) => ({ ...plan, gives: `${count(plan.monthly_credits)} a month` })))}`}
${packs.length === 0 ? "" : html`<h2>Credit packs</h2>${offers(packs.map((pack) => ({ ...pack, gives: count(pack.credits) })))}`}
${credits.can_manage_billing ? "" : html`<p class="faint">The operator of this service grants credits and sets plans.</p>`}`;
}

function planText({ active_plan: plan }: Credits): string {
  if (plan === null) return "free";
  const day = plan.current_period_end.slice(0, 10);
  const goesOn = plan.status === "active" && !plan.cancel_at_period_end;
  return `${plan.sku}, ${count(plan.monthly_credits)} credits a month, ${goesOn ? "renews" : "ends"} on ${day}`;
}

type Offer = { readonly id: string; readonly usd_cents: number; readonly gives: string };

function offers(rows: readonly Offer[]): Html {
  return html`<table>
<thead><tr><th scope="col">Name</th><th scope="col" class="number">Credits</th><th scope="col" class="number">US dollars</th></tr></thead>
<tbody>${rows.map(
    ({ id, usd_cents: cents, gives }) =>
      html`<tr><td>${id}</td><td class="number">${gives}</td><td class="number">${(cents / 100).toFixed(2)}</td></tr>`,
  )}</tbody></table>`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
