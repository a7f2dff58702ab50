// The channels on which one connection hears the other nodes: those of what somebody waits for on this node, and no others, so that a
// node is not woken by the runs of all.

import { createHash } from "node:crypto";
import { systemClock } from "../../base/clock.ts";
import { type NodeSignal, nodeSignals } from "../core/runs/node-link.ts";

/**
 * What moves is spread over so many channels by its id: a node at which 36 wait hears 3.5 % of the others' signals, one at which 500 wait
 * hears 39 %. Four times as many would spare more of those, and cost each short run 0.1 ms and a transaction: its channel is seldom heard
 * already. Nodes that do not agree on the number do not hear each other.
 */
const MOVED_CHANNELS = 1_024;
const PREFIX = "agent_service_";
/** A channel that nobody has needed for so long is left, so that short waits one after the other do not enter and leave it. */
const KEPT_MS = 30_000;

type SignalChannelsOptions = {
  /** Channels belong to the database, so that their names include the schema. */
  readonly schema: string;
  /** On the connection that listens. */
  readonly query: (text: string) => Promise<unknown>;
  /** It may have moved before its channel was heard. */
  readonly onFollowed: (id: string) => void;
  /** What somebody on this node waits for. */
  readonly waitedFor: () => Iterable<string>;
  /** Default: half a minute. */
  readonly keptMs?: number;
};

export class SignalChannels {
  readonly #options: SignalChannelsOptions;
  readonly #schema: string;
  readonly #closing = new AbortController();
  /** Those that are heard, and those to be heard with what was followed meanwhile. */
  readonly #heard = new Set<string>();
  readonly #entering = new Map<string, Set<string>>();
  #neededLately = new Set<string>();

  constructor(options: SignalChannelsOptions) {
    this.#options = options;
    this.#schema = createHash("sha256").update(options.schema).digest("hex").slice(0, 24);
  }

  /** Hears what concerns every node, and what somebody waits for already. */
  async listen(): Promise<void> {
    // Nodes of earlier versions publish what moves on one channel.
    for (const signal of nodeSignals) await this.#options.query(`listen ${this.#nameOf(signal)}`);
    for (const id of this.#options.waitedFor()) this.follow(id);
    void this.#leaveUnneeded();
  }

  /** What was published before the channel is heard is made up for. */
  follow(id: string): void {
    const channel = this.channelOf("moved", id);
    this.#neededLately.add(channel);
    if (this.#heard.has(channel)) return;
    const waiting = this.#entering.get(channel);
    if (waiting === undefined) void this.#enter(channel, id);
    else waiting.add(id);
  }

  /** Where a signal is published. */
  channelOf(signal: NodeSignal, id: string): string {
    return this.#nameOf(signal === "moved" ? `moved${numberOf(id)}` : signal);
  }

  /** Null for a channel that is none of them. */
  signalOf(channel: string): NodeSignal | null {
    const whole = nodeSignals.find((signal) => channel === this.#nameOf(signal));
    if (whole !== undefined) return whole;
    const isMoved = channel.startsWith(`${PREFIX}moved`) && channel.endsWith(`_${this.#schema}`);
    return isMoved ? "moved" : null;
  }

  /** The connection is lost, or ended by who made it. */
  close(): void {
    this.#closing.abort();
  }

  async #enter(channel: string, id: string): Promise<void> {
    const waiting = new Set([id]);
    this.#entering.set(channel, waiting);
    try {
      await this.#options.query(`listen ${channel}`);
    } catch {
      // The connection is lost: the next one hears what is waited for then.
      return;
    } finally {
      this.#entering.delete(channel);
    }
    this.#heard.add(channel);
    for (const followed of waiting) this.#options.onFollowed(followed);
  }

  async #leaveUnneeded(): Promise<void> {
    for (;;) {
      await systemClock.sleep(this.#options.keptMs ?? KEPT_MS, this.#closing.signal).catch(() => {});
      if (this.#closing.signal.aborted) return;
      const needed = this.#neededLately;
      this.#neededLately = new Set();
      for (const id of this.#options.waitedFor()) needed.add(this.channelOf("moved", id));
      for (const channel of this.#heard) {
        if (needed.has(channel)) continue;
        // On one connection, a `listen` after this comes after this.
        this.#heard.delete(channel);
        this.#options.query(`unlisten ${channel}`).catch(() => {});
      }
    }
  }

  /** At most 63 bytes. */
  #nameOf(what: string): string {
    return `${PREFIX}${what}_${this.#schema}`;
  }
}

function numberOf(id: string): number {
  let sum = 0;
  for (let index = 0; index < id.length; index += 1) sum = (sum * 31 + id.charCodeAt(index)) >>> 0;
  return sum % MOVED_CHANNELS;
}
