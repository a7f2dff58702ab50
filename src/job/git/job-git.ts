// Git as the job itself uses it: hardened as everywhere, and with the job's token only in the environment of the calls
// that need it.

import type { Environment } from "../../base/environment.ts";
import { createGit, type Git } from "../../base/git/git.ts";
import type { GitTransport } from "../../base/git/hardening.ts";

/** A large repository over a slow line. */
const TIMEOUT_MS = 120_000;

type JobGitOptions = {
  readonly env: Environment;
  /** An empty folder: git and its transport read `.netrc` and more from here. */
  readonly home: string;
  readonly gitFolder: string;
  /** Null for a repository without files. */
  readonly treeFolder: string | null;
};

export function jobGit({ env, ...repository }: JobGitOptions): Git {
  return createGit({ ...repository, environment: env, timeoutMs: TIMEOUT_MS });
}

/** A repository of a code host, and the job's access to it. */
export type GitHost = {
  /** Without a trailing slash. */
  readonly serverUrl: string;
  /** Its path on the server: `owner/name`. */
  readonly repository: string;
  /** The name that goes with the token. */
  readonly user: string;
  /** "" where the job has none. */
  readonly token: string;
  /** Masks a value in the job's log. */
  readonly setSecret: (secret: string) => void;
};

/** The address of the repository, for git. */
export function repositoryUrl({ serverUrl, repository }: GitHost): string {
  return `${serverUrl}/${repository}.git`;
}

/** The transport to the code host. */
export function transportOf({ serverUrl }: Pick<GitHost, "serverUrl">): GitTransport {
  return serverUrl.startsWith("http:") ? "http" : "https";
}

/**
 * The token as git's configuration, passed in the environment: other users of the machine can read arguments. Only for
 * calls in a git folder of our own: a configuration that somebody else wrote could send the token elsewhere
 * (`http.<url>.proxy`). Nothing where there is no token.
 */
export function credentialOf({ serverUrl, user, token, setSecret }: GitHost): Record<string, string> {
  if (token === "") return {};
  const basic = Buffer.from(`${user}:${token}`).toString("base64");
  setSecret(basic);
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${serverUrl}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${basic}`,
  };
}
