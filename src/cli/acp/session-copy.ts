// The copy of an editor's session: made at its first prompt, sent what the folder has, and kept with the state in which both last met.
// Why: docs/decisions/179-an-editor-is-a-copys-folder.md

import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { ApiError, type Client } from "../../client/client.ts";
import { CommandError } from "../command-error.ts";
import type { FileStates } from "../workspaces/file-state.ts";
import { RECORD_FOLDER } from "../workspaces/folder-path.ts";
import { LocalFolder } from "../workspaces/local-folder.ts";
import { type RemoteCopy, remoteCopy } from "../workspaces/remote-copy.ts";
import { settledOperation } from "../workspaces/settled-operation.ts";
import {
  type PreparedPull,
  preparePull,
  push,
  type SyncOptions,
  type SyncResult,
} from "../workspaces/sync.ts";
import { readRecord, type SyncPlace, type SyncRecord, writeRecord } from "../workspaces/sync-record.ts";
import type { Editor } from "./editor.ts";
import { EditorFolder } from "./editor-folder.ts";
import { readIgnored } from "./ignored-files.ts";
import { type KnownPlace, keepKnownPlace } from "./known-place.ts";

/** After more of them the copy is saved, so that the next session's begins with them. */
const MANY_FILES = 20;

type CopyOptions = {
  readonly client: Client;
  readonly root: string;
  readonly sessionId: string;
  readonly place: KnownPlace;
  readonly excluded: readonly string[];
  readonly environment: Environment;
  readonly editor: Editor;
};

/** What the folder and the copy are, opened for one exchange. */
type Opened = SyncOptions & {
  readonly folder: EditorFolder;
  readonly copy: RemoteCopy;
  readonly record: SyncRecord;
  readonly recordFile: string;
};

export type Offer = {
  readonly pull: PreparedPull;
  readonly folder: EditorFolder;
  readonly copy: RemoteCopy;
};

export class SessionCopy {
  readonly #options: CopyOptions;

  constructor(options: CopyOptions) {
    this.#options = options;
  }

  /**
   * Sends what the folder has: a change of both sides becomes what the folder has. Returns the copy's id beside. `files` are those of
   * which the editor may have more than the disk.
   */
  async send(
    files: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly copyId: string; readonly sent: SyncResult; readonly isNew: boolean }> {
    const known = await this.#open(signal);
    const opened = known ?? (await this.#begin(signal));
    await opened.folder.readUnsaved(files);
    const sent = await push({ ...opened, take: "local" });
    if (sent.conflicts.length > 0) {
      const paths = sent.conflicts.slice(0, 5).map(({ path }) => `"${path}"`);
      throw new CommandError(
        `The folder cannot be sent: ${paths.join(", ")} ${paths.length === 1 ? "is" : "are"} a file on one side and a folder on the other. Move it away, or begin another session.`,
      );
    }
    const copyId = opened.place.workingCopyId ?? "";
    if (sent.changed.length > MANY_FILES) await this.#save(copyId);
    return { copyId, sent, isNew: known === null };
  }

  /** What the copy has that the folder has not. Null where they never met. */
  async offer(signal: AbortSignal): Promise<Offer | null> {
    const opened = await this.#open(signal);
    if (opened === null) return null;
    const { folder, copy } = opened;
    const pull = await preparePull({ ...opened, take: null });
    const paths = [...pull.steps, ...pull.conflicts].map(({ path }) => path);
    const isOther = await folder.readUnsaved(paths);
    return { pull: isOther ? await preparePull({ ...opened, take: null }) : pull, folder, copy };
  }

  /** What the copy has by now is not offered again: with the next prompt it becomes what the folder has. */
  async forgetChanges(signal: AbortSignal): Promise<void> {
    const opened = await this.#open(signal);
    if (opened === null) return;
    const base = await filesOf(opened);
    await writeRecord(opened.folder, { ...opened.record, base }, opened.recordFile);
  }

  /** Keeps a run's patch beside the folder's record. Returns its path, relative to the folder. */
  async keepPatch(runId: string, patch: string): Promise<string> {
    const name = `${runId.replaceAll(/[^\w-]/g, "")}.patch`;
    const folder = await new LocalFolder(this.#options.root, []).recordFolder();
    const part = join(folder, `${name}.${process.pid}`);
    await writeFile(part, patch, { mode: 0o600 });
    await rename(part, join(folder, name));
    return `${RECORD_FOLDER}/${name}`;
  }

  async #open(signal: AbortSignal): Promise<Opened | null> {
    const { root, sessionId, place, client } = this.#options;
    const recordFile = recordFileOf(sessionId);
    const record = await readRecord(root, recordFile);
    const isOurs = record?.place.url === place.url && record.place.workspaceId === place.workspaceId;
    if (record === null || !isOurs) return null;
    const { workingCopyId } = record.place;
    const found = await client.copies
      .get({ workspaceId: place.workspaceId, workingCopyId: workingCopyId ?? "", signal })
      .catch(nullIfAbsent);
    if (found === null || found.state === "deleting") return null;
    return { ...(await this.#parts(record.place, signal)), record, recordFile };
  }

  /** A new copy, in which nobody has written yet: what it has is what both sides had. */
  async #begin(signal: AbortSignal): Promise<Opened> {
    const { client, place, sessionId } = this.#options;
    const { workspaceId, url, revisionId } = place;
    const make = async (body: { readonly base_revision_id?: string }) =>
      await client.copies.create({ workspaceId, body, signal });
    const started =
      revisionId === null
        ? await make({})
        : await make({ base_revision_id: revisionId }).catch(async (cause: unknown) => {
            if (nullIfAbsent(cause) === null) return await make({});
            throw cause;
          });
    const { result } = await settledOperation(client, started);
    const copyPlace = { url, workspaceId, workingCopyId: result.working_copy_id ?? "" };
    const parts = await this.#parts(copyPlace, signal);
    const recordFile = recordFileOf(sessionId);
    const record = { place: copyPlace, base: await filesOf(parts) };
    await writeRecord(parts.folder, record, recordFile);
    return { ...parts, record, recordFile };
  }

  async #parts(place: SyncPlace, signal: AbortSignal) {
    const { client, root, environment, editor, excluded } = this.#options;
    const isIgnored = await readIgnored(root, { environment, signal });
    const folder = new EditorFolder(root, { editor, excluded, isIgnored });
    return { folder, copy: remoteCopy(client, place), place };
  }

  /** A later session's copy begins with it. A failure costs that session's first prompt some time, and nothing else. */
  async #save(copyId: string): Promise<void> {
    const { client, place, root } = this.#options;
    const body = { working_copy_id: copyId, message: "Files of an editor" };
    try {
      const started = await client.copies.checkpoint({ workspaceId: place.workspaceId, body });
      const { result } = await settledOperation(client, started);
      await keepKnownPlace(root, { ...place, revisionId: result.revision_id ?? place.revisionId });
    } catch (cause) {
      if (!(cause instanceof ApiError || cause instanceof CommandError)) throw cause;
    }
  }
}

function recordFileOf(sessionId: string): string {
  return `editor-${sessionId}.json`;
}

async function filesOf({ folder, copy }: Pick<Opened, "folder" | "copy">): Promise<FileStates> {
  const { files } = await copy.list();
  return new Map([...files].filter(([path]) => !folder.isExcluded(path)));
}

/** Throws what is no 404. */
function nullIfAbsent(cause: unknown): null {
  if (cause instanceof ApiError && cause.status === 404) return null;
  throw cause;
}
