// The settings of repositories that are fetched with a credential: pinned host keys, and the operator's GitHub App.

import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import type { GithubApp } from "../checkouts/remotes/app-tokens.ts";
import { type KnownHosts, noKnownHosts, readKnownHosts } from "../checkouts/remotes/known-hosts.ts";

const LEAST_BITS = 2048;

export type RemoteConfig = {
  readonly knownHosts: KnownHosts;
  /** Null: there is none. */
  readonly app: GithubApp | null;
  /** The file of its key. */
  readonly appKeyFile: string | null;
};

type Values = {
  readonly SSH_KNOWN_HOSTS_FILE: string | null;
  readonly GITHUB_APP_ID: string | null;
  readonly GITHUB_APP_PRIVATE_KEY_FILE: string | null;
};

export function readRemoteConfig(values: Values, problems: string[]): RemoteConfig {
  return {
    knownHosts: readHosts(values.SSH_KNOWN_HOSTS_FILE, problems),
    app: readApp(values, problems),
    appKeyFile: values.GITHUB_APP_PRIVATE_KEY_FILE,
  };
}

function readHosts(path: string | null, problems: string[]): KnownHosts {
  if (path === null) return noKnownHosts;
  const text = readText(path);
  const knownHosts = text === null ? null : readKnownHosts(text);
  if (knownHosts === null)
    problems.push(
      `SSH_KNOWN_HOSTS_FILE must be a known_hosts file with an entry, as ssh-keyscan writes them, got ${JSON.stringify(path)}, which ${text === null ? "cannot be read" : "is none"}.`,
    );
  return knownHosts ?? noKnownHosts;
}

function readApp(
  { GITHUB_APP_ID: id, GITHUB_APP_PRIVATE_KEY_FILE: path }: Values,
  problems: string[],
): GithubApp | null {
  if (id === null && path === null) return null;
  if (id === null || path === null) {
    const [missing, there] = id === null ? ["ID", "PRIVATE_KEY_FILE"] : ["PRIVATE_KEY_FILE", "ID"];
    problems.push(`GITHUB_APP_${missing} must be set beside GITHUB_APP_${there}: an App has both.`);
    return null;
  }
  const text = readText(path);
  const key = text === null ? null : rsaKeyOf(text);
  if (key === null)
    problems.push(
      `GITHUB_APP_PRIVATE_KEY_FILE must be an RSA key of ${LEAST_BITS} bits or more in PEM, got ${JSON.stringify(path)}, which ${text === null ? "cannot be read" : "is none"}.`,
    );
  return key === null ? null : { id, key };
}

function rsaKeyOf(text: string): KeyObject | null {
  try {
    const key = createPrivateKey(text);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === "rsa" && bits >= LEAST_BITS ? key : null;
  } catch {
    return null;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
