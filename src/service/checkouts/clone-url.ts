// Rules for clone URLs and for names of commits. Pure.

import { isLoopbackName } from "../../base/confidential-url.ts";
import type { GitTransport } from "../../base/git/hardening.ts";

const shaPattern = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

export type CloneTarget = { readonly url: string; readonly transport: GitTransport };

/** The URL for git, or one line that says why it is refused. */
export function checkCloneUrl(text: string): CloneTarget | { readonly fault: string } {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return { fault: "its clone URL is not a URL" };
  if (url.username !== "" || url.password !== "") {
    return { fault: "its clone URL holds credentials; remove them from the issuer's clone_url" };
  }
  if (url.protocol === "https:") return { url: url.href, transport: "https" };
  if (url.protocol === "http:" && isLoopbackName(url.hostname)) {
    return { url: url.href, transport: "http" };
  }
  return { fault: `only https:// is allowed for cloning, the clone URL begins with ${url.protocol}` };
}

/** True for a full object name, SHA-1 or SHA-256, which git cannot take for an option or a range. */
export function isObjectName(text: string): boolean {
  return shaPattern.test(text);
}
