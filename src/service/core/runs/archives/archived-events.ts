// Events of runs wherever they are kept: in rows, or in the archive of a run that ended some time ago.
// Why: docs/decisions/175-events-of-ended-runs-leave-the-database.md

import { type BlobStore, ContentsLostError } from "../../blobs/blob-store.ts";
import type { StoreReader } from "../../ports/store.ts";
import type { EventQuery, EventReader } from "../queue-port.ts";
import type { StoredEvent } from "../run-record.ts";
import type { ArchiveBlock, RunArchive } from "./archive-port.ts";
import { readBlock } from "./event-archive.ts";

/** Blocks of the latest reads: who reads a run to its end asks for the same one again with every page. */
const KEPT_BLOCKS = 16;

type ArchivedEventsParts = {
  /** Reads rows alone. */
  readonly committed: Pick<StoreReader, "events" | "runArchives">;
  readonly blobs: BlobStore;
};

export class ArchivedEvents implements EventReader {
  readonly #parts: ArchivedEventsParts;
  readonly #kept = new Map<string, Promise<readonly StoredEvent[]>>();

  constructor(parts: ArchivedEventsParts) {
    this.#parts = parts;
  }

  /** Rejects with a BlobStoreError or a ContentsLostError where an archive cannot be read. */
  async list(query: EventQuery): Promise<readonly StoredEvent[]> {
    const { committed } = this.#parts;
    const { runId, after } = query;
    const rows = await committed.events.list(query);
    // The rows of an archived run are deleted from the oldest on: those that follow without a gap are all there.
    if (rows[0]?.seq === after + 1) return rows;
    const archive = await committed.runArchives.find(runId);
    return archive === null ? rows : await this.#read(archive, query);
  }

  async #read(archive: RunArchive, { after, limit }: EventQuery): Promise<readonly StoredEvent[]> {
    const { blocks } = archive;
    const events: StoredEvent[] = [];
    const at = blocks.findLastIndex(({ first }) => first <= after + 1);
    for (let index = Math.max(0, at); index < blocks.length && events.length < limit; index += 1) {
      const block = await this.#block(archive, index);
      for (const event of block) if (event.seq > after && events.length < limit) events.push(event);
    }
    return events;
  }

  async #block(archive: RunArchive, index: number): Promise<readonly StoredEvent[]> {
    const key = `${archive.blobKey} ${index}`;
    const reading = this.#kept.get(key) ?? this.#readBlock(archive, index);
    this.#kept.delete(key);
    this.#kept.set(key, reading);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_BLOCKS && oldest !== undefined) this.#kept.delete(oldest);
    try {
      return await reading;
    } catch (cause) {
      this.#kept.delete(key);
      throw cause;
    }
  }

  async #readBlock({ blobKey, blocks }: RunArchive, index: number): Promise<readonly StoredEvent[]> {
    const block = blocks[index];
    if (block === undefined) throw new RangeError(`An archive of ${blocks.length} blocks has no ${index}.`);
    const start = startOf(blocks, index);
    const opened = await this.#parts.blobs.get(blobKey, { range: { start, end: start + block.bytes } });
    if (opened === null) throw new ContentsLostError("The archive of a run's events is lost.");
    const chunks: Uint8Array[] = [];
    for await (const chunk of opened.content) chunks.push(chunk);
    return await readBlock(block, Buffer.concat(chunks));
  }
}

function startOf(blocks: readonly ArchiveBlock[], index: number): number {
  return blocks.slice(0, index).reduce((sum, { bytes }) => sum + bytes, 0);
}
