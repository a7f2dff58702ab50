// The record of a synchronised folder: its workspace and copy, and how both were when they last met, in `copy.json` of the
// folder's record. Each session of an editor has a copy, and a file there, of its own.

import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { parseJson } from "../../base/json.ts";
import { systemCodeOf } from "../../base/operator-error.ts";
import { CommandError } from "../command-error.ts";
import { type FileStates, fileModes } from "./file-state.ts";
import { RECORD_FOLDER } from "./folder-path.ts";
import type { LocalFolder } from "./local-folder.ts";

/** Of the copy that `workspaces pull` and `push` know. */
const FILE = "copy.json";

const recordSchema = z.object({
  version: z.literal(1),
  url: z.string(),
  workspace_id: z.string(),
  /** Null: the canonical copy. */
  working_copy_id: z.nullable(z.string()),
  /** Path, then git's name of the contents and the mode. */
  files: z.record(z.string(), z.tuple([z.string(), z.enum(fileModes)])),
});

export type SyncPlace = {
  /** The service's address, without a trailing slash. */
  readonly url: string;
  readonly workspaceId: string;
  /** Null: the canonical copy. */
  readonly workingCopyId: string | null;
};

export type SyncRecord = { readonly place: SyncPlace; readonly base: FileStates };

/** Null where the folder was never synchronised. Rejects where its record cannot be read. */
export async function readRecord(root: string, file = FILE): Promise<SyncRecord | null> {
  const path = join(root, RECORD_FOLDER, file);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (systemCodeOf(cause) === "ENOENT" || systemCodeOf(cause) === "ENOTDIR") return null;
    throw new CommandError(`"${path}" cannot be read.`, { cause });
  }
  const read = recordSchema.safeParse(parseJson(text));
  if (!read.success) {
    throw new CommandError(
      `"${path}" is damaged, or of another version. Remove it to start anew: files that differ are conflicts then, and nothing is lost.`,
    );
  }
  const { url, workspace_id: workspaceId, working_copy_id: workingCopyId, files } = read.data;
  return {
    place: { url, workspaceId, workingCopyId },
    base: new Map(Object.entries(files).map(([name, [oid, mode]]) => [name, { oid, mode }])),
  };
}

/** Replaces the record: a command that is killed meanwhile leaves the old one. */
export async function writeRecord(
  folder: LocalFolder,
  { place, base }: SyncRecord,
  file = FILE,
): Promise<void> {
  const path = join(await folder.recordFolder(), file);
  const files = Object.fromEntries([...base].map(([name, { oid, mode }]) => [name, [oid, mode]]));
  const { url, workspaceId, workingCopyId } = place;
  const record = { version: 1, url, workspace_id: workspaceId, working_copy_id: workingCopyId, files };
  const part = `${path}.${process.pid}`;
  await writeFile(part, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(part, path);
}
