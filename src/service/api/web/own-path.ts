// The path after signing in: one of this service, whatever the address says. Pure.

const MAX_CHARS = 2_000;
/** No name that resolves. */
const BASE = "http://own.invalid";
const CONTROL_OR_BACKSLASH = /[\p{Cc}\\]/u;

/**
 * The path as it may stand in `Location`; `/` for every text that a browser could take for another origin's address.
 * Browsers drop control characters and read `\` as `/`: neither is in a path that this service makes.
 */
export function ownPathOf(text: string | undefined): string {
  if (text === undefined || text.length > MAX_CHARS || !text.startsWith("/")) return "/";
  if (text.startsWith("//") || CONTROL_OR_BACKSLASH.test(text)) return "/";
  const url = URL.parse(text, BASE);
  if (url === null || url.origin !== BASE) return "/";
  // "/.//evil.example" is a path, until it is written down without its dot.
  return url.pathname.startsWith("//") ? "/" : url.pathname + url.search;
}

/** The path of a request's address, to come back to. */
export function pathWithQuery(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}
