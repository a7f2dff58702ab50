// Edits a text file of a workspace as the API asks for it: a change that another has written meanwhile is never overwritten.

import type { FileEntryView } from "../contract/workspaces/files/files.ts";
import { ApiError, ClientError } from "./errors.ts";

/** The options of `edit`. */
export type EditOptions = {
  /** The file, relative to the copy's root, with `/` between its parts. */
  readonly path: string;
  /** Gets what the file holds and returns what it is to hold. The same text: nothing is written. Called once. */
  readonly edit: (content: string) => string | Promise<string>;
  /** Ends the edit: it rejects with the signal's reason. A write that has arrived stays. */
  readonly signal?: AbortSignal | undefined;
};

/** The file as it is now. `isWritten` is false where the edit changed nothing. */
export type EditedFile = {
  /** The file, relative to the copy's root. */
  readonly path: string;
  /** The ETag of these contents, without quotes. */
  readonly etag: string;
  /** The whole text. */
  readonly content: string;
  /** False where the edit changed nothing. */
  readonly isWritten: boolean;
};

/** What an EditConflictError is made of. */
export type EditConflictFields = {
  /** The file, relative to the copy's root. */
  readonly path: string;
  /** The ETag of the contents that were edited. */
  readonly readEtag: string;
  /** The contents that were edited. */
  readonly readContent: string;
  /** Null where the file was deleted. */
  readonly currentEtag: string | null;
  /** The contents that are there; null where the file was deleted. */
  readonly currentContent: string | null;
  /** The contents that were to be written. */
  readonly editedContent: string;
};

/** Another has changed the file since it was read. Nothing was written: what was read, what is there and the edit are all here. */
export class EditConflictError extends ClientError {
  /** The file, relative to the copy's root. */
  readonly path: string;
  /** The ETag of the contents that were edited, without quotes. */
  readonly readEtag: string;
  /** The contents that were edited. */
  readonly readContent: string;
  /** The ETag of the contents that are there; null where the file was deleted. */
  readonly currentEtag: string | null;
  /** The contents that are there; null where the file was deleted. */
  readonly currentContent: string | null;
  /** The content that was to be written. */
  readonly editedContent: string;

  constructor(fields: EditConflictFields, options?: ErrorOptions) {
    const message = `"${fields.path}" was changed by another since it was read. The edit was not written.`;
    super("edit_conflict", message, options);
    this.path = fields.path;
    this.readEtag = fields.readEtag;
    this.readContent = fields.readContent;
    this.currentEtag = fields.currentEtag;
    this.currentContent = fields.currentContent;
    this.editedContent = fields.editedContent;
  }
}

type Text = { readonly content: string; readonly etag: string };

/** The two routes that an edit needs, of one copy. */
export type EditableFiles = {
  read(at: {
    readonly path: string;
    readonly offset: number;
  }): Promise<Text & { readonly next_offset: number | null }>;
  write(file: {
    readonly path: string;
    readonly content: string;
    readonly etag: string;
  }): Promise<FileEntryView>;
};

/** Attempts to read a file that changes while its windows are read. */
const READ_ATTEMPTS = 5;

/**
 * Reads the file, edits it, and writes it with the ETag that was read. When that ETag is stale, reads again: the same contents
 * are written once more, with the ETag that the service named; else, or when that is stale too, rejects with an
 * EditConflictError.
 */
export async function editFile(files: EditableFiles, { path, edit }: EditOptions): Promise<EditedFile> {
  const before = await readWhole(files, path);
  const content = await edit(before.content);
  if (content === before.content) return { path, ...before, isWritten: false };
  try {
    return await writeText(files, { path, content, etag: before.etag });
  } catch (first) {
    if (!isStale(first)) throw first;
    const current = await readWhole(files, path).catch(nullWhereDeleted);
    const edited = { path, before, content };
    const etag = first.currentEtag;
    if (etag === null || current?.content !== before.content) throw conflictOf(edited, current, first);
    try {
      return await writeText(files, { path, content, etag });
    } catch (second) {
      if (!isStale(second)) throw second;
      // Newer than what was read after the first refusal.
      throw conflictOf(edited, await readWhole(files, path).catch(nullWhereDeleted), second);
    }
  }
}

function conflictOf(
  { path, before, content }: { readonly path: string; readonly before: Text; readonly content: string },
  current: Text | null,
  cause: ApiError,
): EditConflictError {
  return new EditConflictError(
    {
      path,
      readEtag: before.etag,
      readContent: before.content,
      currentEtag: current?.etag ?? null,
      currentContent: current?.content ?? null,
      editedContent: content,
    },
    { cause },
  );
}

async function writeText(
  files: EditableFiles,
  file: { readonly path: string; readonly content: string; readonly etag: string },
): Promise<EditedFile> {
  const written = await files.write(file);
  if (!("etag" in written))
    throw new ClientError("unexpected_answer", `"${file.path}" was written, and is no file.`);
  return { path: file.path, etag: written.etag, content: file.content, isWritten: true };
}

/** All windows of the same file: one that changes in between is read anew. */
async function readWhole(files: EditableFiles, path: string): Promise<Text> {
  for (let attempt = 1; ; attempt += 1) {
    const first = await files.read({ path, offset: 0 });
    const parts = [first.content];
    let next = first.next_offset;
    while (next !== null) {
      const window = await files.read({ path, offset: next });
      if (window.etag !== first.etag) break;
      parts.push(window.content);
      next = window.next_offset;
    }
    if (next === null) return { content: parts.join(""), etag: first.etag };
    if (attempt === READ_ATTEMPTS) {
      throw new ClientError("file_changes", `"${path}" changes faster than it can be read.`);
    }
  }
}

function isStale(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 412;
}

function nullWhereDeleted(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}
