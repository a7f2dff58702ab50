// The data folder of a node: made, tried, and held by one process at a time.

import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { OperatorError, systemCodeOf } from "../../base/operator-error.ts";
import { openDatabase } from "./sqlite-database.ts";

/** The embedded store. */
export const DATABASE_FILE = "agent-service.sqlite";
const LOCK_FILE = "agent-service.lock";
const OWNER_FILE = "agent-service.pid";
const PROBE_FILE = "agent-service.probe";
const ROOM_BYTES = 256 * 1024;

const causes: Readonly<Record<string, string>> = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "its file system is read-only",
  ENOSPC: "its disk is full",
  EDQUOT: "its disk quota is used up",
  ENOTDIR: "it, or what should be a folder above it, is a file",
  EEXIST: "it, or what should be a folder above it, is a file",
  ENOENT: "no folder can be made there",
};

/** The data folder cannot be made, or not be written to. */
class DataFolderError extends OperatorError {
  readonly code = "data_folder_unusable";

  constructor(folder: string, cause: unknown) {
    const code = systemCodeOf(cause) ?? "unknown cause";
    const why = causes[code] === undefined ? code : `${causes[code]} (${code})`;
    super(
      `Data folder "${folder}" cannot be used: ${why}. Give a folder that this process can write to, with --data-dir or DATA_DIR.`,
      { cause },
    );
  }
}

/** Another process serves from the same data folder. */
export class DataFolderInUseError extends OperatorError {
  readonly code = "data_folder_in_use";
}

/** Makes the folder where there is none, and writes to it. Throws a DataFolderError. Safe to repeat. */
export function prepareDataFolder(folder: string): void {
  const probe = join(folder, PROBE_FILE);
  try {
    makeFolder(resolve(folder));
    try {
      writeFileSync(probe, "probe\n");
    } finally {
      rmSync(probe, { force: true });
    }
  } catch (cause) {
    throw new DataFolderError(folder, cause);
  }
}

/** Writes about as much as a transaction may take, and removes it. Rejects as the system does. */
export async function probeRoom(folder: string): Promise<void> {
  const probe = join(folder, PROBE_FILE);
  try {
    await writeFile(probe, Buffer.alloc(ROOM_BYTES), { flush: true });
  } finally {
    await rm(probe, { force: true });
  }
}

/** Node's own recursive mkdir never returns where the parent cannot hold folders, as in /proc. */
function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    // Made by another process in the meantime.
    if (!isFolder(path)) throw cause;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Keeps every other process from this data folder: a transaction that is never committed on a file of its own, which
 * the operating system ends with the process. Throws a DataFolderError or a DataFolderInUseError.
 */
export function holdDataFolder(folder: string): { release(): void } {
  prepareDataFolder(folder);
  const database = openDatabase(join(folder, LOCK_FILE));
  const ownerPath = join(folder, OWNER_FILE);
  try {
    database.exec("pragma busy_timeout = 0; begin exclusive");
  } catch (cause) {
    database.close();
    throw new DataFolderInUseError(
      `Data folder "${folder}" is in use by process ${readOwner(ownerPath)}. Stop that process, or give this one a folder of its own (--data-dir, DATA_DIR).`,
      { cause },
    );
  }
  const release = () => {
    rmSync(ownerPath, { force: true });
    database.close();
  };
  try {
    writeFileSync(ownerPath, `${process.pid}\n`);
  } catch (cause) {
    release();
    throw new DataFolderError(folder, cause);
  }
  return { release };
}

function readOwner(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "(unknown)";
  }
}
