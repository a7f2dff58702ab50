// The format of an archive of a journal: its entries as JSON, in gzip. What they say stays sealed.

import * as z from "zod/mini";
import { type JournalEntry, journalKinds } from "../journal-port.ts";
import { compress, expand, hashOf, type Measured } from "./compressed.ts";

const entriesSchema = z.array(
  z.object({
    entry: z.number(),
    kind: z.enum(journalKinds),
    version: z.number(),
    body: z.string(),
    tree: z.nullable(z.string()),
    turn: z.nullable(z.number()),
    seq: z.nullable(z.number()),
  }),
);

/** Where it is among the blobs. */
export function journalBlobKey(runId: string, uuid: string): string {
  return `runs/${runId}/journal-${uuid}`;
}

/** A pattern of SQL that the keys of all archives of journals match, and no others. */
export const JOURNAL_BLOBS = "runs/%/journal-%";

export function isJournalBlob(key: string): boolean {
  return /^runs\/[^/]+\/journal-/.test(key);
}

export async function writeJournal(
  entries: readonly JournalEntry[],
): Promise<Measured & { readonly content: Buffer }> {
  const content = await compress(JSON.stringify(entries.map(({ runId: _, ...entry }) => entry)));
  return { content, bytes: content.byteLength, sha256: hashOf(content) };
}

/** Throws a ContentsLostError where it is not what was written. */
export async function readJournal(
  content: Buffer,
  { runId, ...written }: Measured & { readonly runId: string },
): Promise<readonly JournalEntry[]> {
  const lost = "The archive of a run's journal is not what was written.";
  const text = await expand(content, { written, lost });
  return entriesSchema.parse(JSON.parse(text)).map((entry) => ({ runId, ...entry }));
}
