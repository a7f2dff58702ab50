// Redirect URIs that an application may have, by RFC 8252: https, http on this computer, and the private-use scheme of a domain,
// such as "com.example.app:/callback". Everything else is refused, so that nothing of an address acts in the consent page's
// policy or in a browser. Pure.

const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];
/** Characters that RFC 3986 allows, without "#", and without "*" and ";", which act in a Content-Security-Policy. */
const PERMITTED = /^[\w\-.~:/?[\]@!$&'()+,=%]+$/;
const HOST = /^(?:[a-z\d_-]+(?:\.[a-z\d_-]+)*\.?|\[[\da-f:.]+\])$/;
/** RFC 8252 §7.1: a domain of the application's makers, reversed, so that it has a dot. */
const PRIVATE_USE_SCHEME = /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:$/;
const AUTHORITY = /^[^/?]+:\/\/([^/?]*)/;
/**
 * Known applications whose scheme is no domain: their one address each.
 * Cursor: https://github.com/makeplane/plane-mcp-server/issues/159 (2026-06-19).
 */
const KNOWN = ["cursor://anysphere.cursor-mcp/oauth/callback"];

/** Whether an application may register this address, and get its answer there. */
export function isPermittedRedirect(text: string): boolean {
  if (KNOWN.includes(text)) return true;
  const url = PERMITTED.test(text) ? URL.parse(text) : null;
  if (url === null) return false;
  const [, authority = ""] = AUTHORITY.exec(text) ?? [];
  // Also an empty user, which a parsed address does not show.
  if (authority.includes("@") || url.username !== "" || url.password !== "") return false;
  switch (url.protocol) {
    case "https:":
      return authority !== "" && HOST.test(url.hostname);
    case "http:":
      return authority !== "" && LOOPBACK_HOSTS.includes(url.hostname);
    default:
      return PRIVATE_USE_SCHEME.test(url.protocol);
  }
}

/** Whether the answer goes to this computer, where any program can have made the request. */
export function isLoopback(redirectUri: string): boolean {
  const url = new URL(redirectUri);
  return url.protocol === "http:" && LOOPBACK_HOSTS.includes(url.hostname);
}
