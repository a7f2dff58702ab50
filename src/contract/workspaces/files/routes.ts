// The routes of files: the same ten under the canonical copy and under each working copy, four under a revision; and their
// schemas by the names that the document gives them. Pure.

import { type Components, component } from "../../component.ts";
import {
  accounts,
  byteBody,
  defineRoute,
  everybody,
  jsonBody,
  nounRoutes,
  optionalJsonBody,
  owners,
  query,
} from "../../route.ts";
import {
  deleteFileRequestSchema,
  downloadUrlRequestSchema,
  downloadUrlSchema,
  emptiedTrashSchema,
  emptyTrashRequestSchema,
  fileEntrySchema,
  fileListSchema,
  fileTextSchema,
  fileWindowSchema,
  listFilesQuerySchema,
  MAX_UPLOAD_FILES,
  readFileQuerySchema,
  restoredSchema,
  restoreFileRequestSchema,
  statFileQuerySchema,
  trashSchema,
  uploadedFilesSchema,
  uploadQuerySchema,
  wholeFileQuerySchema,
  writeFileRequestSchema,
} from "./files.ts";

export const fileComponents: Components = {
  FileEntry: component(
    fileEntrySchema,
    "A file, a symbolic link, a submodule or a folder. A union on `type`.",
  ),
  FileList: component(fileListSchema, "A page of a folder."),
  FileText: component(fileTextSchema, "A whole text file."),
  FileWindow: component(fileWindowSchema, "A window of a text file."),
  WriteFileRequest: component(writeFileRequestSchema, "A file to write, or a symbolic link."),
  UploadedFiles: component(uploadedFilesSchema, "What was uploaded."),
  DeleteFileRequest: component(deleteFileRequestSchema, "A file or a folder to delete."),
  Trash: component(trashSchema, "What a deletion put into the trash."),
  RestoreFileRequest: component(restoreFileRequestSchema, "What to restore."),
  Restored: component(restoredSchema, "What was restored."),
  EmptyTrashRequest: component(emptyTrashRequestSchema, "Nothing: the whole trash is emptied."),
  EmptiedTrash: component(emptiedTrashSchema, "The trash is empty."),
  DownloadUrlRequest: component(downloadUrlRequestSchema, "A file to download."),
  DownloadUrl: component(downloadUrlSchema, "An address from which anybody reads one file."),
};

const MAX_BODY_BYTES = 64 * 1024;
/** The largest editor's cap that an operator can set, and room for escapes. */
const MAX_WRITE_BYTES = 160 * 1024 * 1024;
/** As large as an operator can let one file be. */
const MAX_UPLOAD_BYTES = 100_000_000_000;

const read = ["workspaces:read"] as const;
const write = ["workspaces:write"] as const;
const tagged = (description: string) => ({ description, headers: ["ETag"] }) as const;

/** Sent with every download: a file of a workspace is nothing that a browser shows on the service's origin. */
const downloaded = {
  description: "The bytes, as an attachment.",
  headers: [
    "ETag",
    "Content-Length",
    "Accept-Ranges",
    "Content-Disposition",
    "X-Content-Type-Options",
    "Content-Security-Policy",
  ],
} as const;

const listDetail = {
  callers: accounts,
  role: "viewer",
  repeat: "safe",
  answer: fileListSchema,
  description:
    "Entries are in the byte order of their paths, a folder's counted with `/` at its end. With `recursive` the files in all folders below, without folders.",
  scopes: read,
  query: query(listFilesQuerySchema),
  answers: { 200: "A page of entries." },
} as const;

const statDetail = {
  callers: accounts,
  role: "viewer",
  repeat: "safe",
  answer: fileEntrySchema,
  scopes: read,
  query: query(statFileQuerySchema),
  answers: { 200: tagged("What is there. A file has an ETag.") },
} as const;

const windowDetail = {
  callers: accounts,
  role: "viewer",
  repeat: "safe",
  answer: fileWindowSchema,
  description:
    "`offset` and `limit` are bytes. A window is cut between characters: it begins at the first one at or behind `offset`, and `next_offset` says where the next window begins; null at the end. `limit=0` is the largest window.",
  scopes: read,
  query: query(readFileQuerySchema),
  answers: { 200: tagged("The text, and its file's ETag.") },
  refusals: [415, 416],
} as const;

const wholeTextDetail = {
  callers: accounts,
  role: "viewer",
  repeat: "safe",
  answer: fileTextSchema,
  description: "The whole file: `offset` and `limit` are refused, and so is a file above the editor's cap.",
  scopes: read,
  query: query(wholeFileQuerySchema),
  answers: { 200: tagged("The text, and its file's ETag.") },
  refusals: [413, 415],
} as const;

const downloadDetail = {
  callers: accounts,
  role: "viewer",
  repeat: "safe",
  answer: "bytes",
  description: "The whole file, or one range of it by the header Range: `offset` and `limit` are refused.",
  scopes: read,
  query: query(wholeFileQuerySchema),
  answers: { 200: downloaded },
  headers: ["Range"],
} as const;

const writeDetail = {
  // Repeated after its answer was lost, a write finds another ETag: its own.
  repeat: "once",
  answer: fileEntrySchema,
  description:
    "With If-Match, the ETag that was read, the file is replaced when it still holds that; without, it is made, and may not be there. Else 412 says the ETag that holds. Folders above it are made. A larger file is uploaded.",
  scopes: write,
  body: jsonBody(writeFileRequestSchema, MAX_WRITE_BYTES),
  answers: { 200: tagged("The file as it is now."), 201: tagged("The file, which is new.") },
  headers: ["If-Match"],
  refusals: [409, 412],
} as const;

const uploadDetail = {
  repeat: "once",
  answer: uploadedFilesSchema,
  description: `One file as \`application/octet-stream\`, whose path is \`path\`; or up to ${MAX_UPLOAD_FILES} as \`multipart/form-data\`, each a part with a \`filename\`, which is its path in the folder \`path\`. All of them are written, or none. Files may be larger than those that are written as text.`,
  scopes: write,
  query: query(uploadQuerySchema),
  body: byteBody(MAX_UPLOAD_BYTES, ["multipart/form-data", "application/octet-stream"]),
  answers: { 200: "The files as they are now.", 201: "The files, all of which are new." },
  headers: ["If-Match"],
  refusals: [409, 412],
} as const;

const deleteDetail = {
  repeat: "once",
  answer: trashSchema,
  description: "A file or a folder goes into the copy's trash, from which its handle restores it.",
  scopes: write,
  body: jsonBody(deleteFileRequestSchema, MAX_BODY_BYTES),
  answers: { 200: "What is in the trash now." },
  headers: ["If-Match"],
  refusals: [409],
} as const;

const restoreDetail = {
  repeat: "once",
  answer: restoredSchema,
  description: "`path` is the handle that deleting returned. Nothing may be at its place.",
  scopes: write,
  body: jsonBody(restoreFileRequestSchema, MAX_BODY_BYTES),
  answers: { 200: "What was restored." },
  refusals: [409],
} as const;

const emptyTrashDetail = {
  repeat: "once",
  answer: emptiedTrashSchema,
  description: "The whole trash of the copy: a path is refused.",
  scopes: write,
  body: optionalJsonBody(emptyTrashRequestSchema, MAX_BODY_BYTES),
  answers: { 200: "How many items there were." },
  refusals: [409],
} as const;

const downloadUrlDetail = {
  callers: accounts,
  role: "viewer",
  repeat: "safe",
  answer: downloadUrlSchema,
  description:
    "Whoever has the address reads the file, for five minutes, as long as the file stays as it is.",
  scopes: read,
  body: jsonBody(downloadUrlRequestSchema, MAX_BODY_BYTES),
  answers: { 200: "The address." },
} as const;

/** Canonical files are written by the owner alone: others write in a copy, and make a changeset of it. */
export const fileRoutes = nounRoutes("files", "Files of workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/files/list", {
    summary: "List a folder of the canonical copy",
    ...listDetail,
  }),
  stat: defineRoute("GET /v1/workspaces/{workspaceID}/files/stat", {
    summary: "Find out what is at a path of the canonical copy",
    ...statDetail,
  }),
  read: defineRoute("GET /v1/workspaces/{workspaceID}/files/read", {
    summary: "Read a text file of the canonical copy",
    ...windowDetail,
  }),
  download: defineRoute("GET /v1/workspaces/{workspaceID}/files/download", {
    summary: "Download a file of the canonical copy",
    ...downloadDetail,
  }),
  write: defineRoute("PUT /v1/workspaces/{workspaceID}/files/write", {
    callers: owners,
    role: "admin",
    summary: "Write a file of the canonical copy",
    ...writeDetail,
  }),
  upload: defineRoute("POST /v1/workspaces/{workspaceID}/files/upload", {
    callers: owners,
    role: "admin",
    summary: "Upload files to the canonical copy",
    ...uploadDetail,
  }),
  delete: defineRoute("POST /v1/workspaces/{workspaceID}/files/delete", {
    callers: owners,
    role: "admin",
    summary: "Delete a file or a folder of the canonical copy",
    ...deleteDetail,
  }),
  restore: defineRoute("POST /v1/workspaces/{workspaceID}/files/restore", {
    callers: owners,
    role: "admin",
    summary: "Restore from the trash of the canonical copy",
    ...restoreDetail,
  }),
  emptyTrash: defineRoute("POST /v1/workspaces/{workspaceID}/files/empty-trash", {
    callers: owners,
    role: "admin",
    summary: "Empty the trash of the canonical copy",
    ...emptyTrashDetail,
  }),
  downloadUrl: defineRoute("POST /v1/workspaces/{workspaceID}/files/download-url", {
    summary: "Make an address from which a file of the canonical copy is downloaded",
    ...downloadUrlDetail,
  }),
});

export const copyFileRoutes = nounRoutes("copyFiles", "Files of copies and revisions", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/copies/{workingCopyID}/files/list", {
    summary: "List a folder of a working copy",
    ...listDetail,
  }),
  stat: defineRoute("GET /v1/workspaces/{workspaceID}/copies/{workingCopyID}/files/stat", {
    summary: "Find out what is at a path of a working copy",
    ...statDetail,
  }),
  read: defineRoute("GET /v1/workspaces/{workspaceID}/copies/{workingCopyID}/files/read", {
    summary: "Read a text file of a working copy",
    ...windowDetail,
  }),
  download: defineRoute("GET /v1/workspaces/{workspaceID}/copies/{workingCopyID}/files/download", {
    summary: "Download a file of a working copy",
    ...downloadDetail,
  }),
  write: defineRoute("PUT /v1/workspaces/{workspaceID}/copies/{workingCopyID}/files/write", {
    callers: accounts,
    role: "member",
    summary: "Write a file of a working copy",
    ...writeDetail,
  }),
  upload: defineRoute("POST /v1/workspaces/{workspaceID}/copies/{workingCopyID}/files/upload", {
    callers: accounts,
    role: "member",
    summary: "Upload files to a working copy",
    ...uploadDetail,
  }),
  delete: defineRoute("POST /v1/workspaces/{workspaceID}/copies/{workingCopyID}/files/delete", {
    callers: accounts,
    role: "member",
    summary: "Delete a file or a folder of a working copy",
    ...deleteDetail,
  }),
  restore: defineRoute("POST /v1/workspaces/{workspaceID}/copies/{workingCopyID}/files/restore", {
    callers: accounts,
    role: "member",
    summary: "Restore from the trash of a working copy",
    ...restoreDetail,
  }),
  emptyTrash: defineRoute("POST /v1/workspaces/{workspaceID}/copies/{workingCopyID}/files/empty-trash", {
    callers: accounts,
    role: "member",
    summary: "Empty the trash of a working copy",
    ...emptyTrashDetail,
  }),
  downloadUrl: defineRoute("POST /v1/workspaces/{workspaceID}/copies/{workingCopyID}/files/download-url", {
    summary: "Make an address from which a file of a working copy is downloaded",
    ...downloadUrlDetail,
  }),
});

export const revisionFileRoutes = nounRoutes("revisionFiles", "Files of copies and revisions", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/revisions/{revisionID}/files/list", {
    summary: "List a folder of a revision",
    ...listDetail,
  }),
  stat: defineRoute("GET /v1/workspaces/{workspaceID}/revisions/{revisionID}/files/stat", {
    summary: "Find out what is at a path of a revision",
    ...statDetail,
  }),
  read: defineRoute("GET /v1/workspaces/{workspaceID}/revisions/{revisionID}/files/read", {
    summary: "Read a text file of a revision",
    ...wholeTextDetail,
  }),
  download: defineRoute("GET /v1/workspaces/{workspaceID}/revisions/{revisionID}/files/download", {
    summary: "Download a file of a revision",
    ...downloadDetail,
  }),
});

export const downloadRoutes = nounRoutes("downloads", "Files of workspaces", {
  get: defineRoute("GET /v1/downloads/{downloadToken}", {
    callers: everybody,
    repeat: "safe",
    answer: "bytes",
    summary: "Download a file by an address that was made for it",
    answers: { 200: downloaded },
    refusals: [403],
    headers: ["Range"],
    cacheControl: "no-store",
  }),
});
