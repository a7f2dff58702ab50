// Keeps what a run changes in its copy while it works: from time to time, and at its end, where a worker's changes become a revision.
// Why: docs/decisions/089-what-a-worker-leaves.md

import type { Core } from "../../core.ts";
import type { HeldBackFile } from "../../ports/checkout.ts";
import type { CopyFolder } from "../../ports/copy-folders.ts";
import type { Copy } from "../copies/copy.ts";
import type { Holder } from "./copy-lease.ts";
import { describeWriteBack, writeBack } from "./write-back.ts";

/** What a worker that dies has changed since the last time is lost. */
const KEEP_EVERY_MS = 30_000;
/** Of a folder that takes long to be read, a small part of the time goes into that. */
const REST_FACTOR = 20;
const LAST_TIME_MS = 5 * 60_000;

export type CopySaverOptions = {
  readonly copy: Pick<Copy, "id" | "workspaceId">;
  readonly holder: Holder;
  readonly folder: CopyFolder;
};

/** `why` is one line for a reader. */
export type Kept =
  | { readonly ok: true; readonly heldBack: readonly HeldBackFile[] }
  | { readonly ok: false; readonly why: string };

export class CopySaver {
  readonly #core: Core;
  readonly #options: CopySaverOptions;
  readonly #ended = new AbortController();
  readonly #keeping: Promise<void>;

  constructor(core: Core, options: CopySaverOptions) {
    this.#core = core;
    this.#options = options;
    this.#keeping = this.#keepOn();
  }

  /** Keeps what is changed now, for the last time. Never rejects. */
  async end(): Promise<Kept> {
    this.#ended.abort();
    await this.#keeping;
    return await this.#keep(AbortSignal.timeout(LAST_TIME_MS));
  }

  async #keepOn(): Promise<void> {
    const { clock } = this.#core;
    let restMs = KEEP_EVERY_MS;
    for (;;) {
      await clock.sleep(restMs, this.#ended.signal).catch(() => {});
      if (this.#ended.signal.aborted) return;
      const begunAt = clock.monotonic();
      await this.#keep(this.#ended.signal);
      restMs = Math.max(KEEP_EVERY_MS, REST_FACTOR * (clock.monotonic() - begunAt));
    }
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

/** What a `CheckoutError` says is for readers; other failures are the service's own. */
function whyOf(cause: unknown): string {
  const isTold = cause instanceof Error && cause.name === "CheckoutError";
  return isTold ? cause.message : "The service could not store the changes.";
}
