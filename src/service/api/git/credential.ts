// The credential of git's client: the password of HTTP Basic (RFC 7617), whatever the user's name, or a bearer token. Pure.

import { bearerOf } from "../shared/bearer.ts";

const BASIC = /^Basic +([A-Za-z0-9+/]+=*) *$/i;

/** Null where there is none: git then asks for one. A header of another form gives a text that no credential has. */
export function credentialOf(header: string | undefined): string | null {
  const [, encoded] = BASIC.exec(header ?? "") ?? [];
  if (encoded === undefined) return bearerOf(header);
  const named = Buffer.from(encoded, "base64").toString("utf8");
  const colon = named.indexOf(":");
  const password = colon < 0 ? "" : named.slice(colon + 1);
  return password === "" ? null : password;
}
