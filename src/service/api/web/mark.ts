// The mark of the project: a run that leaves a line of commits, and comes back to it. For the bar of every page, and as the
// icon of its tab.

import { html, raw } from "hono/html";
import type { Html } from "./web-context.ts";

const VIEW = "0 0 32 32";
const drawing = (back: string, line: string): string =>
  `<rect width="32" height="32" rx="8" fill="${back}"/>` +
  `<path d="M10 6v20M10 11c0 5 12 1 12 7s-12 2-12 6" fill="none" stroke="${line}" stroke-width="2.6" stroke-linecap="round"/>` +
  `<circle cx="10" cy="8" r="2.6" fill="${line}"/><circle cx="22" cy="16.6" r="3.2" fill="${line}"/><circle cx="10" cy="25" r="2.6" fill="${line}"/>`;

/** Beside the name, which says the same to those who do not see it. */
export const mark: Html = html`<svg class="mark" viewBox="${VIEW}" width="24" height="24" aria-hidden="true">${raw(drawing("var(--accent)", "var(--on-accent)"))}</svg>`;

/** The address of the icon: within the page, so that no further request is made for it. */
export const iconAddress: string = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${VIEW}">${drawing("#4338ca", "#ffffff")}</svg>`,
)}`;
