// /operator/settings: the settings in force on the node that answers, and who may sign in as operator.

import { Hono } from "hono";
import { html } from "hono/html";
import { issuerFaultText, NEW_ISSUER_TEXT } from "../../../../contract/issuer-reach.ts";
import { maskSecrets } from "../../../../report/find-secrets.ts";
import type { Core } from "../../../core/core.ts";
import { identityText, type Operator, type OperatorIdentity } from "../../../core/operators/operator.ts";
import type { SettingGroup, SettingInForce } from "../../../core/operators/operator-policy.ts";
import { issuerOf, publishedSet } from "../../../core/run-identity/identity-keys.ts";
import { timeText } from "../time-text.ts";
import type { Html, WebEnv } from "../web-context.ts";
import { listTable, operatorPage } from "./operator-page.ts";

export function settingsRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();
  routes.get("/operator/settings", async (context) => {
    const { core } = context.get("parts");
    const { identities, settings } = core.policy.operators;
    const operators = await core.store.committed.operators.list();
    const body = html`<div class="usage"><h1>Settings</h1>
<h2>Operators</h2>
${listTable({
  label: "Operators",
  head: ["Operator", "Signs in by", "Added", "Last used"],
  rows: [...operators.map(operatorRow), ...identities.map(identityRow)],
  none: "There is none.",
})}
<p class="faint">On the service's machine: <code>agent-service operators link</code> makes a link for one more, <code>agent-service operators
remove &lt;id&gt;</code> removes one and ends their sessions.</p>
<h2>Identity of runs</h2>
${await identitySection(core)}
<h2>In force</h2>
<p class="faint">As ${core.node.state().name} has read them at its start. Settings are variables of its environment: they are changed there.</p>
${settings().map(groupTable)}</div>`;
    return await operatorPage(context, { title: "Settings", body });
  });
  return routes;
}

/** What clouds are told, and the keys for those that cannot read them. */
async function identitySection(core: Core): Promise<Html> {
  const published = await publishedSet(core);
  if (published === null)
    return html`<p class="faint">This service vouches for no run: <code>RUN_SECRETS_KEY</code> is not set.</p>`;
  const fault = issuerFaultText(core.policy.baseUrl);
  const jwks = `{"keys": [${published.keys.join(", ")}]}`;
  return html`<p>The issuer of ID tokens that commands of runs get is <code>${issuerOf(core)}</code>. ${NEW_ISSUER_TEXT}</p>
${fault === null ? "" : html`<p class="note warn">${fault}</p>`}
<label for="jwks">Its public keys, for upload</label>
<textarea id="jwks" rows="4" readonly spellcheck="false">${jwks}</textarea>
<p class="hint">They are all that sign until ${timeText(published.goodUntil)}. <code>agent-service identity</code> prints them, as PEM too.</p>`;
}

function operatorRow({ id, name, createdAt, lastUsedAt }: Operator): Html {
  return html`<tr><td>${name} <code>${id}</code></td><td>passkey</td><td>${timeText(createdAt)}</td><td>${timeText(lastUsedAt)}</td></tr>`;
}

function identityRow(identity: OperatorIdentity): Html {
  return html`<tr><td><code>${identityText(identity)}</code></td><td>identity, in OPERATOR_IDENTITIES</td><td>–</td><td>–</td></tr>`;
}

function groupTable({ title, settings }: SettingGroup): Html {
  return html`<h3>${title}</h3>
${listTable({
  label: title,
  head: ["Setting", "Value", "From"],
  rows: settings.map(settingRow),
  none: "There is none.",
})}`;
}

function settingRow({ name, source, text }: SettingInForce): Html {
  const value = source === "default" ? html`<span class="faint">${text}</span>` : html`${maskSecrets(text)}`;
  return html`<tr><td><code>${name}</code></td><td>${value}</td><td>${source}</td></tr>`;
}
