// What a backup of a filled service takes: while it is written to, again, at rest; its restore, and the comparison of what was restored
// with what was there, row by row and byte by byte.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LoadClient } from "../../../bench/http-client.ts";
import { makeOwnerKey } from "../../../bench/owner-key.ts";
import { opened } from "../../../scripts/opened.ts";
import type { StoreKind } from "../stores/stores.ts";
import { BackupLoad } from "./backup-load.ts";
import { BackupPlace, type BlobKind, clientOf } from "./backup-place.ts";
import { FilledWorkspace } from "./filled-workspace.ts";
import { hashRows } from "./hash-rows.ts";

const LOAD_CLIENTS = 2;
const LIMITS = { RATE_PER_MINUTE: "10000000", ADDRESS_RATE_PER_MINUTE: "10000000", DRAIN_SECONDS: "0" };

export type BackupSize = { readonly files: number; readonly runs: number };
export type BackupFigures = {
  /** What the last backup holds. */
  readonly rows: number;
  readonly blobs: number;
  readonly blobBytes: number;
  readonly filledMs: number;
  readonly underLoadMs: number;
  /** What was written and erased during the first two backups. */
  readonly loadFiles: number;
  readonly loadErasures: number;
  readonly secondMs: number;
  readonly secondCopied: number;
  readonly atRestMs: number;
  readonly restoreMs: number;
  readonly verifyMs: number;
  /** Tables and files that were compared, and were equal. */
  readonly comparedTables: number;
  readonly comparedFiles: number;
};

/** Rejects where anything is not as it was. */
export async function measureBackup(
  kind: StoreKind,
  blobs: BlobKind,
  size: BackupSize,
): Promise<BackupFigures> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const removeFolder = opened(() => rm(folder, { recursive: true, force: true }));
  const place = await BackupPlace.make(kind, { blobs });
  const closePlace = opened(() => place.close());
  const other = await BackupPlace.make(kind, { blobs, isEmpty: true });
  const closeOther = opened(() => other.close());
  try {
    return await measure(join(folder, "backup"), { place, other, size });
  } finally {
    await closeOther();
    await closePlace();
    await removeFolder();
  }
}

type Measured = { readonly place: BackupPlace; readonly other: BackupPlace; readonly size: BackupSize };

async function measure(backup: string, { place, other, size }: Measured): Promise<BackupFigures> {
  const bearer = await makeOwnerKey(place.settings);
  const baseUrl = await place.start(LIMITS);
  const client = new LoadClient({ baseUrl, bearer });
  const [filled, filledMs] = await timed(() => FilledWorkspace.make(client, size));
  client.close();

  const load = new BackupLoad(clientOf(baseUrl, bearer), LOAD_CLIENTS);
  const [, underLoadMs] = await timed(() => backUp(place, backup));
  const [second, secondMs] = await timed(() => backUp(place, backup));
  await load.stop();
  await place.stop();
  const [last, atRestMs] = await timed(() => backUp(place, backup));

  const [, restoreMs] = await timed(() => other.runJson("restore", backup));
  const comparedTables = await compareRows(place, other);
  const [, verifyMs] = await timed(async () =>
    expectNothingLost(await other.runJson("store", "verify", "--contents")),
  );
  const restored = new LoadClient({ baseUrl: await other.start(LIMITS), bearer });
  const comparedFiles = await filled.compare(restored);
  restored.close();
  return {
    rows: last.rows,
    blobs: last.blobs,
    blobBytes: last.bytes,
    filledMs,
    underLoadMs,
    secondMs,
    atRestMs,
    restoreMs,
    verifyMs,
    comparedTables,
    comparedFiles,
    loadFiles: load.written,
    loadErasures: load.erased,
    secondCopied: second.copied,
  };
}

async function timed<Value>(work: () => Promise<Value>): Promise<readonly [Value, number]> {
  const startedAt = performance.now();
  const value = await work();
  return [value, performance.now() - startedAt];
}

async function backUp(place: BackupPlace, folder: string) {
  const report = await place.runJson("backup", folder);
  expectNothingLost(report);
  const { rows, blobs } = report as {
    readonly rows: number;
    readonly blobs: { readonly count: number; readonly bytes: number; readonly copied: number };
  };
  return { rows, blobs: blobs.count, bytes: blobs.bytes, copied: blobs.copied };
}

function expectNothingLost({ lost }: Readonly<Record<string, unknown>>): void {
  if (!Array.isArray(lost) || lost.length > 0) throw new Error(`Blobs are lost: ${JSON.stringify(lost)}`);
}

/** Every row of every table as both stores have it, read past the backup's own code. Returns how many tables. */
async function compareRows(place: BackupPlace, other: BackupPlace): Promise<number> {
  const [before, after] = [await hashRows(place.store), await hashRows(other.store)];
  const names = new Set([...before.keys(), ...after.keys()]);
  const different = [...names].filter((name) => before.get(name) !== after.get(name));
  if (different.length > 0) throw new Error(`Tables were restored with other rows: ${different.join(", ")}.`);
  return names.size;
}
