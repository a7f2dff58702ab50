// Files of a workspace: the routes of the canonical copy and of working copies, and edits of a text file that overwrite
// nobody's.

import * as endpoints from "../contract/endpoints.ts";
import type { WorkspaceNounRoutes } from "../contract/workspaces/routes.ts";
import { type EditableFiles, type EditedFile, type EditOptions, editFile } from "./edit-file.ts";
import { type NounClient, nounClient } from "./noun-client.ts";
import type { ApiConnection } from "./request.ts";

type WorkspaceParams = { readonly workspaceId: string };
type CopyParams = WorkspaceParams & { readonly workingCopyId: string };

type Editor<Where> = {
  /**
   * Reads a text file, edits it and writes it where nobody else has changed it since. Rejects with an EditConflictError, which
   * carries both contents and the edit, where somebody has.
   */
  readonly edit: (options: Where & EditOptions) => Promise<EditedFile>;
};

/** Files of a workspace's canonical copy. */
export type FileClient = NounClient<WorkspaceNounRoutes["files"]> & Editor<WorkspaceParams>;
/** Files of a working copy. */
export type CopyFileClient = NounClient<WorkspaceNounRoutes["copyFiles"]> & Editor<CopyParams>;

/** Makes the methods of `client.files`. */
export function fileClient(connection: ApiConnection): FileClient {
  const files = nounClient<WorkspaceNounRoutes["files"]>(connection, endpoints.files);
  return {
    ...files,
    edit: async ({ workspaceId, path, edit, signal }) => {
      const place = { workspaceId, signal };
      return await editFile(editableOf(files, place), { path, edit });
    },
  };
}

/** Makes the methods of `client.copyFiles`. */
export function copyFileClient(connection: ApiConnection): CopyFileClient {
  const files = nounClient<WorkspaceNounRoutes["copyFiles"]>(connection, endpoints.copyFiles);
  return {
    ...files,
    edit: async ({ workspaceId, workingCopyId, path, edit, signal }) => {
      const place = { workspaceId, workingCopyId, signal };
      return await editFile(editableOf(files, place), { path, edit });
    },
  };
}

/** Both clients have the same methods, but for where the files are. */
function editableOf<Where extends WorkspaceParams & { readonly signal: AbortSignal | undefined }>(
  files: {
    read(options: Where & { query: { path: string; offset: number } }): ReturnType<FileClient["read"]>;
    write(
      options: Where & { body: { path: string; content: string }; ifMatch: string },
    ): ReturnType<FileClient["write"]>;
  },
  place: Where,
): EditableFiles {
  return {
    read: async (query) => await files.read({ ...place, query }),
    write: async ({ etag, ...body }) => await files.write({ ...place, body, ifMatch: etag }),
  };
}
