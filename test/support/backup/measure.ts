// node test/support/backup/measure.ts [--files 50000 --runs 10000]: what backup, restore and verification of a filled service take, on
// SQLite and on the PostgreSQL at TEST_DATABASE_URL, with blobs in a folder and in a bucket. Run "npm run build" first.

import { parseArgs } from "node:util";
import { type Row, renderTable } from "../../../bench/table.ts";
import { testDatabaseUrl } from "../stores/postgres-schema.ts";
import { postgresStore, sqliteStore } from "../stores/stores.ts";
import type { BlobKind } from "./backup-place.ts";
import { type BackupFigures, type BackupSize, measureBackup } from "./measure-backup.ts";

const blobKinds: readonly BlobKind[] = ["a folder", "S3"];

async function measureBackups(size: BackupSize): Promise<Row[]> {
  const rows: Row[] = [];
  for (const blobs of blobKinds) {
    const sqlite = await noted(measureBackup(sqliteStore, blobs, size), `SQLite, ${blobs}`);
    const postgres =
      testDatabaseUrl === undefined
        ? null
        : await noted(measureBackup(postgresStore, blobs, size), `PostgreSQL, ${blobs}`);
    const row = (what: string, text: (figures: BackupFigures) => string): Row => ({
      what: `${what}; blobs in ${blobs}`,
      sqlite: { text: text(sqlite) },
      postgres: postgres === null ? "no database" : { text: text(postgres) },
      floor: "–",
    });
    rows.push(
      row(
        `${count(size.files)} files and ${count(size.runs)} runs: filled`,
        (one) =>
          `${seconds(one.filledMs)}\n${count(one.rows)} rows\n${count(one.blobs)} blobs, ${mb(one.blobBytes)}`,
      ),
      row("backup under load", (one) => seconds(one.underLoadMs)),
      row(
        "the second, under load",
        (one) =>
          `${seconds(one.secondMs)}\n${count(one.secondCopied)} blobs copied\nin both: ${count(one.loadFiles)} files written, ${count(one.loadErasures)} workspaces erased`,
      ),
      row("at rest", (one) => seconds(one.atRestMs)),
      row("restore", (one) => seconds(one.restoreMs)),
      row("store verify --contents", (one) => seconds(one.verifyMs)),
      row(
        "compared, and equal",
        (one) => `${one.comparedTables} tables row by row, ${count(one.comparedFiles)} files byte by byte`,
      ),
    );
  }
  return rows;
}

/** Each takes minutes: what is known is said. */
async function noted(measured: Promise<BackupFigures>, name: string): Promise<BackupFigures> {
  const figures = await measured;
  process.stderr.write(`  ${name}: ${JSON.stringify(figures)}\n`);
  return figures;
}

const count = (value: number) => value.toLocaleString("en");
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

const { values } = parseArgs({
  options: { files: { type: "string", default: "50000" }, runs: { type: "string", default: "10000" } },
});
const rows = await measureBackups({ files: Number(values.files), runs: Number(values.runs) });
process.stdout.write(`\n${renderTable(rows)}`);
