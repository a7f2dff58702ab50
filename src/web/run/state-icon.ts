// The page's icon, by the state of the run.

import type { RunTone } from "../../render/run-page/run-heading.ts";

const colours: Readonly<Record<RunTone, string>> = {
  live: "#b26a00",
  good: "#1a7f37",
  warn: "#8a6d00",
  bad: "#c62828",
};

export function showState(tone: RunTone): void {
  const shape =
    tone === "live"
      ? `<circle cx="8" cy="8" r="5" fill="none" stroke="${colours.live}" stroke-width="4"/>`
      : `<circle cx="8" cy="8" r="7" fill="${colours[tone]}"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${shape}</svg>`;
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon !== null) icon.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
