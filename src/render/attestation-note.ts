// The result of the signed statement about the pushed commit, for the summary. Pure.

import { fitText } from "../base/bounded-text.ts";
import type { Attestation } from "../report/attestation.ts";
import { escapeMarkdown, link } from "./markdown.ts";

const MAX_MESSAGE_BYTES = 1_000;

/** "" where nobody asked for one, or nothing was pushed. */
export function attestationSection(attestation: Attestation | null): string {
  if (attestation === null) return "";
  if (attestation.type === "attested")
    return `🔏 ${link(`Commit ${attestation.sha.slice(0, 7)} is attested`, attestation.url)}`;
  return `> ⚠️ ${fitText(attestation.message, MAX_MESSAGE_BYTES, (head) => escapeMarkdown(head)) ?? ""}`;
}
