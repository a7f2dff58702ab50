// The copy that a pod has of a folder of this machine: what has changed here goes there, and what has changed there comes back. Its
// calls are made one after the other.

import { SandboxError } from "../sandbox-error.ts";
import { type Frame, FrameError, frameKinds } from "./frames.ts";
import type { LocalTree } from "./local-tree.ts";
import { callPod, framed, type PodPlace } from "./pod-call.ts";

/** Entries that may change between two calls. */
const MAX_CHANGED_ENTRIES = 500_000;
/** Of the same folder here: what a pod says that it has is bounded even where the pod is hostile. */
const MAX_HERE = 2;

type PodCopyParts = {
  readonly tree: LocalTree;
  /** Of the folder in the pod. */
  readonly name: "tree" | "agent-home";
  /** Names of folders that stay in the pod. */
  readonly passedOver: readonly string[];
  readonly maxBytes: number;
};

/** What a pod has changed, as frames of a call: of `get`, or of a command that is alone. */
export type Taking = {
  readonly copy: object;
  /** Before each try: what a cut call has written is written again. */
  begin(): void;
  take(frame: Frame): Promise<void>;
  /** False where more has changed than may be. */
  end(answer: Readonly<Record<string, unknown>>): Promise<boolean>;
};

export class PodCopy {
  readonly #parts: PodCopyParts;
  #number = 0;

  constructor(parts: PodCopyParts) {
    this.#parts = parts;
  }

  /** Whether the pod has one. */
  get isThere(): boolean {
    return this.#number > 0;
  }

  /** Gives what has changed here; all of it to a pod that has none. Rejects with a `SandboxError` for more than a pod may hold. */
  async give(place: PodPlace, signal: AbortSignal): Promise<void> {
    const { tree, name, maxBytes } = this.#parts;
    const isWhole = !this.isThere;
    const changes = isWhole ? await tree.whole() : await tree.changes();
    if (changes.isEmpty && !isWhole) return;
    if (changes.bytes > maxBytes)
      throw new SandboxError("sandbox_not_started", "The checkout is larger than SANDBOX_DISK_MB.");
    const header = { call: "put", folder: name, isWhole, from: this.#number, to: this.#number + 1 };
    await callPod(place, { header: () => header, body: () => framed(changes.frames()), signal });
    changes.keep();
    this.#number += 1;
  }

  /** False where more has changed than may be. */
  async takeBack(place: PodPlace, signal: AbortSignal): Promise<boolean> {
    const taking = this.taking();
    const { begin, take } = taking;
    const header = { call: "get", ...taking.copy };
    return await taking.end(await callPod(place, { header: () => header, begin, take, signal }));
  }

  taking(): Taking {
    const { tree, name, passedOver, maxBytes } = this.#parts;
    const copy = {
      folder: name,
      passedOver,
      from: this.#number,
      to: this.#number + 1,
      maxBytes,
      maxEntries: MAX_CHANGED_ENTRIES,
    };
    const room = MAX_HERE * Math.max(maxBytes, tree.givenBytes) - tree.bytes;
    let received = tree.receive();
    let bytes = 0;
    let entries = 0;
    return {
      copy,
      begin: () => {
        received = tree.receive();
        bytes = 0;
        entries = 0;
      },
      take: async (frame) => {
        bytes += frame.content.length;
        entries += frame.kind === frameKinds.more ? 0 : 1;
        if (bytes > Math.min(maxBytes, room) || entries > copy.maxEntries)
          throw new FrameError("The pod answers with more than it may hold.");
        await received.take(frame);
      },
      end: async (answer) => {
        await received.keep();
        if (answer.ok !== true) return false;
        this.#number += 1;
        return true;
      },
    };
  }
}
