// The fields by which a changeset is decided. Pure.

import { html } from "hono/html";
import type { Html } from "../../web-context.ts";

export const MAX_EVIDENCE_CHARS = 10_000;
export const MAX_REASON_CHARS = 10_000;

export const evidenceHint =
  "Say how you know that it is good: it is kept with the changeset, for whoever asks later.";

type FormOf = { readonly path: string; readonly key: string };

export function acceptForm({ path, key, expected }: FormOf & { readonly expected: string }): Html {
  return html`<form method="post" action="${path}/accept">
${hidden({ key, expected })}
${evidenceField}
<div class="actions"><button class="main">Accept</button></div>
</form>`;
}

export function rejectForm({ path, key }: FormOf): Html {
  return html`<form method="post" action="${path}/reject">
<input type="hidden" name="key" value="${key}">
<label for="reason">Why not</label>
<textarea id="reason" name="reason" rows="2" maxlength="${MAX_REASON_CHARS}" aria-describedby="reason-hint"></textarea>
<p class="hint" id="reason-hint">May be left empty. Its revision stays.</p>
<div class="actions"><button class="danger">Reject</button></div>
</form>`;
}

/** Hidden fields of a decision, by which it is about what was shown: with another accepted revision it is refused. */
export function hidden({ key, expected }: { readonly key: string; readonly expected: string }): Html {
  return html`<input type="hidden" name="key" value="${key}"><input type="hidden" name="expected_current_revision" value="${expected}">`;
}

export const evidenceField = html`<label for="evidence">How it was validated</label>
<textarea id="evidence" name="evidence" rows="3" required maxlength="${MAX_EVIDENCE_CHARS}"></textarea>`;
