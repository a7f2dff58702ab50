// Texts about an application for the person who is to allow it something: verified facts, and its own claims. Pure.

import { domainToUnicode } from "node:url";
import { isLoopback } from "./redirect-uri.ts";

const MAX_NAME_CHARS = 80;
/** Controls, and marks that change the direction of the text around them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export type KnownClient = {
  readonly clientId: string;
  readonly clientName?: string | undefined;
  readonly redirectUris?: readonly string[] | undefined;
};

/** The name that it gives itself, in one line. */
export function shownName({ clientId, clientName }: KnownClient): string {
  const name = (clientName ?? "").replace(INVISIBLE, "").replace(/\s/g, " ").trim().slice(0, MAX_NAME_CHARS);
  return name === "" ? (documentHost(clientId) ?? "An application without a name") : name;
}

/** The host that vouches for its name. Null for one that registered itself. In ASCII: look-alike letters show. */
export function documentHost(clientId: string): string | null {
  const url = URL.parse(clientId);
  return url?.protocol === "https:" ? url.host : null;
}

/** The place that the answer goes to. */
export function redirectPlace(redirectUri: string): string {
  const url = new URL(redirectUri);
  if (!["http:", "https:"].includes(url.protocol)) return `an application for ${url.protocol}// addresses`;
  return isLoopback(redirectUri) ? `a program on this computer (${url.host})` : url.host;
}

/** A name with letters that are not ASCII, as its owner writes it. Null where it is the same. */
export function unicodeHost(host: string): string | null {
  const written = domainToUnicode(host);
  return written === "" || written === host ? null : written;
}

/** The form target that the page's policy has to allow: browsers apply `form-action` to the redirects that follow a form. Of a permitted address. */
export function formTarget(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri);
  const isWeb = protocol === "http:" || protocol === "https:";
  // The policy's grammar has no IPv6 addresses.
  return isWeb && !hostname.startsWith("[") ? origin : protocol;
}
