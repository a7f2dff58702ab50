// /operator/queue: who waits for a worker, those with the fewest runs at work for their weight first.

import { Hono } from "hono";
import { html } from "hono/html";
import { durationText } from "../../../../render/quantities.ts";
import { accountOfWallet } from "../../../core/money/ledger.ts";
import { type Queue, readQueue } from "../../../core/operators/queue.ts";
import type { WaitingAccount } from "../../../core/runs/queue-port.ts";
import type { Html, WebEnv } from "../web-context.ts";
import { accountLink, listAddress, listTable, operatorPage } from "./operator-page.ts";

const ROWS = 100;

export function queueRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get("/operator/queue", async (context) => {
    const { core } = context.get("parts");
    const body = queueBody(await readQueue(core, ROWS), core.clock.now());
    return await operatorPage(context, { title: "Queue", body });
  });
  return routes;
}

function queueBody({ queued, accounts, hasMore, slots, busy }: Queue, now: number): Html {
  return html`<div class="usage"><h1>Queue</h1>
<dl class="figures">
<div><dt>Wait for a worker</dt><dd><a href="${listAddress("/operator/runs", { state: "queued" })}">${queued}</a></dd></div>
<div><dt>Workers' places in use</dt><dd>${busy} of ${slots}</dd></div>
</dl>
<p class="faint">A free worker serves the account that has the fewest runs at work for the weight of its plan, and of it the oldest run. Runs that were given back, and runs that others wait for, go first.</p>
${listTable({
  label: "Accounts that wait",
  head: ["Account", { number: "Wait" }, { number: "At work" }, { number: "Weight" }, "Oldest waits for"],
  rows: accounts.map((account) => accountRow(account, now)),
  none: "No run waits for a worker.",
})}
${hasMore ? html`<p class="faint">More accounts wait than are shown here.</p>` : ""}</div>`;
}

function accountRow({ billingAccount, queued, atWork, weight, since }: WaitingAccount, now: number): Html {
  const id = accountOfWallet(billingAccount);
  const name = id === null ? html`<code>${billingAccount}</code>` : accountLink(id);
  return html`<tr><td>${name}</td><td class="number">${queued}</td><td class="number">${atWork}</td>
<td class="number">${weight}</td><td>${durationText(Math.max(0, now - since))}</td></tr>`;
}
