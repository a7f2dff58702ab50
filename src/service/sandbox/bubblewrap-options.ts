// Builds bubblewrap's command line: every namespace, no capability, and a root of named folders only. Pure.

import type { GitView } from "./git-view.ts";
import type { HostView } from "./host-view.ts";
import {
  hasRelay,
  RELAY_PROCESSES,
  type RelayedSocket,
  relayBinds,
  relayed,
  type SharedLoopback,
} from "./relay.ts";
import type { SandboxLimits } from "./sandbox-config.ts";

const INNER_USER = 1000;
const MAX_OPEN_FILES = 4096;
/** Niceness: the service and other programs go first. */
export const NICENESS = "10";

const accounts = (home: string): Readonly<Record<string, string>> => ({
  "/etc/passwd": `agent:x:${INNER_USER}:${INNER_USER}:agent:${home}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`,
  "/etc/group": `agent:x:${INNER_USER}:\nnogroup:x:65534:\n`,
  "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
  "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
});

type BubblewrapCall = {
  readonly host: HostView;
  readonly git: GitView;
  readonly treeFolder: string;
  /** The home on this machine. Null: one in memory, which ends with the command. */
  readonly homeFolder: string | null;
  readonly isHomeReadOnly: boolean;
  /** Relative to the tree. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly network: "off" | "allowed";
  /** Sockets that are reachable all the same where the network is off. */
  readonly sockets: readonly RelayedSocket[];
  /** Null: its loopback is its own. */
  readonly loopback: SharedLoopback | null;
  readonly limits: SandboxLimits;
  readonly hasFilter: boolean;
  /** Absolute. */
  readonly prlimitPath: string;
  readonly argv: readonly string[];
  /** A command has both of its streams in one, in their order. A program has a stream for what it complains of. */
  readonly kind: "command" | "program";
};

/** bubblewrap's arguments, and the data that it reads from the descriptors from `FIRST_DATA` on. */
type BubblewrapStart = { readonly args: readonly string[]; readonly data: readonly string[] };

/** Descriptor 3 reports the status, 4 holds the filter of system calls. */
export const STATUS_DESCRIPTOR = 3;
export const FILTER_DESCRIPTOR = 4;
export const FIRST_DATA = 5;

export function bubblewrapStart(call: BubblewrapCall): BubblewrapStart {
  const { limits } = call;
  const { home, tree, emptied } = call.host;
  const made = [
    ...Object.entries(accounts(home)).map(([target, content]) => ({ target, content })),
    ...emptied.map((target) => ({ target, content: "" })),
  ];
  const files = [...made, ...call.git.files];
  const fileOptions = (from: number, to: number) =>
    files
      .slice(from, to)
      .flatMap(({ target }, index) => ["--ro-bind-data", `${FIRST_DATA + from + index}`, target]);
  const memoryFolder = (path: string) => [
    "--perms",
    "0700",
    "--size",
    `${limits.temporaryBytes}`,
    "--tmpfs",
    path,
  ];
  const variables = Object.entries(call.environment).flatMap(([name, value]) => ["--setenv", name, value]);
  const options = [
    ...[
      "--unshare-all",
      "--unshare-user",
      "--disable-userns",
      "--uid",
      `${INNER_USER}`,
      "--gid",
      `${INNER_USER}`,
    ],
    ...(call.network === "allowed" ? ["--share-net"] : []),
    ...["--hostname", "sandbox", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"],
    // First, so that what the operator shows may lie below them.
    ...memoryFolder("/tmp"),
    ...["--dir", "/var", "--symlink", "/tmp", "/var/tmp"],
    ...(call.homeFolder === null
      ? memoryFolder(home)
      : [call.isHomeReadOnly ? "--ro-bind" : "--bind", call.homeFolder, home]),
    ...call.host.options,
    ...relayBinds(call),
    ...fileOptions(0, made.length),
    // A service that runs as root owns the files of /proc/sys: writing to them leads out of the sandbox.
    ...["--proc", "/proc", "--remount-ro", "/proc"],
    ...["--dev", "/dev", "--remount-ro", "/dev", ...memoryFolder("/dev/shm")],
    ...["--bind", call.treeFolder, tree],
    ...call.git.binds,
    ...fileOptions(made.length, files.length),
    ...call.host.seals,
    ...["--remount-ro", "/", "--chdir", call.cwd === "" ? tree : `${tree}/${call.cwd}`],
    ...variables,
    ...["--json-status-fd", `${STATUS_DESCRIPTOR}`],
    ...(call.hasFilter ? ["--seccomp", `${FILTER_DESCRIPTOR}`] : []),
  ];
  const contents = files.map(({ content }) => content);
  return {
    args: [...readOptions(FIRST_DATA + files.length), "--", ...limited(call)],
    data: [...contents, optionsData(options)],
  };
}

/** bubblewrap's options from a descriptor: its command line is seen inside, as that of the first process there. */
export function readOptions(descriptor: number): readonly string[] {
  return ["--args", `${descriptor}`];
}

export function optionsData(options: readonly string[]): string {
  return options.map((option) => `${option}\0`).join("");
}

/**
 * Set inside, where the kernel counts the processes of this sandbox only, the relay's among them. It does not count root's.
 * The relay itself has no limits: a command that stops it has no network any more.
 */
function limited({ prlimitPath, limits, sockets, loopback, argv, kind }: BubblewrapCall): readonly string[] {
  const relay = { sockets, loopback };
  const processes = limits.processes + (hasRelay(relay) ? RELAY_PROCESSES : 0);
  const command = [
    prlimitPath,
    ...kernelLimits({ ...limits, processes }),
    // Per process and at once, while the watch needs a moment. Address space is not memory, so it is twice the limit.
    `--data=${2 * limits.memoryBytes}`,
    "--",
    // Both streams share one pipe to keep their order; bubblewrap's own errors go to the other.
    ...(kind === "command" ? ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh"] : []),
    ...argv,
  ];
  return relayed(command, relay);
}

/** Options of prlimit for everything that is confined. */
export function kernelLimits({ processes, diskBytes }: SandboxLimits): readonly string[] {
  return [`--nproc=${processes}`, `--fsize=${diskBytes}`, `--nofile=${MAX_OPEN_FILES}`, "--core=0"];
}
