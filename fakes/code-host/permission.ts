// The permissions of a job's token, by the `permissions:` of its workflow. Stricter than GitHub, where every token can read
// public data: a workflow must work in a private repository, too. Pure.
// https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps

/** As in a workflow: "contents" → "read". Others are "none". */
export type JobPermissions = Readonly<Record<string, string>>;

/** The answer's `x-accepted-github-permissions` where the token may not; null where it may. `path` is below the repository. */
export function missingPermission(
  permissions: JobPermissions,
  { method, path }: { method: string; path: string },
): string | null {
  const level = method === "GET" ? "read" : "write";
  const accepted = permissionsFor(path);
  const has = (name: string) => permissions[name] === "write" || permissions[name] === level;
  if (accepted.length === 0 || accepted.some(has)) return null;
  return accepted.map((name) => `${name.replaceAll("-", "_")}=${level}`).join("; ");
}

/** Any of these is enough. An empty list: every token may. */
function permissionsFor(path: string): readonly string[] {
  if (path === "/issues") return ["issues"];
  // Comments on issues and on pull requests share their paths.
  if (path.startsWith("/issues/")) return ["issues", "pull-requests"];
  if (/^\/pulls(\/|$)/.test(path)) return ["pull-requests"];
  if (/^\/(check-runs|commits\/[^/]+\/check-runs)(\/|$)/.test(path)) return ["checks"];
  if (/^\/(branches|commits|compare|contents|git|merges)(\/|$)/.test(path)) return ["contents"];
  if (path.startsWith("/actions/")) return ["actions"];
  if (/^\/attestations(\/|$)/.test(path)) return ["attestations"];
  return [];
}
