// Keeps what a run changes in its copy while it works: from time to time, and at its end, where a worker's changes become a revision.
// Why: docs/decisions/089-what-a-worker-leaves.md

import type { HeldBackFile } from "../../checkouts/checkout.ts";
import type { CopyFolder } from "../../checkouts/copy-folders.ts";
import type { Core } from "../../core.ts";
import type { Copy, Holder } from "../copies/copy.ts";
import { describeWriteBack, writeBack } from "./write-back.ts";

/** The interval at which changes without a tool call are kept. */
const KEEP_EVERY_MS = 30_000;
/** Of a folder that takes long to be read, a part of the time goes into that: a small one where no call has ended. */
const REST_FACTOR = 20;
const REST_FACTOR_AFTER_CALL = 4;
const LAST_TIME_MS = 5 * 60_000;

type CopySaverOptions = {
  readonly copy: Pick<Copy, "id" | "workspaceId">;
  readonly holder: Holder;
  readonly folder: CopyFolder;
};

/** `why` is one line for a reader. */
type Kept =
  | { readonly ok: true; readonly heldBack: readonly HeldBackFile[] }
  | { readonly ok: false; readonly why: string };

export class CopySaver {
  readonly #core: Core;
  readonly #options: CopySaverOptions;
  readonly #ended = new AbortController();
  readonly #keeping: Promise<void>;
  #callEnded = Promise.withResolvers<void>();

  constructor(core: Core, options: CopySaverOptions) {
    this.#core = core;
    this.#options = options;
    this.#keeping = this.#keepOn();
  }

  /** A tool call has ended: what it has changed is kept next. */
  callEnded(): void {
    this.#callEnded.resolve();
  }

  /** Keeps what is changed now, for the last time. Never rejects. */
  async end(): Promise<Kept> {
    this.#ended.abort();
    await this.#keeping;
    return await this.#keep(AbortSignal.timeout(LAST_TIME_MS));
  }

  async #keepOn(): Promise<void> {
    const { clock } = this.#core;
    let lastedMs = 0;
    for (;;) {
      await this.#untilDue(lastedMs);
      if (this.#ended.signal.aborted) return;
      // A call that ends from here on may change what was read before.
      this.#callEnded = Promise.withResolvers();
      const begunAt = clock.monotonic();
      await this.#keep(this.#ended.signal);
      lastedMs = clock.monotonic() - begunAt;
    }
  }

  /** Until a call has ended, or for a longer time. `lastedMs`: how long keeping took the last time. */
  async #untilDue(lastedMs: number): Promise<void> {
    const { clock } = this.#core;
    const sleep = (ms: number, signal: AbortSignal) => clock.sleep(ms, signal).catch(() => {});
    await sleep(REST_FACTOR_AFTER_CALL * lastedMs, this.#ended.signal);
    const over = new AbortController();
    const restMs = Math.max(KEEP_EVERY_MS, REST_FACTOR * lastedMs);
    const rested = sleep(restMs, AbortSignal.any([this.#ended.signal, over.signal]));
    await Promise.race([this.#callEnded.promise, rested]);
    over.abort();
  }

  async #keep(signal: AbortSignal): Promise<Kept> {
    const { log } = this.#core;
    const { copy, holder, folder } = this.#options;
    const about = { run_id: holder.runId, copy_id: copy.id };
    try {
      const changes = await folder.changes(signal);
      const written = await writeBack(this.#core, { copy, holder, folder: changes, signal });
      if (written.ok) return { ok: true, heldBack: changes.heldBack };
      log.warn({ ...about, reason: written.refusal.reason }, "changes of a copy were not kept");
      return { ok: false, why: describeWriteBack(written.refusal) };
    } catch (cause) {
      if (signal === this.#ended.signal && signal.aborted) return { ok: true, heldBack: [] };
      log.warn({ ...about, err: cause }, "changes of a copy could not be kept");
      return { ok: false, why: whyOf(cause) };
    }
  }
}

/** The reason of a failure: the text of a `CheckoutError` is for readers; other failures are the service's own. */
function whyOf(cause: unknown): string {
  const isTold = cause instanceof Error && cause.name === "CheckoutError";
  return isTold ? cause.message : "The service could not store the changes.";
}
