// The frame of the settings: one navigation, one page a concern.

import { html } from "hono/html";
import { isOwner } from "../../../../core/accounts/caller.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import type { ScriptName } from "../../assets.ts";
import { page } from "../../page.ts";
import type { Html, WebContext } from "../../web-context.ts";

const tabs = {
  keys: "Keys",
  members: "Members",
  account: "Account",
  apps: "Connected apps",
  connections: "Connections",
  passkeys: "Passkeys",
  identities: "Identities",
  sessions: "Sessions",
  credits: "Credits",
} as const;

type SettingsTab = keyof typeof tabs;

type SettingsPage = {
  readonly tab: SettingsTab;
  readonly session: WebSession;
  readonly body: Html;
  readonly status?: 200 | 404 | 409 | 422;
  readonly scripts?: readonly ScriptName[];
};

/** A page of the settings, its tab marked. */
export async function settingsPage(context: WebContext, shown: SettingsPage): Promise<Response> {
  const { tab, session, body, status = 200, scripts = [] } = shown;
  const hasProviders = context.get("parts").core.policy.signIn.providers.length > 0;
  const isShown: Partial<Record<SettingsTab, boolean>> = {
    identities: hasProviders,
    keys: isOwner(personIn(session)),
  };
  const names = (Object.keys(tabs) as SettingsTab[]).filter((name) => isShown[name] ?? true);
  const title = tabs[tab];
  const whole = html`<nav aria-label="Settings"><ul class="tabs">
${names.map((name) => html`<li><a href="/settings/${name}"${name === tab ? html` aria-current="page"` : ""}>${tabs[name]}</a></li>`)}
</ul></nav>
<h1>${title}</h1>
${body}`;
  // Whoever is in several accounts has a tab of each.
  const account = session.accountName === null ? "" : ` · ${session.accountName}`;
  return await page(context, {
    title: `${title} · Settings${account}`,
    body: whole,
    session,
    status,
    scripts,
  });
}
