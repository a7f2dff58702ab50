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
  apps: "Connected apps",
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
  return await page(context, { title: `${title} · Settings`, body: whole, session, status, scripts });
}

/** To the minute (UTC); "never" for null. */
export function timeText(ms: number | null): Html {
  if (ms === null) return html`never`;
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace("T", " ")} UTC</time>`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** What is older has its date. */
const RECENT_MS = 7 * DAY_MS;

/** "5 min ago", with the time itself where one points at it. */
export function agoText(ms: number, now: number): Html {
  const ago = Math.max(0, now - ms);
  if (ago >= RECENT_MS) return timeText(ms);
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}" title="${iso.slice(0, 16).replace("T", " ")} UTC">${shortly(ago)}</time>`;
}

function shortly(ago: number): string {
  if (ago < MINUTE_MS) return "just now";
  if (ago < HOUR_MS) return `${Math.floor(ago / MINUTE_MS)} min ago`;
  return ago < DAY_MS ? `${Math.floor(ago / HOUR_MS)} h ago` : `${Math.floor(ago / DAY_MS)} d ago`;
}
