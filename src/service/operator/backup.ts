// An operator's acts on a whole store, also while processes serve from it: backup, restore, and the comparison with its blobs.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { systemRandom } from "../../base/ids.ts";
import { OperatorError } from "../../base/operator-error.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import { type BackupReport, backUp } from "../backup/back-up.ts";
import { BLOBS, MANIFEST } from "../backup/manifest.ts";
import { type RestoreReport, restoreBackup } from "../backup/restore-backup.ts";
import { type VerifyReport, verifyBlobs } from "../backup/verify-blobs.ts";
import { folderBlobs } from "../blobs/folder.ts";
import type { BlobStore } from "../core/blobs/blob-store.ts";
import type { DeletionHold, StorePlace, StoreSnapshot } from "../core/ports/store-snapshot.ts";
import { type BlobConfig, readBlobConfig } from "../settings/blob-config.ts";
import type { Config } from "../settings/config.ts";
import { DataFolderInUseError, holdDataFolder } from "../store/data-folder.ts";
import { findUnknown } from "../store/migrate.ts";
import { openPostgresPlace } from "../store/snapshot/postgres-place.ts";
import { holdPostgresDeletions, openPostgresSnapshot } from "../store/snapshot/postgres-snapshot.ts";
import { openSqlitePlace } from "../store/snapshot/sqlite-place.ts";
import { holdSqliteDeletions, openSqliteSnapshot } from "../store/snapshot/sqlite-snapshot.ts";
import { openBlobs } from "../wiring/open-blobs.ts";

const parts = { clock: systemClock, random: systemRandom };

/** Writes a backup of the configured store into a folder. Rejects with an OperatorError where none can be made. */
export async function makeBackup(
  config: Config,
  {
    folder,
    rereads,
    version,
  }: { readonly folder: string; readonly rereads: boolean; readonly version: string },
): Promise<BackupReport> {
  const hold = holdBackupFolder(folder);
  try {
    return await backUp({
      folder,
      openSnapshot: () => openSnapshot(config),
      holdDeletions: () => holdDeletions(config),
      blobs: await openBlobs(config, parts),
      kept: folderBlobs(join(folder, BLOBS)),
      keys: keysOf(config),
      rereads,
      version,
      clock: systemClock,
    });
  } finally {
    hold.release();
  }
}

/** Restores a backup into the configured store and its blobs. Rejects with an OperatorError, with the store as it was. */
export async function restore(
  config: Config,
  given: { readonly folder: string; readonly replaces: boolean; readonly leavesOut: boolean },
): Promise<RestoreReport> {
  const { folder } = given;
  return await restoreBackup({
    ...given,
    openPlace: () => openPlace(config),
    blobs: await openBlobs(config, parts),
    kept: folderBlobs(join(folder, BLOBS)),
    findUnknown,
  });
}

/** The source that lost blobs are brought back from. */
export type BlobSource =
  /** A backup, a data folder, or a folder of blobs. */
  { readonly type: "folder"; readonly folder: string } | { readonly type: "s3"; readonly blobs: BlobConfig };

/** Another bucket at the S3 server of the settings. A refusal is a line for every setting that is wrong. */
export function bucketSource(
  bucket: string,
  environment: Environment,
): Result<BlobSource, readonly string[]> {
  const problems: string[] = [];
  const given = { ...environment, S3_BUCKET: bucket };
  const blobs = readBlobConfig(given, { store: "s3", folder: null, problems });
  return problems.length > 0 ? refused(problems) : ok({ type: "s3", blobs });
}

/** Compares the configured store with its blobs. */
export async function verifyStore(
  config: Config,
  given: {
    readonly source: BlobSource | null;
    readonly readsContents: boolean;
    readonly adopts: boolean;
  },
): Promise<VerifyReport> {
  const { source, ...rest } = given;
  return await verifyBlobs({
    ...rest,
    openSnapshot: () => openSnapshot(config),
    blobs: await openBlobs(config, parts),
    from: source === null ? null : await openSource(config, source),
  });
}

/** The keys of the settings, without the keys themselves. */
export function keysOf({ secretKeys }: Config): { setting: string; fingerprint: string }[] {
  if (secretKeys === null) return [];
  const { current, previous } = secretKeys;
  return [
    { setting: "RUN_SECRETS_KEY", fingerprint: current.id },
    ...(previous === null ? [] : [{ setting: "RUN_SECRETS_PREVIOUS_KEY", fingerprint: previous.id }]),
  ];
}

async function openSnapshot({ databaseUrl, dataDir }: Config): Promise<StoreSnapshot> {
  return databaseUrl === null ? await openSqliteSnapshot(dataDir) : await openPostgresSnapshot(databaseUrl);
}

async function holdDeletions({ databaseUrl, dataDir }: Config): Promise<DeletionHold> {
  return databaseUrl === null ? holdSqliteDeletions(dataDir) : await holdPostgresDeletions(databaseUrl);
}

async function openPlace({ databaseUrl, dataDir }: Config): Promise<StorePlace> {
  return databaseUrl === null ? openSqlitePlace(dataDir) : await openPostgresPlace(databaseUrl);
}

async function openSource(config: Config, source: BlobSource): Promise<BlobStore> {
  if (source.type === "s3") return await openBlobs({ ...config, blobs: source.blobs }, parts);
  const { folder } = source;
  if (!existsSync(folder)) throw new OperatorError(`There is no folder ${resolve(folder)}.`);
  const isParent = existsSync(join(folder, MANIFEST)) || existsSync(join(folder, BLOBS));
  return folderBlobs(isParent ? join(folder, BLOBS) : folder);
}

/** One backup at a time is written into a folder. */
function holdBackupFolder(folder: string): { release(): void } {
  try {
    return holdDataFolder(folder);
  } catch (cause) {
    if (!(cause instanceof DataFolderInUseError)) throw cause;
    throw new OperatorError(`Another process writes a backup into ${folder}, or serves from it.`, { cause });
  }
}
