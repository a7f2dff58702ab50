// Times as the pages show them.

import { html } from "hono/html";
import type { Html } from "./web-context.ts";

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
