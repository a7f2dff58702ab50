// Journals of ended runs wherever they are kept: in rows, or in a blob.
// Why: docs/decisions/175-events-of-ended-runs-leave-the-database.md

import { type BlobStore, ContentsLostError } from "../../blobs/blob-store.ts";
import type { StoreReader } from "../../ports/store.ts";
import type { JournalEntry, KeptTurn } from "../journal-port.ts";
import { readJournal } from "./journal-archive.ts";

type ArchivedJournalsParts = {
  /** Reads rows alone. */
  readonly committed: Pick<StoreReader, "journal">;
  readonly blobs: BlobStore;
};

export class ArchivedJournals implements Pick<StoreReader["journal"], "list" | "listTurns"> {
  readonly #parts: ArchivedJournalsParts;

  constructor(parts: ArchivedJournalsParts) {
    this.#parts = parts;
  }

  /** Rejects with a BlobStoreError or a ContentsLostError where an archive cannot be read. */
  async list(runId: string): Promise<readonly JournalEntry[]> {
    const { committed, blobs } = this.#parts;
    const rows = await committed.journal.list(runId);
    // They leave all at once.
    if (rows.length > 0) return rows;
    const archive = await committed.journal.findArchive(runId);
    if (archive === null) return rows;
    const opened = await blobs.get(archive.blobKey);
    if (opened === null) throw new ContentsLostError("The archive of a run's journal is lost.");
    const chunks: Uint8Array[] = [];
    for await (const chunk of opened.content) chunks.push(chunk);
    return await readJournal(Buffer.concat(chunks), archive);
  }

  async listTurns(runId: string): Promise<readonly KeptTurn[]> {
    const { journal } = this.#parts.committed;
    const turns = await journal.listTurns(runId);
    return turns.length > 0 ? turns : ((await journal.findArchive(runId))?.turns ?? []);
  }
}
