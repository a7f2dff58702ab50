// Rows as lines of JSON in compressed files: both databases write the same, and read what the other one has written.

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { OperatorError } from "../../base/operator-error.ts";
import type { Cell, SnapshotRow } from "../core/ports/store-snapshot.ts";

/** Fast: most of what is large is compressed already. */
const LEVEL = 1;
const ROWS_AT_ONCE = 500;

export type RowFile = { readonly rows: number; readonly bytes: number; readonly sha256: string };

/** Resolves once the file is on disk. */
export async function writeRows(path: string, rows: AsyncIterable<readonly SnapshotRow[]>): Promise<RowFile> {
  let count = 0;
  let bytes = 0;
  const hash = createHash("sha256");
  const lines = async function* () {
    for await (const some of rows) {
      count += some.length;
      yield some.map((row) => `${JSON.stringify(row.map(encode))}\n`).join("");
    }
  };
  const counted = new Transform({
    transform: (chunk: Buffer, _, done) => {
      bytes += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const file = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
  await pipeline(Readable.from(lines()), createGzip({ level: LEVEL }), counted, file);
  return { rows: count, bytes, sha256: hash.digest("hex") };
}

/** Some at a time. Rejects with an OperatorError where the file is not as it was written. */
export async function* readRows(path: string): AsyncGenerator<readonly SnapshotRow[]> {
  let rows: SnapshotRow[] = [];
  for await (const line of linesOf(path)) {
    const values: unknown = JSON.parse(line);
    if (!Array.isArray(values)) throw new OperatorError(`${path} is not a file of rows.`);
    rows.push(values.map((value) => decode(value, path)));
    if (rows.length < ROWS_AT_ONCE) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

/** Lines end with "\n" alone: other characters that end lines elsewhere may be in a text. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const unzipped = createGunzip();
  file.on("error", (cause) => unzipped.destroy(cause));
  const decoder = new TextDecoder();
  let begun = "";
  for await (const chunk of file.pipe(unzipped)) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split("\n");
    begun = lines.pop() ?? "";
    yield* lines;
  }
  if (begun !== "") throw new OperatorError(`${path} ends in the middle of a row.`);
}

/** The hash of the file as it is now. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

function encode(cell: Cell): unknown {
  if (cell instanceof Uint8Array) return { base64: Buffer.from(cell).toString("base64") };
  if (cell === null || typeof cell === "string" || Number.isFinite(cell)) return cell;
  throw new TypeError(`A row has a value of a kind that a backup does not know: ${typeof cell}.`);
}

function decode(value: unknown, path: string): Cell {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "object" && "base64" in value && typeof value.base64 === "string")
    return Buffer.from(value.base64, "base64");
  throw new OperatorError(`${path} has a value that no row has.`);
}
