// The one resource that access tokens are for (RFC 8707), and the spellings of it that clients use. Pure.
// Why: docs/decisions/124-names-of-the-loopback-interface.md

/** All three are this machine, and one service: a token for one of them is a token for the others. */
const loopbackNames: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** The name that tokens, metadata and answers have. */
export function resourceOf(baseUrl: string): string {
  return `${baseUrl}/mcp`;
}

/** Every base URL of the service: the operator's first. Several only where that is on the loopback interface. */
function basesOf(baseUrl: string): readonly string[] {
  const { hostname, origin } = new URL(baseUrl);
  if (!loopbackNames.includes(hostname)) return [baseUrl];
  const rest = baseUrl.slice(origin.length);
  const others = loopbackNames.filter((name) => name !== hostname);
  return [baseUrl, ...others.map((name) => origin.replace(hostname, name) + rest)];
}

/**
 * The base URL by the name that a request has in its header Host: a client takes no metadata of another name than the one that it
 * asked. Of any other name the operator's: whoever sends the request chooses that header.
 */
export function baseAskedBy(baseUrl: string, host: string | undefined): string {
  return basesOf(baseUrl).find((base) => new URL(base).host === host?.toLowerCase()) ?? baseUrl;
}

/**
 * Whether a text names this service: its origin, the MCP endpoint or the API, with or without a last slash. Clients
 * disagree about which of these is the resource.
 */
export function isOwnResource(baseUrl: string, text: string): boolean {
  const named = URL.parse(text);
  if (named === null || named.username !== "" || named.password !== "") return false;
  if (named.search !== "" || named.hash !== "" || text.includes("#")) return false;
  const prefix = withoutSlash(new URL(baseUrl).pathname);
  const paths = ["", "/mcp", "/v1"].map((path) => prefix + path);
  const origins = basesOf(baseUrl).map((base) => new URL(base).origin);
  return origins.includes(named.origin) && paths.includes(withoutSlash(named.pathname));
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
