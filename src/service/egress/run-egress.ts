// Network access of one run: decides on each connection, counts by host, and has a proxy for each phase that needs one.
// Why: docs/decisions/046-egress-proxy.md

import { isIP } from "node:net";
import { assertNever } from "../../base/assert-never.ts";
import { errorCodeNote } from "../../base/error-code.ts";
import { isPublicAddress } from "../../base/public-address.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import { type HostEntry, isHostName } from "../../contract/egress.ts";
import { allows, covers, type EgressPhase, type EgressRules, hostTexts } from "../core/egress/rules.ts";
import type {
  AdmittedConnection,
  BlockedHost,
  EgressBlock,
  EgressRecord,
  EgressRefusal,
  EgressTarget,
  ReachedHost,
  RunEgress,
} from "../core/egress/run-egress.ts";
import { looksLikeAddress, plainName, shownHost } from "./authority.ts";
import type { PrivateHost } from "./egress-config.ts";
import { type EgressProxy, openProxy, type ProxyTimes } from "./proxy.ts";
import type { ResolveName } from "./resolve-name.ts";

/** Connections of one run at a time. npm opens up to fifteen to a registry, and there may be several programs. */
const MAX_CONNECTIONS = 64;
const RESOLVE_MS = 10_000;
/** Names of hosts that are kept apart in the record, and what the rest is counted under. */
const MAX_NAMES = 100;
const OTHER_HOSTS = "other hosts";
const MAX_SHOWN_HOSTS = 20;

export type RunEgressOptions = {
  readonly rules: EgressRules;
  readonly privateHosts: readonly PrivateHost[];
  readonly maxBytes: number;
  readonly resolve: ResolveName;
  /** Folders for sockets, each for one. */
  readonly folders: { make(): Promise<string>; remove(folder: string): Promise<void> };
  readonly times?: Partial<ProxyTimes>;
};

export function openRunEgress(options: RunEgressOptions): RunEgress {
  const { rules } = options;
  const counts = new Counts(options.maxBytes);
  const proxies = new Map<EgressPhase, Promise<EgressProxy>>();
  let closed: Promise<void> | null = null;

  const refuse = ({ phase, host, port }: Omit<EgressTarget, "signal">, block: EgressBlock): EgressRefusal => {
    const shown = shownHost({ host, port });
    counts.block(shown, block);
    return { reason: "blocked", block, detail: explain(block, { host: shown, allowed: rules[phase] }) };
  };
  const admit = async (target: EgressTarget): Promise<Result<AdmittedConnection, EgressRefusal>> => {
    const { phase, port, signal } = target;
    signal.throwIfAborted();
    const host = plainName(target.host);
    const shown = shownHost({ host, port });
    const fault = faultOf({ name: host, port }, rules[phase]);
    if (fault !== null) return refused(refuse(target, fault));
    if (counts.isUsedUp) return refused(refuse(target, "too_many_bytes"));
    const counted = counts.open(shown);
    if (counted === null) return refused(refuse(target, "too_many_connections"));
    try {
      const addresses = await resolveWithin(options.resolve, host, signal);
      const found = addresses.length === 0 ? null : addresses.every((one) => mayConnect(options, host, one));
      if (found === true) return ok({ addresses, ...counted });
      counted.close();
      const isPrivate = found === false;
      return refused(isPrivate ? refuse(target, "private_address") : unreachable(shown, "has no address"));
    } catch (cause) {
      counted.close();
      signal.throwIfAborted();
      return refused(unreachable(shown, `could not be resolved${errorCodeNote(cause)}`));
    }
  };

  const close = async () => {
    const opened = await Promise.allSettled(proxies.values());
    for (const proxy of opened) if (proxy.status === "fulfilled") await proxy.value.close();
  };
  return {
    rules,
    admit,
    socket: async (phase) => {
      if (closed !== null) throw new Error("The run has ended: it reaches nothing any more.");
      // Nothing else than bubblewrap needs one.
      if (rules[phase].length === 0 || process.platform !== "linux") return null;
      const opening = proxies.get(phase) ?? openProxy({ ...options, phase, admit, refuse });
      proxies.set(phase, opening);
      return (await opening).socket;
    },
    record: () => counts.record(),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

function faultOf(host: HostEntry, rules: readonly HostEntry[]): EgressBlock | null {
  const { name, port } = host;
  if (!isHostName(name)) return looksLikeAddress(name) ? "address" : "not_allowed";
  if (allows(rules, host)) return null;
  return rules.some((rule) => covers({ ...rule, port }, host)) ? "port" : "not_allowed";
}

function mayConnect({ privateHosts }: RunEgressOptions, host: string, address: string): boolean {
  if (isPublicAddress(address)) return true;
  const family = isIP(address);
  if (family === 0 || address.includes("%")) return false;
  const kind = family === 4 ? "ipv4" : "ipv6";
  return privateHosts.some(({ name, addresses }) => name === host && addresses.check(address, kind));
}

async function resolveWithin(
  resolve: ResolveName,
  host: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(RESOLVE_MS)]);
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(limit.reason);
  limit.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([resolve(host), promise]);
  } finally {
    limit.removeEventListener("abort", giveUp);
  }
}

function unreachable(host: string, why: string): EgressRefusal {
  return { reason: "unreachable", detail: `The host ${host} ${why}.` };
}

function explain(
  block: EgressBlock,
  { host, allowed }: { readonly host: string; readonly allowed: readonly HostEntry[] },
): string {
  const names = hostTexts(allowed);
  const more = names.length > MAX_SHOWN_HOSTS ? ` and ${names.length - MAX_SHOWN_HOSTS} more` : "";
  const only = `This run may reach ${names.length === 0 ? "no host" : `${names.slice(0, MAX_SHOWN_HOSTS).join(", ")}${more}`}.`;
  switch (block) {
    case "not_allowed":
      return `The host ${host} is blocked: the network policy of this run does not name it. ${only}`;
    case "port":
      return `The host ${host} is blocked: the network policy of this run does not name this port. ${only}`;
    case "address":
      return `The address ${host} is blocked: hosts are reached by their names. ${only}`;
    case "private_address":
      return `The host ${host} is blocked: it has an address that is not on the public internet.`;
    case "plain_http":
      return `The request to ${host} is blocked: it is not encrypted. Use https.`;
    case "name_mismatch":
      return `The connection to ${host} is blocked: its TLS does not name this host.`;
    case "not_tls":
      return `The connection to ${host} is blocked: it is not TLS.`;
    case "too_many_connections":
      return `The connection to ${host} is blocked: this run has ${MAX_CONNECTIONS} already. Close one of them.`;
    case "too_many_bytes":
      return `The connection to ${host} is blocked: this run has transferred as much as it may.`;
    default:
      return assertNever(block);
  }
}

type Counted = Pick<AdmittedConnection, "count" | "close">;

class Counts {
  readonly #maxBytes: number;
  readonly #reached = new Map<string, { connections: number; bytes: number }>();
  readonly #blocked = new Map<string, { times: number; reason: EgressBlock }>();
  #open = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isUsedUp(): boolean {
    return this.#bytes >= this.#maxBytes;
  }

  /** Null where as many are open as may be. Counted as a connection at its first byte. */
  open(host: string): Counted | null {
    if (this.#open >= MAX_CONNECTIONS) return null;
    this.#open += 1;
    let isOpen = true;
    let reached: { connections: number; bytes: number } | null = null;
    return {
      count: (bytes) => {
        if (reached === null) {
          reached = entryOf(this.#reached, host, () => ({ connections: 0, bytes: 0 }));
          reached.connections += 1;
        }
        reached.bytes += bytes;
        this.#bytes += bytes;
        return !this.isUsedUp;
      },
      close: () => {
        if (isOpen) this.#open -= 1;
        isOpen = false;
      },
    };
  }

  block(host: string, reason: EgressBlock): void {
    const blocked = entryOf(this.#blocked, host, () => ({ times: 0, reason }));
    blocked.times += 1;
    blocked.reason = reason;
  }

  record(): EgressRecord {
    const allowed = [...this.#reached].map(([host, counts]): ReachedHost => ({ host, ...counts }));
    const blocked = [...this.#blocked].map(([host, counts]): BlockedHost => ({ host, ...counts }));
    return { allowed, blocked };
  }
}

/** A run may ask for any number of names. */
function entryOf<Value>(entries: Map<string, Value>, host: string, make: () => Value): Value {
  const name = entries.has(host) || entries.size < MAX_NAMES ? host : OTHER_HOSTS;
  const known = entries.get(name) ?? make();
  entries.set(name, known);
  return known;
}
