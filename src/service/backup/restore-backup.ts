// Restores a backup: its blobs first, then its rows in one transaction, so that whenever it ends every row has its blob.
// Why: docs/decisions/104-a-backup-is-rows-and-blobs.md

import { join } from "node:path";
import { OperatorError } from "../../base/operator-error.ts";
import type { BlobStore } from "../core/blobs/blob-store.ts";
import { markBlobs } from "../core/blobs/store-identity.ts";
import type { FilledTable, NamedBlob, StorePlace } from "../core/ports/store-snapshot.ts";
import { eachOf } from "./at-once.ts";
import { BLOBS_AT_ONCE, copyBlob, findFault } from "./copy-blob.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { hashOfFile, readRows } from "./row-files.ts";

type RestoreParts = {
  readonly folder: string;
  /** Opened once the backup was found to be whole. */
  readonly openPlace: () => Promise<StorePlace>;
  readonly blobs: BlobStore;
  /** The backup's own blobs. */
  readonly kept: BlobStore;
  /** Throws where this version does not know one of these migrations. */
  /** The first of these migrations that this version does not know. */
  readonly findUnknown: (migrations: readonly string[]) => string | null;
  /** Whether a store that has rows is replaced. */
  readonly replaces: boolean;
  /** Whether blobs that the backup has lost are left out. */
  readonly leavesOut: boolean;
};

export type RestoreReport = {
  readonly manifest: Manifest;
  readonly rows: number;
  readonly copied: number;
  readonly copiedBytes: number;
  /** Blobs that the backup names and has not, by their keys. */
  readonly leftOut: readonly string[];
};

/** Rejects with an OperatorError, with the store as it was, where the backup cannot be restored here. */
export async function restoreBackup(parts: RestoreParts): Promise<RestoreReport> {
  const { folder, openPlace, findUnknown, replaces } = parts;
  const manifest = await readManifest(folder);
  if (manifest === null) {
    throw new OperatorError(
      `The folder ${folder} has no complete backup: there is no manifest.json. Give the folder that "agent-service backup" wrote.`,
    );
  }
  const unknown = findUnknown(manifest.store.migrations);
  if (unknown !== null) {
    throw new OperatorError(
      `The backup is of a newer version of agent-service: this version does not know migration "${unknown}". Restore it by that version, or use a backup from before the upgrade.`,
    );
  }
  await checkFiles(folder, manifest);
  const place = await openPlace();
  try {
    const filled = await place.findFilledTable();
    if (filled !== null && !replaces) {
      throw new OperatorError(
        `There is a store already: its table "${filled}" has rows. Give an empty one with --data-dir, DATA_DIR or DATABASE_URL, or replace it for good with --replace.`,
      );
    }
    const blobs = await restoreBlobs(parts, manifest);
    await place.fill({
      newestMigration: manifest.store.migrations.at(-1) ?? "",
      tables: manifest.tables.map((table) => filledTable(join(folder, manifest.folder), table)),
    });
    return { manifest, rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0), ...blobs };
  } finally {
    await place.close();
  }
}

/** Before anything is changed. */
async function checkFiles(folder: string, { folder: rowFolder, tables, blobs }: Manifest): Promise<void> {
  for (const { file, sha256 } of [...tables, blobs]) {
    const path = join(folder, rowFolder, file);
    const found = await hashOfFile(path).catch(() => null);
    if (found === sha256) continue;
    const what = found === null ? "is not there" : "is not what was written";
    throw new OperatorError(`The backup cannot be used: ${path} ${what}. Use another backup.`);
  }
}

async function restoreBlobs(
  { folder, blobs: to, kept: from, leavesOut }: RestoreParts,
  manifest: Manifest,
): Promise<Pick<RestoreReport, "copied" | "copiedBytes" | "leftOut">> {
  const leftOut: string[] = [];
  let copied = 0;
  let copiedBytes = 0;
  const list = await readList(join(folder, manifest.folder, manifest.blobs.file));
  await eachOf(list, BLOBS_AT_ONCE, async (blob) => {
    // A key is used once: what is there under it is the blob.
    if ((await findFault(to, blob)) === null) return;
    const { type } = await copyBlob({ from, to, blob });
    if (type === "faulty") leftOut.push(blob.key);
    else {
      copied += 1;
      copiedBytes += blob.bytes;
    }
  });
  if (leftOut.length > 0 && !leavesOut) {
    throw new OperatorError(
      `The backup has lost ${leftOut.length} of its ${list.length} blobs, such as ${leftOut[0]}. Use another backup, or restore without them by --incomplete.`,
    );
  }
  const { identity } = manifest.store;
  if (identity !== null) await markBlobs(to, identity);
  return { copied, copiedBytes, leftOut };
}

async function readList(path: string): Promise<readonly NamedBlob[]> {
  const blobs: NamedBlob[] = [];
  for await (const rows of readRows(path)) {
    for (const [key, bytes, sha256] of rows)
      blobs.push({ key: String(key), bytes: Number(bytes), sha256: String(sha256) });
  }
  return blobs;
}

function filledTable(folder: string, table: Manifest["tables"][number]): FilledTable {
  const { name, columns, file } = table;
  return {
    shape: { name, columns },
    rows: async function* () {
      let count = 0;
      for await (const some of readRows(join(folder, file))) {
        count += some.length;
        yield some;
      }
      if (count !== table.rows) throw new OperatorError(`${file} has ${count} rows, not ${table.rows}.`);
    },
  };
}
