// The credential in an Authorization header (RFC 6750), for every transport. Pure.

const BEARER = /^Bearer +(\S+) *$/i;

/** Null where there is no header; a header of another form gives a text that no credential has. */
export function bearerOf(header: string | undefined): string | null {
  return header === undefined ? null : (BEARER.exec(header)?.[1] ?? "");
}
