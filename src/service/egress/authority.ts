// The host that a client of the proxy names, as it names it. Pure.

import { isIP } from "node:net";
import { hostText } from "../../contract/egress.ts";

const MAX_SHOWN_CHARS = 100;

export type Authority = { readonly host: string; readonly port: number };

/** `host:port` alone: no user, no path. An IPv6 address keeps its brackets, to be blocked as what it is. */
export function readAuthority(text: string): Authority | null {
  const [, host, digits] = /^(\[[^\]@/]*\]|[^:@/[\]]+):(\d{1,5})$/.exec(text) ?? [];
  return host === undefined ? null : { host, port: Number(digits) };
}

/** A dot at the end is the root's: the same host. */
export function plainName(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

/** Also in the forms that only some programs read as one: 2130706433, 0x7f.1, [::1]. */
export function looksLikeAddress(name: string): boolean {
  return isIP(name) !== 0 || /^\[|(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name);
}

/** A host as people are shown it: one short text of harmless characters. */
export function shownHost({ host, port }: Authority): string {
  const name = plainName(host.slice(0, MAX_SHOWN_CHARS)).replace(/[^a-z0-9.:[\]_-]/g, "?");
  return hostText({ name: name === "" ? "?" : name, port });
}
