// Common parts of the pages of usage and of the ledger: their tabs, and a table as a file.

import { html } from "hono/html";
import type { Html, WebContext } from "../../web-context.ts";

const tabs = {
  usage: { path: "/usage", text: "Usage" },
  ledger: { path: "/usage/ledger", text: "Ledger" },
} as const;

export function usageTabs(current: keyof typeof tabs): Html {
  return html`<nav aria-label="Usage"><ul class="tabs">
${Object.entries(tabs).map(([name, { path, text }]) => html`<li><a href="${path}"${name === current ? html` aria-current="page"` : ""}>${text}</a></li>`)}
</ul></nav>`;
}

export function answerCsv(context: WebContext, { name, text }: { name: string; text: string }): Response {
  context.header("Content-Type", "text/csv; charset=utf-8");
  context.header("Content-Disposition", `attachment; filename="${name}.csv"`);
  context.header("Content-Security-Policy", "default-src 'none'; sandbox");
  context.header("X-Content-Type-Options", "nosniff");
  context.header("Cache-Control", "private, no-store");
  return context.body(text);
}
