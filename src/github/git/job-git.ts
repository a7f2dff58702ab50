// Git as the job itself uses it, once the agent is done: nothing of a repository runs, nothing of the machine's settings
// counts but proxies and certificates, and the token is in the environment of the calls that need it alone.

import { devNull } from "node:os";
import { type Git, gitProgram } from "../../base/git-process.ts";
import type { Environment } from "../../ci/provider.ts";

const inherited = [
  "PATH",
  "SYSTEMROOT",
  "http_proxy",
  "https_proxy",
  "HTTPS_PROXY",
  "all_proxy",
  "ALL_PROXY",
  "no_proxy",
  "NO_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
] as const;

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

export function jobGit({ env, home, gitFolder, treeFolder }: JobGitOptions): Git {
  const passed: Record<string, string> = {};
  for (const name of inherited) {
    const value = env[name];
    if (value !== undefined && value !== "") passed[name] = value;
  }
  return gitProgram({
    path: "git",
    folder: treeFolder ?? home,
    options: ["--no-pager", ...configuration(env, treeFolder ?? gitFolder).flatMap((entry) => ["-c", entry])],
    timeoutMs: TIMEOUT_MS,
    env: {
      ...passed,
      HOME: home,
      LC_ALL: "C",
      GIT_ASKPASS: "",
      GIT_ATTR_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: devNull,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_DIR: gitFolder,
      GIT_NO_LAZY_FETCH: "1",
      GIT_OPTIONAL_LOCKS: "0",
      GIT_TERMINAL_PROMPT: "0",
      ...(treeFolder === null ? {} : { GIT_WORK_TREE: treeFolder }),
    },
  });
}

/** Wins over every file. */
function configuration(env: Environment, folder: string): string[] {
  const scheme = serverUrl(env).startsWith("http:") ? "http" : "https";
  return [
    `core.hooksPath=${devNull}`,
    "core.fsmonitor=false",
    `core.attributesFile=${devNull}`,
    "core.askPass=",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "credential.helper=",
    `safe.directory=${folder}`,
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
    "push.gpgSign=false",
    "commit.gpgSign=false",
    "log.showSignature=false",
    "protocol.allow=never",
    `protocol.${scheme}.allow=always`,
    "http.followRedirects=false",
    "gc.auto=0",
    "maintenance.auto=false",
    // A path goes where it went, not where its neighbours went.
    "merge.directoryRenames=false",
    "merge.renormalize=false",
    "core.autocrlf=false",
  ];
}

/** Where a repository of the code host is, for git. */
export function repositoryUrl(env: Environment, repository: string): string {
  return `${serverUrl(env)}/${repository}.git`;
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
 * The token as git's configuration, passed in the environment: other users of the machine can read arguments. The first
 * entry removes a header that the checkout's own configuration sets: GitHub refuses two.
 */
export function credentialOf({ env, token, setSecret }: CredentialOptions): Record<string, string> {
  const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
  setSecret(basic);
  const key = `http.${serverUrl(env)}/.extraheader`;
  return {
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: key,
    GIT_CONFIG_VALUE_0: "",
    GIT_CONFIG_KEY_1: key,
    GIT_CONFIG_VALUE_1: `AUTHORIZATION: basic ${basic}`,
  };
}
