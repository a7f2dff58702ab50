// The files of a copy of a workspace, over the API, as a synchronised folder needs them.

import { ApiError, type Client } from "../../client/client.ts";
import { ConnectionError } from "../../client/errors.ts";
import { CommandError } from "../command-error.ts";
import { fileModes, type LocalFileMode, type LocalFileState } from "./file-state.ts";
import type { Contents } from "./local-folder.ts";
import { everyItem } from "./pages.ts";
import type { SyncPlace } from "./sync-record.ts";

/** Larger ones are sent as a stream of bytes. */
const MAX_WRITTEN_BYTES = 256 * 1024;

type RemoteFiles = {
  readonly files: ReadonlyMap<string, LocalFileState & { readonly etag: string }>;
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
};

type RemoteFile = {
  readonly mode: LocalFileMode;
  readonly contents: Contents;
  /** Of the file that is replaced; null: there is none. */
  readonly etag: string | null;
};

export type RemoteCopy = {
  list(): Promise<RemoteFiles>;
  open(path: string): Promise<AsyncIterable<Uint8Array>>;
  /** Rejects with a CommandError where another file is there by now. */
  put(path: string, file: RemoteFile): Promise<void>;
  /** Into the copy's trash. Rejects as `put` does. */
  remove(path: string, etag: string): Promise<void>;
};

export function remoteCopy(client: Pick<Client, "files" | "copyFiles">, place: SyncPlace): RemoteCopy {
  const files = filesOf(client, place);
  return {
    list: async () => {
      const found = new Map<string, LocalFileState & { readonly etag: string }>();
      const skipped: { path: string; why: string }[] = [];
      for await (const entry of everyItem((page) => files.list({ query: { ...page, recursive: true } }))) {
        const { type, path } = entry;
        if (type === "submodule") skipped.push({ path, why: "it is a submodule" });
        if (type !== "file" && type !== "symlink") continue;
        const mode = fileModes.find((one) => one === entry.mode);
        if (mode === undefined) skipped.push({ path, why: `its mode is ${entry.mode}` });
        else found.set(path, { oid: entry.oid, mode, etag: entry.etag });
      }
      return { files: found, skipped };
    },
    open: (path) => opened(path, async () => (await files.download({ query: { path } })).body),
    put: async (path, { mode, contents, etag }) => {
      const match = etag === null ? {} : { ifMatch: etag };
      await unlessMoved(path, async () => {
        if (contents.size > MAX_WRITTEN_BYTES && mode !== "120000") {
          const existing = etag === null ? "refuse" : "replace";
          await files.upload({ query: { path, existing, mode }, body: () => contents.open(), ...match });
        } else {
          const content = (await bytesOf(contents)).toString("base64");
          await files.write({ body: { path, content, encoding: "base64", mode }, ...match });
        }
      });
    },
    remove: async (path, etag) => {
      await unlessMoved(path, async () => {
        await files.delete({ body: { path }, ifMatch: etag });
      });
    },
  };
}

type Files = Pick<Client["files"], "list" | "download" | "upload" | "write" | "delete">;
type WithoutPlace<Method> = Method extends (options: infer Options) => infer Answer
  ? (options: Omit<Options, "workspaceId">) => Answer
  : never;
/** Methods of a copy that is known. */
type PlacedFiles = { readonly [Name in keyof Files]: WithoutPlace<Files[Name]> };

function filesOf(
  { files, copyFiles }: Pick<Client, "files" | "copyFiles">,
  { workspaceId, workingCopyId }: Pick<SyncPlace, "workspaceId" | "workingCopyId">,
): PlacedFiles {
  if (workingCopyId === null) {
    return {
      list: (options) => files.list({ ...options, workspaceId }),
      download: (options) => files.download({ ...options, workspaceId }),
      upload: (options) => files.upload({ ...options, workspaceId }),
      write: (options) => files.write({ ...options, workspaceId }),
      delete: (options) => files.delete({ ...options, workspaceId }),
    };
  }
  const place = { workspaceId, workingCopyId };
  return {
    list: (options) => copyFiles.list({ ...options, ...place }),
    download: (options) => copyFiles.download({ ...options, ...place }),
    upload: (options) => copyFiles.upload({ ...options, ...place }),
    write: (options) => copyFiles.write({ ...options, ...place }),
    delete: (options) => copyFiles.delete({ ...options, ...place }),
  };
}

async function bytesOf(contents: Contents): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of contents.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Opens a file; a failure on its way is reported by the file's name, while it is opened and while it is read. */
async function opened(
  path: string,
  open: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<AsyncIterable<Uint8Array>> {
  const body = await open().catch((cause: unknown) => failFetch(path, cause));
  async function* read() {
    try {
      yield* body;
    } catch (cause) {
      failFetch(path, cause);
    }
  }
  return read();
}

function failFetch(path: string, cause: unknown): never {
  if (cause instanceof ApiError && cause.code === "contents_lost") {
    const why = `The service has lost its contents (request ${cause.requestId})`;
    throw new CommandError(
      `"${path}" cannot be fetched. ${why}: push the file again from a folder that has it, or tell the service's operator.`,
      { cause },
    );
  }
  if (!(cause instanceof ConnectionError)) throw cause;
  throw new CommandError(
    `"${path}" could not be fetched. ${cause.message} Execute the command again: what has arrived stays.`,
    { cause },
  );
}

/** A file that has changed in the copy since it was listed is not overwritten. */
async function unlessMoved(path: string, send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.status !== 412) throw cause;
    throw new CommandError(
      `"${path}" has changed in the copy while the command was at work. Pull, and push again.`,
      {
        cause,
      },
    );
  }
}
