// The manifest of a backup, its parts and its origin: the last file of it that is written, and the first that is read.

import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { OperatorError, systemCodeOf } from "../../base/operator-error.ts";

export const MANIFEST = "manifest.json";
/** Beside the manifest: the blobs, by their keys. */
export const BLOBS = "blobs";
/** Beside the manifest: the rows of one time, in a folder that is named after it. */
export const STORE_PREFIX = "store-";

const FORMAT = 1;
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const count = z.int().check(z.nonnegative());
const fileName = z.string().check(z.regex(/^[a-z0-9_-]+\.ndjson\.gz$/));
const identifier = z.string().check(z.regex(/^[a-z_][a-z0-9_]{0,62}$/));

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  made_by: z.string(),
  made_at: z.iso.datetime(),
  store: z.object({
    engine: z.enum(["sqlite", "postgresql"]),
    identity: z.nullable(z.string()),
    migrations: z.array(z.string()).check(z.minLength(1)),
  }),
  /** Of the rows. */
  folder: z.string().check(z.regex(/^store-[A-Za-z0-9-]+$/)),
  tables: z.array(
    z.object({
      name: identifier,
      columns: z.array(identifier),
      rows: count,
      file: fileName,
      bytes: count,
      sha256,
    }),
  ),
  blobs: z.object({ count, bytes: count, file: fileName, sha256 }),
  /** Blobs that the store names and that were lost before the backup was made, by their keys. */
  lost: z.array(z.string()),
  /** Keys that sealed values need, which are not in the backup. */
  keys: z.array(z.object({ setting: z.nullable(z.string()), fingerprint: z.string(), values: count })),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const FIRST_FORMAT: Manifest["format"] = FORMAT;

/** Null where there is none: the folder has no complete backup. Rejects with an OperatorError where it cannot be used. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const path = join(folder, MANIFEST);
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    if (systemCodeOf(cause) === "ENOENT") return null;
    throw new OperatorError(`${path} cannot be read (${systemCodeOf(cause) ?? "unknown cause"}).`, { cause });
  });
  if (text === null) return null;
  const parsed = manifestSchema.safeParse(parse(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") ?? "";
  throw new OperatorError(
    `${path} is no manifest of a backup that this version reads: its field "${where}" is wrong. Use the version that made the backup, or a newer one.`,
  );
}

/** Whole, or not at all. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, MANIFEST);
  const unfinished = `${path}.part`;
  const file = await open(unfinished, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  const names = await open(folder, "r");
  try {
    await names.sync();
  } finally {
    await names.close();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
