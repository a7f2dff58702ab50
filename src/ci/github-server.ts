// The address of the job's GitHub. Pure.

import type { Environment } from "../base/environment.ts";

/** Without a trailing slash. */
export function serverUrl(env: Environment): string {
  return (env.GITHUB_SERVER_URL ?? "https://github.com").replace(/\/+$/, "");
}
