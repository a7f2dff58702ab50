// Fetches commits and their recent history from a server, by one call of git.

import type { Git } from "../../base/git/git.ts";
import type { CloneLimits } from "./clone-limits.ts";
import type { CloneTarget } from "./clone-url.ts";

const DEFAULT_HISTORY_DEPTH = 50;

export type HistoryFetch = {
  readonly git: Git;
  readonly target: CloneTarget;
  /** For the calls that reach the server. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limits: CloneLimits;
  /** Commits by name, or refspecs. */
  readonly wanted: readonly string[];
  /** The multiple of the usual depth. Default 1. */
  readonly times?: number;
  readonly signal: AbortSignal;
};

export async function fetchHistory(fetch: HistoryFetch): Promise<void> {
  const { git, target, env = {}, limits, wanted, times = 1, signal } = fetch;
  const depth = (limits.historyDepth ?? DEFAULT_HISTORY_DEPTH) * times;
  const args = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-auto-maintenance",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
    `--depth=${depth}`,
    "--",
    target.url,
    ...wanted,
  ];
  // A fetch that could not be ended from here stops by itself.
  const stall = [`http.lowSpeedTime=${Math.ceil(limits.cloneTimeoutMs / 1000)}`, "http.lowSpeedLimit=1"];
  await git({ args, env, transport: target.transport, config: stall, signal });
}
