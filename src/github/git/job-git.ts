// Git as the job itself uses it: hardened as everywhere, and with the job's token only in the environment of the calls
// that need it.

import { createGit, type Git } from "../../base/git/git.ts";
import type { GitTransport } from "../../base/git/hardening.ts";
import type { Environment } from "../../ci/provider.ts";

/** A large repository over a slow line. */
const TIMEOUT_MS = 120_000;

export type JobGitOptions = {
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

/** Where a repository of the code host is, for git. */
export function repositoryUrl(env: Environment, repository: string): string {
  return `${serverUrl(env)}/${repository}.git`;
}

/** How the code host is reached. */
export function transportOf(env: Environment): GitTransport {
  return serverUrl(env).startsWith("http:") ? "http" : "https";
}

export function serverUrl(env: Environment): string {
  return (env.GITHUB_SERVER_URL ?? "https://github.com").replace(/\/+$/, "");
}

export type CredentialOptions = {
  readonly env: Environment;
  readonly token: string;
  /** Masks a value in the job's log. */
  readonly setSecret: (secret: string) => void;
};

/**
 * The token as git's configuration, passed in the environment: other users of the machine can read arguments. Only for
 * calls in a git folder of our own: a configuration that somebody else wrote could send the token elsewhere
 * (`http.<url>.proxy`).
 */
export function credentialOf({ env, token, setSecret }: CredentialOptions): Record<string, string> {
  const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
  setSecret(basic);
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${serverUrl(env)}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${basic}`,
  };
}
