// Shared parts of commands and programs in bubblewrap: their view of the checkout, their environment, the way to the egress
// proxy, and the watch over their processes.

import { bubblewrapStart } from "./bubblewrap-options.ts";
import { type BubblewrapParts, type RunningBubblewrap, startBubblewrap } from "./bubblewrap-process.ts";
import type { GitView } from "./git-view.ts";
import { type IdentityWay, identityVariables } from "./identity-way.ts";
import { watchProcesses } from "./process-watch.ts";
import {
  EGRESS_PORT,
  hasRelay,
  IDENTITY_PORT,
  proxyVariables,
  RELAY_MEMORY_BYTES,
  RELAY_PROCESSES,
  type SharedLoopback,
} from "./relay.ts";
import { scrubbedEnvironment } from "./scrubbed-environment.ts";
import type { Watch } from "./supervise.ts";
import { offlineVariables } from "./toolchain-variables.ts";

type StartedInside = {
  readonly git: GitView;
  readonly treeFolder: string;
  readonly homeFolder: string | null;
  /** Default: it can be written. */
  readonly isHomeReadOnly?: boolean;
  /** Below the tree. */
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly kind: "command" | "program";
  /** Variables of this one alone. */
  readonly added: Readonly<Record<string, string>>;
  readonly egressSocket: string | null;
  /** Null: it gets no ID tokens. */
  readonly identity: IdentityWay | null;
  /** Null: its loopback is its own. */
  readonly loopback: SharedLoopback | null;
  readonly onMade?: (() => void) | undefined;
  readonly hasInput: boolean;
  readonly mark: Readonly<Record<string, string>>;
};

type Started = { readonly running: RunningBubblewrap; readonly watchInside: Watch };

export function startInBubblewrap(parts: BubblewrapParts, given: StartedInside): Started {
  const { config, host, clock } = parts;
  const { limits, network } = config;
  const { git, treeFolder, homeFolder, cwd, argv, kind } = given;
  // With the network there is no relay to it.
  const hasProxy = given.egressSocket !== null && network === "off";
  const identitySocket = given.identity?.socket ?? null;
  const sockets = [
    ...(hasProxy ? [{ port: EGRESS_PORT, socket: given.egressSocket }] : []),
    ...(identitySocket === null ? [] : [{ port: IDENTITY_PORT, socket: identitySocket }]),
  ];
  const isRelayed = hasRelay({ sockets, loopback: given.loopback });
  const environment = scrubbedEnvironment({
    path: host.path,
    home: host.home,
    temporary: "/tmp",
    passed: {
      ...(network === "off" && !hasProxy ? offlineVariables : {}),
      ...host.environment,
      ...config.passed,
    },
    added: given.added,
    proxy: hasProxy ? proxyVariables() : {},
    identity: identityVariables(given.identity),
  });
  const start = bubblewrapStart({
    host,
    git,
    treeFolder,
    homeFolder,
    isHomeReadOnly: given.isHomeReadOnly === true,
    cwd,
    environment,
    network,
    sockets,
    loopback: given.loopback,
    limits,
    argv,
    kind,
    hasFilter: parts.filter !== null,
    prlimitPath: parts.prlimitPath,
  });
  const running = startBubblewrap({
    args: start.args,
    data: [parts.filter ?? "", ...start.data],
    path: config.environment.PATH,
    mark: given.mark,
    hasInput: given.hasInput,
    inherited: parts.inherited,
  });
  const watchInside: Watch = async (signal) => {
    const inside = await running.inside;
    if (inside === null) return null;
    const maxProcesses = limits.processes + (isRelayed ? RELAY_PROCESSES : 0);
    const maxMemoryBytes = limits.memoryBytes + (isRelayed ? RELAY_MEMORY_BYTES : 0);
    return await watchProcesses({
      ...inside,
      maxProcesses,
      maxMemoryBytes,
      onMade: given.onMade,
      clock,
      signal,
    });
  };
  return { running, watchInside };
}
