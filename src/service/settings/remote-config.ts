// The settings of repositories that are fetched with a credential: pinned host keys.

import { readFileSync } from "node:fs";
import { type KnownHosts, noKnownHosts, readKnownHosts } from "../checkouts/remotes/known-hosts.ts";

export type RemoteConfig = { readonly knownHosts: KnownHosts };

type Values = { readonly SSH_KNOWN_HOSTS_FILE: string | null };

export function readRemoteConfig({ SSH_KNOWN_HOSTS_FILE: path }: Values, problems: string[]): RemoteConfig {
  if (path === null) return { knownHosts: noKnownHosts };
  const text = readText(path);
  const knownHosts = text === null ? null : readKnownHosts(text);
  if (knownHosts === null)
    problems.push(
      `SSH_KNOWN_HOSTS_FILE must be a known_hosts file with an entry, as ssh-keyscan writes them, got ${JSON.stringify(path)}, which ${text === null ? "cannot be read" : "is none"}.`,
    );
  return { knownHosts: knownHosts ?? noKnownHosts };
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
