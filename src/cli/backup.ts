// agent-service backup and restore: a whole store with its blobs, into a folder and back.

import { keysOf, makeBackup, restore as restoreFrom } from "../service/operator/backup.ts";
import type { Config } from "../service/settings/config.ts";
import { command } from "./command.ts";
import { anyText, argument, switchFlag } from "./flags.ts";
import { readStoreConfig, storeFlags } from "./operate.ts";
import { bytesText, printJson } from "./print.ts";
import { version } from "./version.ts";

const MAX_NAMED = 5;

export const backup = command({
  summary: "Write a backup of the store and its blobs into a folder, while the service runs.",
  notes: [
    "All rows are of one time, and every blob that they name is there. The next backup into the same folder copies only the blobs that are new; until it is whole, the one before can be restored.",
    "Exits with 1 where blobs were lost before: see store verify.",
  ],
  arguments: { folder: argument(anyText, "The folder: empty, or with a backup of the same store.") },
  flags: {
    ...storeFlags,
    contents: switchFlag("Also read the blobs that are in the folder already, and compare their hashes."),
  },
  examples: ["backup /var/backups/agent-service", "backup /mnt/backup --contents --json"],
  run: async ({ arguments: { folder }, flags }) => {
    const config = await readStoreConfig(flags);
    const report = await makeBackup(config, { folder, rereads: flags.contents, version });
    const { manifest, copied, copiedBytes } = report;
    const { tables, blobs, lost, keys } = manifest;
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    if (flags.json) {
      const size = { count: blobs.count, bytes: blobs.bytes, copied, copied_bytes: copiedBytes };
      printJson({ folder, made_at: manifest.made_at, tables: tables.length, rows, blobs: size, lost, keys });
      return lost.length === 0 ? 0 : 1;
    }
    const part = `${copied} copied now (${bytesText(copiedBytes)})`;
    process.stdout.write(
      `Backed up ${rows} rows of ${tables.length} tables, and ${blobs.count} blobs (${bytesText(blobs.bytes)}), ${part}, to ${folder}.\n`,
    );
    for (const { setting, fingerprint, values } of keys) {
      const name = setting === null ? "A key that is not set here" : setting;
      process.stdout.write(
        `${name} (fingerprint ${fingerprint}) is not in the backup, and opens ${valuesText(values)} of it: keep it elsewhere.\n`,
      );
    }
    process.stdout.write(
      "The backup holds what the store holds, keys of the service among it: keep it as secret.\n",
    );
    return lost.length === 0 ? 0 : reportLost(lost);
  },
});

export const restore = command({
  summary: "Restore a backup into an empty store and its blobs. Stop the service first.",
  notes: [
    "The backup may be of another engine: a store can move from SQLite to PostgreSQL and back, and its blobs between folders and buckets.",
    "A backup of an older version is brought up to date. One of a newer version is refused.",
  ],
  arguments: { folder: argument(anyText, "The folder that backup wrote.") },
  flags: {
    ...storeFlags,
    replace: switchFlag("Replace a store that has rows, for good."),
    incomplete: switchFlag("Restore although blobs of the backup are damaged or gone: without those."),
  },
  examples: [
    "restore /var/backups/agent-service",
    "restore /mnt/backup --data-dir /var/lib/agent-service --replace",
  ],
  run: async ({ arguments: { folder }, flags }) => {
    const config = await readStoreConfig(flags);
    const given = { folder, replaces: flags.replace, leavesOut: flags.incomplete };
    const { manifest, rows, copied, copiedBytes, leftOut } = await restoreFrom(config, given);
    const { tables, blobs, lost, keys, made_at } = manifest;
    const absent = [...lost, ...leftOut];
    const set = keysOf(config).map(({ fingerprint }) => fingerprint);
    const missingKeys = keys.filter(({ fingerprint, values }) => values > 0 && !set.includes(fingerprint));
    if (flags.json) {
      const size = { count: blobs.count, bytes: blobs.bytes, copied, copied_bytes: copiedBytes };
      const named = { lost: absent, missing_keys: missingKeys };
      printJson({ folder, made_at, tables: tables.length, rows, blobs: size, ...named });
      return absent.length === 0 ? 0 : 1;
    }
    process.stdout.write(
      `Restored ${rows} rows of ${tables.length} tables, and ${blobs.count} blobs, ${copied} copied now (${bytesText(copiedBytes)}), as they were at ${made_at}, into ${placeOf(config)}.\n`,
    );
    for (const { setting, fingerprint, values } of missingKeys) {
      process.stdout.write(
        `${valuesText(values)} cannot be opened without ${setting ?? "the key"} with fingerprint ${fingerprint}, which is not set here.\n`,
      );
    }
    return absent.length === 0 ? 0 : reportLost(absent);
  },
});

/** The place of the store, without a password. */
export function placeOf({ databaseUrl, dataDir }: Config): string {
  return databaseUrl === null ? dataDir : "the database at DATABASE_URL";
}

function valuesText(count: number): string {
  return count === 1 ? "1 value" : `${count} values`;
}

/** Returns the exit code. */
function reportLost(keys: readonly string[]): number {
  const named = keys.slice(0, MAX_NAMED).join("\n  ");
  const more = keys.length > MAX_NAMED ? `\n  and ${keys.length - MAX_NAMED} more` : "";
  process.stderr.write(
    `${keys.length} blobs that the store names are lost:\n  ${named}${more}\n"agent-service store verify --from <folder or bucket>" brings back what another place has.\n`,
  );
  return 1;
}
