// Wraps the command of an agent that is a program of its own in bubblewrap: it sees its tools, its workspace and its
// home, each where it lies on this machine, and the network, because its model is there.

import { hostView } from "./host-view.ts";
import type { SandboxConfig } from "./sandbox-config.ts";

export type ConfinedStart = {
  readonly argv: readonly [string, ...string[]];
  /** Absolute; both can be written to. */
  readonly workspace: string;
  readonly home: string;
};

export type Confine = (start: ConfinedStart) => readonly [string, ...string[]];

/**
 * How to start an agent so that it ends with everything it started. The limits of the sandbox on memory, processes
 * and disk are not held: they are for commands. The environment is passed on as it is.
 */
export async function confineAgent(config: SandboxConfig): Promise<Confine> {
  const host = await hostView({ ...config, network: "allowed" });
  return ({ argv, workspace, home }) => [
    "bwrap",
    ...["--unshare-all", "--share-net", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    // First, so that the workspace and the home may lie below it.
    ...["--tmpfs", "/tmp", "--dir", "/var", "--symlink", "/tmp", "/var/tmp"],
    ...host.options,
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--bind", workspace, workspace, "--bind", home, home],
    ...["--remount-ro", "/", "--chdir", workspace, "--", ...argv],
  ];
}
