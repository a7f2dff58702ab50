// The lines of a ledger as a table.

import { html } from "hono/html";
import { assertNever } from "../../../../../base/assert-never.ts";
import type { LedgerLines } from "../../../../core/accounts/read-ledger.ts";
import { creditsOf } from "../../../../core/money/ledger.ts";
import type { PostingKind } from "../../../../core/money/posting.ts";
import { timeText } from "../../time-text.ts";
import type { Html } from "../../web-context.ts";

type Line = LedgerLines["lines"][number];

/** `linkOf` says what stands in the column of the run. */
export function ledgerTable(lines: readonly Line[], linkOf: (posting: Line["posting"]) => Html): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Ledger"><table>
<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Run</th><th scope="col" class="number">Amount</th><th scope="col" class="number">Change</th><th scope="col" class="number">Balance</th></tr></thead>
<tbody>${lines.map(
    ({ posting, changeMicroUsd, balanceMicroUsd }) => html`<tr>
<td>${timeText(posting.at)}</td><td>${kindText(posting.kind)}</td>
<td>${linkOf(posting)}</td>
<td class="number">${exactCredits(posting.microUsd)}</td>
<td class="number">${changeText(changeMicroUsd)}</td><td class="number">${exactCredits(balanceMicroUsd)}</td></tr>`,
  )}</tbody></table></div>`;
}

function kindText(kind: PostingKind): string {
  switch (kind) {
    case "grant":
      return "Granted";
    case "hold":
      return "Held for the run";
    case "charge":
      return "Charged, of what was held";
    case "release":
      return "Released";
    case "refund":
      return "Refunded";
    default:
      return assertNever(kind);
  }
}

function changeText(microUsd: number): Html {
  if (microUsd === 0) return html`<span class="faint">0</span>`;
  return html`<span class="${microUsd > 0 ? "good" : ""}">${microUsd > 0 ? "+" : "−"}${exactCredits(Math.abs(microUsd))}</span>`;
}

/** An amount is at most five places of a credit: the numbers of the page add up. */
export function exactCredits(microUsd: number): string {
  return creditsOf(microUsd).toLocaleString("en-US", { maximumFractionDigits: 5 });
}

/** The beginning of an id says only when it was made. */
export function shortId(id: string): string {
  return `…${id.slice(-8)}`;
}
