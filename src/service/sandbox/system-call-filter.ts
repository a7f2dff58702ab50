// The system calls that are denied in the sandbox, as a seccomp BPF program. Pure.
// An addition to the namespaces, for what they do not cover: key rings are not in a namespace, sockets of
// virtual machines (AF_VSOCK) pass a network namespace, io_uring passes this filter, and by ptrace a command could make
// the first process of its sandbox, which has no limits, execute its own code.

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const KILL_PROCESS = 0x80000000;

const EPERM = 1;
const ENOMEM = 12;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Offsets in `struct seccomp_data`, little-endian. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number) => 16 + 8 * index;

/** Unix, IPv4, IPv6, netlink: the common families, each bound to the network namespace. */
const UNIX = 1;
const socketFamilies = [UNIX, 2, 10, 16];
/** PostgreSQL uses a few bytes of it; larger amounts would escape the memory count. */
const MAX_SHARED_SEGMENT_BYTES = 65_536;
/** Calls of another calling convention on the same machine (x32). */
const X32 = 0x40000000;

type Calls = {
  readonly audit: number;
  readonly socket: number;
  readonly socketPair: number;
  readonly sharedSegment: number;
  readonly memoryFile: number;
  readonly denied: readonly number[];
};

/** The same numbers on every machine: io_uring, mounting, pidfd_getfd, quotactl_fd, memfd_secret. */
const newer = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 443, 447];

const machines: Readonly<Record<string, Calls>> = {
  x64: {
    audit: 0xc000003e,
    socket: 41,
    socketPair: 53,
    sharedSegment: 29,
    memoryFile: 319,
    // syslog, pivot_root, chroot, acct, mount, umount2, swapon, swapoff, reboot, init_module, delete_module, quotactl,
    // kexec_load, add_key, request_key, keyctl, unshare, move_pages, perf_event_open, fanotify_init,
    // open_by_handle_at, setns, kcmp, finit_module, kexec_file_load, bpf, userfaultfd, ptrace, process_vm_readv,
    // process_vm_writev
    denied: [
      103, 155, 161, 163, 165, 166, 167, 168, 169, 175, 176, 179, 246, 248, 249, 250, 272, 279, 298, 300, 304,
      308, 312, 313, 320, 321, 323, 101, 310, 311,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    socket: 198,
    socketPair: 199,
    sharedSegment: 194,
    memoryFile: 279,
    denied: [
      116, 41, 51, 89, 40, 39, 224, 225, 142, 105, 106, 60, 104, 217, 218, 219, 97, 239, 241, 262, 265, 268,
      272, 273, 294, 280, 282, 117, 270, 271,
    ],
  },
};

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

/**
 * The filter for a processor architecture as Node names it, or null where there is none. In a network that is shared with
 * the machine no unix socket is made: abstract ones have no path that could be hidden. Pairs of them (pipes of
 * processes) are made in each.
 */
export function systemCallFilter(
  machine: string,
  { network }: { readonly network: "own" | "shared" },
): Buffer | null {
  const calls = machines[machine];
  return calls === undefined ? null : assemble(program(calls, network));
}

function program(calls: Calls, network: "own" | "shared"): Instruction[] {
  const families = network === "own" ? socketFamilies : socketFamilies.filter((family) => family !== UNIX);
  return [
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, calls.audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER],
    [JUMP_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, ERRNO | ENOSYS],
    ...[...calls.denied, ...newer].flatMap((number) => when(number, [[RETURN, 0, 0, ERRNO | EPERM]])),
    // memfd files are not counted as a process's memory, and programs work without them.
    ...when(calls.memoryFile, [[RETURN, 0, 0, ERRNO | ENOSYS]]),
    ...when(calls.sharedSegment, [
      [LOAD, 0, 0, argument(1) + 4],
      [JUMP_EQUAL, 1, 0, 0],
      [RETURN, 0, 0, ERRNO | ENOMEM],
      [LOAD, 0, 0, argument(1)],
      [JUMP_GREATER, 0, 1, MAX_SHARED_SEGMENT_BYTES],
      [RETURN, 0, 0, ERRNO | ENOMEM],
      [RETURN, 0, 0, ALLOW],
    ]),
    ...when(calls.socket, socketRule(families)),
    ...when(calls.socketPair, socketRule(socketFamilies)),
    [RETURN, 0, 0, ALLOW],
  ];
}

function socketRule(families: readonly number[]): Instruction[] {
  const allowed = families.flatMap((family): Instruction[] => [
    [JUMP_EQUAL, 0, 1, family],
    [RETURN, 0, 0, ALLOW],
  ]);
  return [[LOAD, 0, 0, argument(0)], ...allowed, [RETURN, 0, 0, ERRNO | EAFNOSUPPORT]];
}

/** `then` must return: it may overwrite the number of the call. */
function when(number: number, then: readonly Instruction[]): Instruction[] {
  return [[JUMP_EQUAL, 0, then.length, number], ...then];
}

function assemble(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, whenTrue, whenFalse, value]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
