// The one resource that access tokens are for (RFC 8707), and the spellings of it that clients use. Pure.

/** The name that tokens, metadata and answers have. */
export function resourceOf(baseUrl: string): string {
  return `${baseUrl}/mcp`;
}

/**
 * Whether a text names this service: its origin, the MCP endpoint or the API, with or without a last slash. Clients
 * disagree about which of these is the resource.
 */
export function isOwnResource(baseUrl: string, text: string): boolean {
  const named = URL.parse(text);
  if (named === null || named.username !== "" || named.password !== "") return false;
  if (named.search !== "" || named.hash !== "" || text.includes("#")) return false;
  const base = new URL(baseUrl);
  const prefix = withoutSlash(base.pathname);
  const paths = ["", "/mcp", "/v1"].map((path) => prefix + path);
  return named.origin === base.origin && paths.includes(withoutSlash(named.pathname));
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
