// Files of a workspace's canonical copy, of its working copies and of its revisions, and their routes. Pure.

import * as z from "zod/mini";
import { field, object, strictObject } from "../../field.ts";
import { flag, hasNoNul, isWellFormed, text, wholeNumber } from "../../fields.ts";
import { listOf, pageQuery } from "../record.ts";

/** As many bytes; a character has one at least. */
export const MAX_PATH_CHARS = 4_096;
/** Of one upload. */
export const MAX_UPLOAD_FILES = 256;

const LINK_MODE = "120000";
/** A plain file, a program, a symbolic link. */
const writableModes = ["100644", "100755", LINK_MODE] as const;

const modeText = "As git writes it: `100644` a file, `100755` a program, `120000` a symbolic link.";
const placed = {
  path: field(z.string(), "Its path from the root; empty for the root."),
  name: field(z.string(), "The last part of its path."),
};
const contents = {
  mode: field(z.string(), `${modeText} \`160000\` a submodule.`),
  oid: field(
    z.string(),
    "The id of its contents, as git computes it; of a folder its tree's, null where something was written in it.",
  ),
};
const sized = {
  size: field(z.int(), "In bytes. Of a symbolic link: of its target's path."),
  etag: field(
    z.string(),
    "Says what the file holds: the same contents have the same ETag in every copy and revision.",
  ),
};

const type = <Name extends string>(name: Name) => field(z.literal(name), "What it is.");

/** A union on `type`. */
export const fileEntrySchema = z.discriminatedUnion("type", [
  object({ type: type("file"), ...placed, ...contents, ...sized }),
  object({
    type: type("symlink"),
    ...placed,
    ...contents,
    ...sized,
    target: field(
      z.nullable(z.string()),
      "Where the symbolic link leads, as it is stored. The service follows none. Null where its contents are no path.",
    ),
  }),
  object({ type: type("submodule"), ...placed, ...contents }),
  object({
    type: type("folder"),
    ...placed,
    oid: field(
      z.nullable(z.string()),
      "The id of its contents, as git computes it; of a folder its tree's, null where something was written in it.",
    ),
  }),
]);
/** A file, a symbolic link, a submodule or a folder of a copy. A union on `type`; sizes in bytes. */
export type FileEntryView = z.infer<typeof fileEntrySchema>;

export const fileListSchema = listOf(fileEntrySchema, "The entries.");

const readText = {
  path: field(z.string(), "The file's path."),
  content: field(z.string(), "The text."),
  encoding: field(z.literal("utf-8"), "Always `utf-8`."),
  mode: field(z.string(), "As git writes it: `100644` a file, `100755` a program, `120000` a symbolic link."),
  oid: field(z.string(), "The id of its contents, as git computes it."),
  ...sized,
  size: field(z.int(), "Of the whole file, in bytes."),
  target: field(
    z.optional(z.nullable(z.string())),
    "Where it leads, of a symbolic link alone. `content` is the same.",
  ),
};

export const fileTextSchema = object(readText);
export const fileWindowSchema = object({
  ...readText,
  offset: field(z.int(), "Where the window begins, in bytes."),
  next_offset: field(z.nullable(z.int()), "Where the next window begins; null at the end."),
});

const path = z.string().check(z.minLength(1), z.maxLength(MAX_PATH_CHARS), hasNoNul, isWellFormed);
const folder = z._default(z.string().check(z.maxLength(MAX_PATH_CHARS), hasNoNul, isWellFormed), "");

export const listFilesQuerySchema = strictObject({
  path: field(folder, "A folder. Left out: the root."),
  recursive: field(flag(), "Whether the files in all folders below are listed."),
  ...pageQuery,
});
export const statFileQuerySchema = strictObject({
  path: field(folder, "A file or a folder. Left out: the root."),
});
/** A whole file: with `offset` or `limit` it is refused. */
export const wholeFileQuerySchema = strictObject({
  path: field(path, "The file's path: relative, with `/` between its parts."),
});
export const readFileQuerySchema = strictObject({
  path: field(path, "The file's path: relative, with `/` between its parts."),
  offset: field(
    wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }),
    "Where the window begins, in bytes.",
  ),
  limit: field(
    wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }),
    "Bytes at most. 0: as many as one read returns at most.",
  ),
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
  path: field(path, "The file's path."),
  content: field(
    z.optional(z.string()),
    "The whole content. Exactly one of `content` and `target` is needed.",
  ),
  encoding: field(z.optional(z.enum(["utf-8", "base64"])), "How `content` is to be read. Left out: `utf-8`."),
  mode: field(
    z.optional(z.enum(writableModes)),
    `${modeText} Left out: as it was; a new file is \`100644\`. A symbolic link's content is the path that it leads to, in the same tree.`,
  ),
  target: field(
    z.optional(path),
    "Makes a symbolic link that leads there: a relative path in the same tree, from the link's folder. Nothing has to be there.",
  ),
}).check(isFileOrLink);
export type WriteFileRequest = z.infer<typeof writeFileRequestSchema>;

const existingFiles = ["refuse", "replace"] as const;
export const uploadQuerySchema = strictObject({
  path: field(
    folder,
    "The file's path, or with several files the folder that they go to. Left out: the root.",
  ),
  existing: field(
    z._default(z.enum(existingFiles), "refuse"),
    "Whether files that are there already are replaced, or refuse the upload with 412.",
  ),
  mode: field(
    z.optional(z.enum(writableModes)),
    "`100755`: they are programs. `120000`: symbolic links, whose bytes are the paths that they lead to, in the same tree. Left out: as the files that they replace, and plain files where they are new.",
  ),
});
export const uploadedFilesSchema = object({
  items: field(z.array(fileEntrySchema), "The files as they are now."),
});

export const deleteFileRequestSchema = strictObject({ path: field(path, "Its path.") });
export const trashSchema = object({
  trash: field(
    z.array(
      object({
        path: field(z.string(), "Where it was."),
        handle: field(z.string(), "What restoring takes as its `path`."),
        files: field(z.int(), "How many files it is."),
      }),
    ),
    "What restores it.",
  ),
});

export const restoreFileRequestSchema = strictObject({
  path: field(text(200), "The handle that deleting returned."),
});
export const restoredSchema = object({
  path: field(z.string(), "Where it is again."),
  files: field(z.int(), "How many files it is."),
});

/** No path: it is the whole trash. */
export const emptyTrashRequestSchema = strictObject({});
export const emptiedTrashSchema = object({ purged: field(z.int(), "How many items there were.") });

export const downloadUrlRequestSchema = strictObject({ path: field(path, "The file's path.") });
export const downloadUrlSchema = object({
  url: field(z.string(), "The address."),
  expires_at: field(z.iso.datetime(), "Until when."),
  etag: field(z.string(), "The ETag of the file: once the file has another, the address has ended."),
});
