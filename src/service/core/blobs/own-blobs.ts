// The check that a node sees the blobs of its store: made at its start, and again where it did not. Nodes that share a database
// and not the blobs lose what they write for each other; a folder that is not mounted looks empty.
// Why: docs/decisions/105-the-stores-marker-among-its-blobs.md

import type { Clock } from "../../../base/clock.ts";
import type { Random } from "../../../base/ids.ts";
import type { Logger } from "../../../base/log.ts";
import type { Store } from "../ports/store.ts";
import type { BlobStore } from "./blob-store.ts";
import { hasMarker, markBlobs, removeMarker, STORE_IDENTITY } from "./store-identity.ts";

/** Blobs that a start looks for: the newest and the oldest. */
const SAMPLE = 1_000;
const ASKED_AT_ONCE = 8;
/** A node that does not see them asks again at most so often. */
const AGAIN_MS = 10_000;

export type OwnBlobsParts = {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Whether they are in one folder with the store: then they cannot be another's, and have no marker. */
  readonly areBesideStore: boolean;
};

export class OwnBlobs {
  readonly #parts: OwnBlobsParts;
  #isElsewhere = false;
  #askedAt = 0;
  #asking: Promise<void> | null = null;
  /** Of those that the start looked for. */
  missing = 0;

  constructor(parts: OwnBlobsParts) {
    this.#parts = parts;
  }

  /** Says in the log what is wrong. Never rejects. */
  async look(): Promise<void> {
    const { log, areBesideStore } = this.#parts;
    if (!areBesideStore) await this.#ask();
    if (this.#isElsewhere) {
      log.error({}, ELSEWHERE);
      return;
    }
    await this.#count().catch((cause: unknown) => log.warn({ err: cause }, "blobs could not be looked for"));
  }

  /** False: what other nodes have kept is not where this node looks for it. As far as the last look could tell. */
  async areSeen(): Promise<boolean> {
    if (this.#isElsewhere && this.#parts.clock.monotonic() - this.#askedAt >= AGAIN_MS) await this.#ask();
    return !this.#isElsewhere;
  }

  async #ask(): Promise<void> {
    this.#asking ??= this.#find().finally(() => {
      this.#asking = null;
    });
    await this.#asking;
  }

  async #find(): Promise<void> {
    const { clock, log } = this.#parts;
    try {
      this.#isElsewhere = !(await seesOwn(this.#parts));
    } catch (cause) {
      // Nothing is known: blobs that cannot be reached are told apart from those of another store.
      log.warn({ err: cause }, "whether these are the blobs of the store could not be found out");
    }
    this.#askedAt = clock.monotonic();
  }

  async #count(): Promise<void> {
    const { store, blobs, log } = this.#parts;
    const { kept, sample } = await store.committed.blobs.sampleKept(SAMPLE);
    let missing = 0;
    for (let at = 0; at < sample.length; at += ASKED_AT_ONCE) {
      const some = sample.slice(at, at + ASKED_AT_ONCE);
      const found = await Promise.all(some.map(({ key }) => blobs.head(key)));
      missing += found.filter((one, index) => one?.size !== some[index]?.bytes).length;
    }
    this.missing = missing;
    if (missing === 0) return;
    log.error(
      { kept, looked_for: sample.length, missing },
      'blobs are missing: "agent-service store verify" lists them, and brings them back from a backup',
    );
  }
}

/** The text of such a node's log, and of a run that it has to end. */
export const ELSEWHERE =
  "This node does not see the blobs of its store: other nodes keep them elsewhere, or they are lost. Give every node the same ones: BLOB_STORE=s3 with the same bucket, or one BLOB_DIR on a file system that they share.";

/** Gives the store a name and marks its blobs with it, where nobody has yet. */
async function seesOwn({ store, blobs, clock, random }: OwnBlobsParts): Promise<boolean> {
  const { serviceSecrets } = store.committed;
  const known = await serviceSecrets.find(STORE_IDENTITY);
  if (known !== null) return await hasMarker(blobs, known);
  const now = clock.now();
  const own = random.uuid(now);
  // First the blob: a name that is found has its mark.
  await markBlobs(blobs, own);
  await store.transact((tx) => tx.serviceSecrets.keep({ name: STORE_IDENTITY, value: own, now }));
  const kept = await serviceSecrets.find(STORE_IDENTITY);
  if (kept === null || kept === own) return true;
  await removeMarker(blobs, own);
  return await hasMarker(blobs, kept);
}
