// The other nodes on the same database: signals that this node publishes to them, and the handling of theirs. Until it is
// connected, nothing is published.

import { assertNever } from "../../base/assert-never.ts";
import type { NodeLink, NodeSignal } from "../core/runs/node-link.ts";
import type { RunSignals } from "../core/runs/run-signals.ts";
import type { SharedDispatch } from "../executor/shared-dispatch.ts";

type PeerListeners = { readonly signals: RunSignals; readonly dispatch: SharedDispatch };

/** Opens the link. `onReconnect`: the connection was lost for a while, and signals with it. */
export type ConnectPeers = (handlers: {
  readonly onSignal: (signal: NodeSignal, runId: string) => void;
  readonly onReconnect: () => void;
  /** What moved before this node heard of it was missed, if it did. */
  readonly onFollowed: (id: string) => void;
  /** What somebody on this node waits for. */
  readonly waitedFor: () => Iterable<string>;
}) => Promise<NodeLink>;

export class Peers {
  #link: NodeLink | null = null;

  publish(signal: NodeSignal, runId: string): void {
    this.#link?.publish(signal, runId);
  }

  follow(runId: string): void {
    this.#link?.follow(runId);
  }

  /** Rejects when the other nodes cannot be reached at first. */
  async connect(connect: ConnectPeers, { signals, dispatch }: PeerListeners): Promise<void> {
    this.#link = await connect({
      onSignal: (signal, runId) => {
        switch (signal) {
          case "moved":
            return signals.wake(runId);
          case "queued":
            dispatch.offer();
            return;
          case "nudged":
            return dispatch.receiveNudge(runId);
          default:
            return assertNever(signal);
        }
      },
      onReconnect: () => {
        signals.wakeAll();
        void dispatch.poll();
      },
      onFollowed: (id) => signals.wakeToLook(id),
      waitedFor: () => signals.waitedFor,
    });
  }

  async close(): Promise<void> {
    await this.#link?.close();
  }
}
