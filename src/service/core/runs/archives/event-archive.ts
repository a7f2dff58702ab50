// The format of an archive of events: blocks in gzip, each with a line for every event, which is its time and its JSON.

import { createHash } from "node:crypto";
import type { StoredEvent } from "../run-record.ts";
import type { ArchiveBlock, RunArchive } from "./archive-port.ts";
import { compress, expand, hashOf } from "./compressed.ts";

/** Of a block before it is compressed, in characters: a page of events takes one or two. An event larger than this has its own. */
const BLOCK_CHARS = 256 * 1024;

type WrittenArchive = Pick<RunArchive, "blocks" | "sha256" | "bytes"> & {
  readonly content: readonly Buffer[];
  /** Of the last event. */
  readonly lastSeq: number;
};

/** Throws a RangeError where an event is missing between two others, or before the first. */
export async function writeArchive(pages: AsyncIterable<readonly StoredEvent[]>): Promise<WrittenArchive> {
  const blocks: ArchiveBlock[] = [];
  const content: Buffer[] = [];
  const whole = createHash("sha256");
  let bytes = 0;
  let lastSeq = 0;
  let lines: string[] = [];
  let chars = 0;
  const endBlock = async () => {
    if (lines.length === 0) return;
    const first = lastSeq - lines.length + 1;
    const block = await compress(lines.join("\n"));
    blocks.push({ first, bytes: block.byteLength, sha256: hashOf(block) });
    content.push(block);
    whole.update(block);
    bytes += block.byteLength;
    lines = [];
    chars = 0;
  };
  for await (const page of pages) {
    for (const { seq, at, json } of page) {
      if (seq !== lastSeq + 1) throw new RangeError(`Event ${lastSeq + 1} is missing before ${seq}.`);
      lastSeq = seq;
      // What JSON.stringify writes has no line breaks.
      const line = `${at} ${json.includes("\n") ? JSON.stringify(JSON.parse(json)) : json}`;
      lines.push(line);
      chars += line.length;
      if (chars >= BLOCK_CHARS) await endBlock();
    }
  }
  await endBlock();
  return { blocks, content, sha256: whole.digest("hex"), bytes, lastSeq };
}

/** The events of a block. Throws a ContentsLostError where it is not what was written. */
export async function readBlock(block: ArchiveBlock, content: Buffer): Promise<readonly StoredEvent[]> {
  const lost = "The archive of a run's events is not what was written.";
  const text = await expand(content, { written: block, lost });
  return text.split("\n").map((line, index) => {
    const space = line.indexOf(" ");
    return { seq: block.first + index, at: Number(line.slice(0, space)), json: line.slice(space + 1) };
  });
}
