// Files of a workspace's canonical copy, of its working copies and of its revisions, and their routes. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { flag, hasNoNul, isWellFormed, text, wholeNumber } from "../../fields.ts";
import { listOf, pageQuery } from "../record.ts";

/** As many bytes; a character has one at least. */
export const MAX_PATH_CHARS = 4_096;
/** Of one upload. */
export const MAX_UPLOAD_FILES = 256;

const LINK_MODE = "120000";
/** A plain file, a program, a symbolic link. */
export const writableModes = ["100644", "100755", LINK_MODE] as const;

const placed = { path: z.string(), name: z.string() };
const contents = { mode: z.string(), oid: z.string() };
const sized = { size: z.int(), etag: z.string() };

/** A union on `type`. */
export const fileEntrySchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("file"), ...placed, ...contents, ...sized }),
  z.object({
    ...{ type: z.literal("symlink"), ...placed, ...contents, ...sized },
    target: z.nullable(z.string()),
  }),
  z.object({ type: z.literal("submodule"), ...placed, ...contents }),
  z.object({ type: z.literal("folder"), ...placed, oid: z.nullable(z.string()) }),
]);
export type FileEntryView = z.infer<typeof fileEntrySchema>;

export const fileListSchema = listOf(fileEntrySchema);

const readText = {
  path: z.string(),
  content: z.string(),
  encoding: z.literal("utf-8"),
  mode: z.string(),
  oid: z.string(),
  ...sized,
  target: z.optional(z.nullable(z.string())),
};

export const fileTextSchema = z.object(readText);
export const fileWindowSchema = z.object({
  ...readText,
  offset: z.int(),
  next_offset: z.nullable(z.int()),
});

const path = z.string().check(z.minLength(1), z.maxLength(MAX_PATH_CHARS), hasNoNul, isWellFormed);
const folder = z._default(z.string().check(z.maxLength(MAX_PATH_CHARS), hasNoNul, isWellFormed), "");

export const listFilesQuerySchema = strictObject({ path: folder, recursive: flag(), ...pageQuery });
export const statFileQuerySchema = strictObject({ path: folder });
/** A whole file: with `offset` or `limit` it is refused. */
export const wholeFileQuerySchema = strictObject({ path });
export const readFileQuerySchema = strictObject({
  path,
  offset: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }),
  limit: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }),
});

const isFileOrLink = z.refine<{
  content?: string | undefined;
  target?: string | undefined;
  encoding?: string | undefined;
  mode?: string | undefined;
}>(
  ({ content, target, encoding, mode }) =>
    target === undefined
      ? content !== undefined
      : content === undefined && encoding === undefined && (mode ?? LINK_MODE) === LINK_MODE,
  'exactly one of "content" and "target" is required; "target" makes a symbolic link, and has no "encoding" and no other "mode" than "120000"',
);

/** Exactly one of `content` and `target` is needed. */
export const writeFileRequestSchema = strictObject({
  path,
  content: z.optional(z.string()),
  encoding: z.optional(z.enum(["utf-8", "base64"])),
  mode: z.optional(z.enum(writableModes)),
  target: z.optional(path),
}).check(isFileOrLink);
export type WriteFileRequest = z.infer<typeof writeFileRequestSchema>;

export const existingFiles = ["refuse", "replace"] as const;
export const uploadQuerySchema = strictObject({
  path: folder,
  existing: z._default(z.enum(existingFiles), "refuse"),
  mode: z.optional(z.enum(writableModes)),
});
export const uploadedFilesSchema = z.object({ items: z.array(fileEntrySchema) });

export const deleteFileRequestSchema = strictObject({ path });
export const trashSchema = z.object({
  trash: z.array(z.object({ path: z.string(), handle: z.string(), files: z.int() })),
});

export const restoreFileRequestSchema = strictObject({ path: text(200) });
export const restoredSchema = z.object({ path: z.string(), files: z.int() });

/** No path: it is the whole trash. */
export const emptyTrashRequestSchema = strictObject({});
export const emptiedTrashSchema = z.object({ purged: z.int() });

export const downloadUrlRequestSchema = strictObject({ path });
export const downloadUrlSchema = z.object({
  url: z.string(),
  expires_at: z.iso.datetime(),
  etag: z.string(),
});
