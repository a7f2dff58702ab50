// Writes a backup into a folder: the rows of one time, and every blob that they name. Incremental: a blob that is in the folder already
// stays there, and the backup that was there before is usable until the new one is whole.
// Why: docs/decisions/104-a-backup-is-rows-and-blobs.md

import { mkdir, readdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { OperatorError } from "../../base/operator-error.ts";
import type { BlobStore } from "../core/blobs/blob-store.ts";
import { HOLD_MS } from "../core/blobs/held-deletions.ts";
import type { DeletionHold, NamedBlob, StoreSnapshot } from "../core/ports/store-snapshot.ts";
import { isJournalBlob } from "../core/runs/archives/journal-archive.ts";
import { eachOf } from "./at-once.ts";
import { BLOBS_AT_ONCE, copyBlob, findFault, readHash } from "./copy-blob.ts";
import { BLOBS, FIRST_FORMAT, type Manifest, readManifest, STORE_PREFIX, writeManifest } from "./manifest.ts";
import { hashOfFile, type RowFile, readRows, writeRows } from "./row-files.ts";

const RENEWALS = 6;
const BLOB_LIST = "blob-list.ndjson.gz";

type BackupParts = {
  readonly folder: string;
  readonly openSnapshot: () => Promise<StoreSnapshot>;
  /** Nothing that is named is deleted until it is released. */
  readonly holdDeletions: () => Promise<DeletionHold>;
  readonly blobs: BlobStore;
  /** The folder's own blobs. */
  readonly kept: BlobStore;
  /** The keys that the settings have, by the ids that sealed values name. */
  readonly keys: readonly { readonly setting: string; readonly fingerprint: string }[];
  /** Whether blobs that are in the folder already are read and compared by their hashes. */
  readonly rereads: boolean;
  readonly version: string;
  readonly clock: Clock;
};

export type BackupReport = {
  readonly manifest: Manifest;
  readonly copied: number;
  readonly copiedBytes: number;
};

/** Rejects with an OperatorError, with the backup that was there before as it was, where none can be made. */
export async function backUp(parts: BackupParts): Promise<BackupReport> {
  const { folder, openSnapshot } = parts;
  await mkdir(join(folder, BLOBS), { recursive: true, mode: 0o700 });
  const earlier = await readEarlier(parts);
  const copying = new BlobCopying(parts, earlier.hashes);
  // Most of the blobs, while nobody waits: what the rows of one time name beyond these is copied soon after that time.
  await withSnapshot(openSnapshot, async (snapshot) => await copying.copy(await listBlobs(snapshot)));
  const rowFolder = `${STORE_PREFIX}${new Date(parts.clock.now()).toISOString().replaceAll(/[:.]/g, "-")}`;
  await rm(join(folder, rowFolder), { recursive: true, force: true });
  await mkdir(join(folder, rowFolder), { mode: 0o700 });
  const { written, lost } = await holding(parts, async () => {
    const rows = await withSnapshot(openSnapshot, (snapshot) =>
      writeStore(parts, { snapshot, rowFolder, earlier }),
    );
    return { written: rows, lost: await copying.copy(rows.blobs) };
  });
  const manifest = await finish(parts, { ...written, rowFolder, copying, lost });
  await removeOthers(folder, { rowFolder, keys: new Set(written.blobs.map(({ key }) => key)) });
  return { manifest, copied: copying.copied, copiedBytes: copying.copiedBytes };
}

type Earlier = { readonly identity: string | null; readonly hashes: ReadonlyMap<string, string> };

/** Rejects where the folder has something else in it. */
async function readEarlier({ folder }: BackupParts): Promise<Earlier> {
  const own = [/^manifest\.json(\.part)?$/, /^blobs$/, /^store-/, /^agent-service\.(lock|pid|probe)/];
  const other = (await readdir(folder)).find((name) => !own.some((form) => form.test(name)));
  if (other !== undefined) {
    throw new OperatorError(
      `The folder ${folder} holds other files, such as "${other}". Give a folder that is empty, or has a backup of this store.`,
    );
  }
  const manifest = await readManifest(folder);
  const hashes = new Map<string, string>();
  if (manifest === null) return { identity: null, hashes };
  const list = readRows(join(folder, manifest.folder, manifest.blobs.file));
  for await (const rows of list) for (const [key, , sha256] of rows) hashes.set(String(key), String(sha256));
  return { identity: manifest.store.identity, hashes };
}

/** Holds deletions: blobs that are named while it works are deleted after it. */
async function holding<Value>(
  { holdDeletions, clock }: BackupParts,
  work: () => Promise<Value>,
): Promise<Value> {
  const hold = await holdDeletions();
  const over = new AbortController();
  const renew = async () => {
    for (;;) {
      await clock.sleep(HOLD_MS / RENEWALS, over.signal);
      await hold.renew();
    }
  };
  // A blob that is deleted because it could not be renewed is found to be lost.
  const renewing = renew().catch(() => {});
  try {
    return await work();
  } finally {
    over.abort();
    await renewing;
    await hold.release();
  }
}

async function withSnapshot<Value>(
  open: () => Promise<StoreSnapshot>,
  work: (snapshot: StoreSnapshot) => Promise<Value>,
): Promise<Value> {
  const snapshot = await open();
  try {
    return await work(snapshot);
  } finally {
    await snapshot.close();
  }
}

/** Without journals: a restored service must not repeat what its runs have done. */
async function listBlobs(snapshot: StoreSnapshot): Promise<readonly NamedBlob[]> {
  const blobs: NamedBlob[] = [];
  for await (const some of snapshot.blobs()) blobs.push(...some.filter(({ key }) => !isJournalBlob(key)));
  return blobs;
}

type WrittenStore = Pick<Manifest, "store" | "tables" | "keys"> & { readonly blobs: readonly NamedBlob[] };

async function writeStore(
  { folder, keys }: BackupParts,
  {
    snapshot,
    rowFolder,
    earlier,
  }: { readonly snapshot: StoreSnapshot; readonly rowFolder: string; readonly earlier: Earlier },
): Promise<WrittenStore> {
  const { engine, identity, migrations, sealedBy } = snapshot;
  if (earlier.identity !== null && earlier.identity !== identity) {
    throw new OperatorError(
      `The folder ${folder} has the backup of another store. Give a folder of its own to each store.`,
    );
  }
  const blobs = await listBlobs(snapshot);
  const tables: Manifest["tables"] = [];
  for (const table of snapshot.tables) {
    const file = `${table.name}.ndjson.gz`;
    const written = await writeRows(join(folder, rowFolder, file), snapshot.rows(table));
    tables.push({ name: table.name, columns: [...table.columns], file, ...written });
  }
  const sealed = new Map(sealedBy.map(({ keyId, values }) => [keyId, values]));
  const named = keys.map(({ setting, fingerprint }) => {
    const values = sealed.get(fingerprint) ?? 0;
    sealed.delete(fingerprint);
    return { setting, fingerprint, values };
  });
  const unnamed = [...sealed].map(([fingerprint, values]) => ({ setting: null, fingerprint, values }));
  return {
    store: { engine, identity, migrations: [...migrations] },
    tables,
    keys: [...named, ...unnamed],
    blobs,
  };
}

/** Reads again what was written: the rows by their hashes, the blobs by their sizes. */
async function finish(
  { folder, kept, version, clock }: BackupParts,
  written: WrittenStore & {
    readonly rowFolder: string;
    readonly copying: BlobCopying;
    readonly lost: readonly string[];
  },
): Promise<Manifest> {
  const { rowFolder, copying, store, tables, keys } = written;
  const lost = new Set(written.lost);
  const blobs = written.blobs.filter(({ key }) => !lost.has(key));
  const list = async function* () {
    yield blobs.map(({ key, bytes }) => [key, bytes, copying.hashOf(key)]);
  };
  const listed = await writeRows(join(folder, rowFolder, BLOB_LIST), list());
  const files: readonly (Pick<RowFile, "sha256"> & { readonly file: string })[] = [
    ...tables,
    { ...listed, file: BLOB_LIST },
  ];
  for (const { file, sha256 } of files)
    if ((await hashOfFile(join(folder, rowFolder, file))) !== sha256) throw unreliable(file);
  await eachOf(blobs, BLOBS_AT_ONCE, async (blob) => {
    if ((await findFault(kept, blob)) !== null) throw unreliable(blob.key);
  });
  const manifest: Manifest = {
    format: FIRST_FORMAT,
    made_by: version,
    made_at: new Date(clock.now()).toISOString(),
    store,
    folder: rowFolder,
    tables,
    blobs: {
      count: blobs.length,
      bytes: blobs.reduce((sum, { bytes }) => sum + bytes, 0),
      file: BLOB_LIST,
      sha256: listed.sha256,
    },
    lost: [...written.lost],
    keys,
  };
  await writeManifest(folder, manifest);
  return manifest;
}

function unreliable(file: string): OperatorError {
  return new OperatorError(
    `The backup was not finished: ${file} was written, and is something else when it is read. Look at the disk of the folder.`,
  );
}

/** Removes files that belong to no backup any more: rows of earlier times, blobs that were deleted since. */
async function removeOthers(
  folder: string,
  { rowFolder, keys }: { readonly rowFolder: string; readonly keys: ReadonlySet<string> },
): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(STORE_PREFIX) || name === rowFolder) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
  const blobs = join(folder, BLOBS);
  for (const entry of await readdir(blobs, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !keys.has(relative(blobs, path).replaceAll("\\", "/")))
      await rm(path, { force: true });
  }
}

/** Copies each blob once, however often it is asked to. */
class BlobCopying {
  copied = 0;
  copiedBytes = 0;
  readonly #parts: BackupParts;
  readonly #earlier: ReadonlyMap<string, string>;
  readonly #hashes = new Map<string, string>();

  constructor(parts: BackupParts, earlier: ReadonlyMap<string, string>) {
    this.#parts = parts;
    this.#earlier = earlier;
  }

  hashOf(key: string): string {
    return this.#hashes.get(key) ?? "";
  }

  /** Returns the keys of those that are not there, or not whole. */
  async copy(blobs: readonly NamedBlob[]): Promise<readonly string[]> {
    const absent: string[] = [];
    await eachOf(blobs, BLOBS_AT_ONCE, async (blob) => {
      if (this.#hashes.has(blob.key)) return;
      const sha256 = (await this.#find(blob)) ?? (await this.#fetch(blob));
      if (sha256 === null) absent.push(blob.key);
      else this.#hashes.set(blob.key, sha256);
    });
    return absent;
  }

  /** The hash of what an earlier backup has left. Null where that is not the blob. */
  async #find(blob: NamedBlob): Promise<string | null> {
    const { kept, rereads } = this.#parts;
    if ((await findFault(kept, blob)) !== null) return null;
    const known = blob.sha256 ?? this.#earlier.get(blob.key);
    if (known !== undefined && !rereads) return known;
    const { sha256, fault } = await readHash(kept, blob);
    return fault === null ? sha256 : null;
  }

  async #fetch(blob: NamedBlob): Promise<string | null> {
    const { blobs: from, kept: to } = this.#parts;
    const copied = await copyBlob({ from, to, blob });
    if (copied.type === "faulty") return null;
    this.copied += 1;
    this.copiedBytes += blob.bytes;
    return copied.sha256;
  }
}
