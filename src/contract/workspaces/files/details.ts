// What the routes of files take and give, once for the canonical copy, working copies and revisions. Pure.

import { byteBody, jsonBody, optionalJsonBody, query } from "../../route.ts";
import {
  deleteFileRequestSchema,
  downloadUrlRequestSchema,
  emptyTrashRequestSchema,
  listFilesQuerySchema,
  MAX_UPLOAD_FILES,
  readFileQuerySchema,
  restoreFileRequestSchema,
  statFileQuerySchema,
  uploadQuerySchema,
  wholeFileQuerySchema,
  writeFileRequestSchema,
} from "./files.ts";

const MAX_BODY_BYTES = 64 * 1024;
/** The largest editor's cap that an operator can set, and room for escapes. */
const MAX_WRITE_BYTES = 160 * 1024 * 1024;
/** As large as an operator can let one file be. */
const MAX_UPLOAD_BYTES = 100_000_000_000;

const read = ["workspaces:read"] as const;
const write = ["workspaces:write"] as const;
const tagged = (description: string) => ({ description, headers: ["ETag"] }) as const;
const wholePath = "The file's path: relative, with `/` between its parts.";

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

export const listDetail = {
  description:
    "Entries are in the byte order of their paths, a folder's counted with `/` at its end. With `recursive` the files in all folders below, without folders.",
  scopes: read,
  query: query(listFilesQuerySchema, {
    path: "A folder. Left out: the root.",
    recursive: "Whether the files in all folders below are listed.",
    cursor: "The `next_cursor` of the page before. Left out or empty: from the start.",
    limit: "Items at most.",
  }),
  answers: { 200: "A page of entries." },
} as const;

export const statDetail = {
  scopes: read,
  query: query(statFileQuerySchema, { path: "A file or a folder. Left out: the root." }),
  answers: { 200: tagged("What is there. A file has an ETag.") },
} as const;

export const windowDetail = {
  description:
    "`offset` and `limit` are bytes. A window is cut between characters: it begins at the first one at or behind `offset`, and `next_offset` says where the next window begins; null at the end. `limit=0` is the largest window.",
  scopes: read,
  query: query(readFileQuerySchema, {
    path: wholePath,
    offset: "Where the window begins, in bytes.",
    limit: "Bytes at most. 0: as many as one read returns at most.",
  }),
  answers: { 200: tagged("The text, and its file's ETag.") },
  refusals: [415, 416],
} as const;

export const wholeTextDetail = {
  description: "The whole file: `offset` and `limit` are refused, and so is a file above the editor's cap.",
  scopes: read,
  query: query(wholeFileQuerySchema, { path: wholePath }),
  answers: { 200: tagged("The text, and its file's ETag.") },
  refusals: [413, 415],
} as const;

export const downloadDetail = {
  description: "The whole file, or one range of it by the header Range: `offset` and `limit` are refused.",
  scopes: read,
  query: query(wholeFileQuerySchema, { path: wholePath }),
  answers: { 200: downloaded },
  headers: ["Range"],
} as const;

export const writeDetail = {
  description:
    "With If-Match, the ETag that was read, the file is replaced when it still holds that; without, it is made, and may not be there. Else 412 says the ETag that holds. Folders above it are made. A larger file is uploaded.",
  scopes: write,
  body: jsonBody(writeFileRequestSchema, MAX_WRITE_BYTES),
  answers: { 200: tagged("The file as it is now."), 201: tagged("The file, which is new.") },
  headers: ["If-Match"],
  refusals: [409, 412],
} as const;

export const uploadDetail = {
  description: `One file as \`application/octet-stream\`, whose path is \`path\`; or up to ${MAX_UPLOAD_FILES} as \`multipart/form-data\`, each a part with a \`filename\`, which is its path in the folder \`path\`. All of them are written, or none. Files may be larger than those that are written as text.`,
  scopes: write,
  query: query(uploadQuerySchema, {
    path: "The file's path, or with several files the folder that they go to. Left out: the root.",
    existing: "Whether files that are there already are replaced, or refuse the upload with 412.",
    mode: "`100755`: they are programs. `120000`: symbolic links, whose bytes are the paths that they lead to, in the same tree. Left out: as the files that they replace, and plain files where they are new.",
  }),
  body: byteBody(MAX_UPLOAD_BYTES, ["multipart/form-data", "application/octet-stream"]),
  answers: { 200: "The files as they are now.", 201: "The files, all of which are new." },
  headers: ["If-Match"],
  refusals: [409, 412],
} as const;

export const deleteDetail = {
  description: "A file or a folder goes into the copy's trash, from which its handle restores it.",
  scopes: write,
  body: jsonBody(deleteFileRequestSchema, MAX_BODY_BYTES),
  answers: { 200: "What is in the trash now." },
  headers: ["If-Match"],
  refusals: [409],
} as const;

export const restoreDetail = {
  description: "`path` is the handle that deleting returned. Nothing may be at its place.",
  scopes: write,
  body: jsonBody(restoreFileRequestSchema, MAX_BODY_BYTES),
  answers: { 200: "What was restored." },
  refusals: [409],
} as const;

export const emptyTrashDetail = {
  description: "The whole trash of the copy: a path is refused.",
  scopes: write,
  body: optionalJsonBody(emptyTrashRequestSchema, MAX_BODY_BYTES),
  answers: { 200: "How many items there were." },
  refusals: [409],
} as const;

export const downloadUrlDetail = {
  description:
    "Whoever has the address reads the file, for five minutes, as long as the file stays as it is.",
  scopes: read,
  body: jsonBody(downloadUrlRequestSchema, MAX_BODY_BYTES),
  answers: { 200: "The address." },
} as const;

export const linkedDetail = {
  summary: "Download a file by an address that was made for it",
  answers: { 200: downloaded },
  refusals: [403],
  headers: ["Range"],
  cacheControl: "no-store",
} as const;
