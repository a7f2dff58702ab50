// The library's cookies at the edge. It tells its requests apart by the path of a cookie; a `__Host-` cookie has the path "/",
// so that here the name tells them apart: "__Host-oauth_interaction.<id>". Pure.

const SEPARATOR = ".";
const PATH = /;\s*path=([^;]*)/i;

/** A `Set-Cookie` of the library as the browser gets it. */
export function cookieOutside(line: string): string {
  const [, path = "/"] = PATH.exec(line) ?? [];
  if (path === "/") return line;
  const at = line.indexOf("=");
  return `${line.slice(0, at)}${SEPARATOR}${requestOf(path)}${line.slice(at)}`.replace(PATH, "; path=/");
}

/** A browser's `Cookie` as the library gets it with a request to `path`: what belongs to other requests is left out. */
export function cookiesInside(header: string, path: string): string {
  const end = `${SEPARATOR}${requestOf(path)}`;
  const pairs = header.split(/;\s*/).flatMap((pair) => {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    return at > 0 && name.endsWith(end) ? [`${name.slice(0, -end.length)}${pair.slice(at)}`] : [];
  });
  return pairs.join("; ");
}

/** The id of the request: the last part of each of its paths. */
function requestOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
