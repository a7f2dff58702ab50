// The ways from a pod's loopback to sockets of this machine: the proxy of its run's network, the relay of its ID tokens, the model of its agent.

import type { SandboxCommand } from "../../core/ports/sandbox.ts";
import { identityVariables, identityWay } from "../identity-way.ts";
import { EGRESS_PORT, proxyVariables } from "../relay.ts";
import type { SandboxConfig } from "../sandbox-config.ts";
import type { PodPlace } from "./pod-call.ts";
import { PodRelay } from "./pod-relay.ts";

type Variables = Readonly<Record<string, string>>;

export class PodRelays {
  readonly #network: SandboxConfig["network"];
  /** By the port that they have in the pod. */
  readonly #relays = new Map<number, PodRelay>();

  constructor({ network }: Pick<SandboxConfig, "network">) {
    this.#network = network;
  }

  /** Variables that name the proxy of a command's network. Null where it has none. */
  async proxyOf(
    place: PodPlace,
    { egressSocket, signal }: Pick<SandboxCommand, "egressSocket" | "signal">,
  ): Promise<Variables | null> {
    // With a network of the pod's own there is no relay to ours.
    if (egressSocket === null || this.#network === "allowed") return null;
    await this.open(place, { socket: egressSocket, port: EGRESS_PORT, signal });
    return proxyVariables();
  }

  /** Variables that name the relay of the run's ID tokens. */
  async identityOf(
    place: PodPlace,
    { identity, signal }: Pick<SandboxCommand, "identity" | "signal">,
  ): Promise<Variables> {
    const way = await identityWay(identity, { loopback: "own" });
    if (way === null || way.socket === null) return {};
    await this.open(place, { socket: way.socket, port: way.port, signal });
    return identityVariables(way);
  }

  /** Resolves once what connects to the port in the pod reaches the socket here. */
  async open(
    place: PodPlace,
    { signal, ...way }: { readonly socket: string; readonly port: number; readonly signal: AbortSignal },
  ): Promise<void> {
    let relay = this.#relays.get(way.port);
    if (relay?.socket !== way.socket || relay.isOver) {
      const before = relay;
      relay = new PodRelay(place, way);
      this.#relays.set(way.port, relay);
      await before?.stop();
    }
    await orAborted(relay.isReady, signal);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#relays.values()].map((relay) => relay.stop()));
  }
}

/** Rejects with the signal's reason when it aborts first. */
export function orAborted(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    wait.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
