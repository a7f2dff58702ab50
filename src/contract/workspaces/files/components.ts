// What the fields of files mean. Pure.

import { type Components, component } from "../../component.ts";
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
  restoredSchema,
  restoreFileRequestSchema,
  trashSchema,
  uploadedFilesSchema,
  writeFileRequestSchema,
} from "./files.ts";

const mode = "As git writes it: `100644` a file, `100755` a program, `120000` a symbolic link.";
const oid = "The id of its contents, as git computes it.";
const etag = "Says what the file holds: the same contents have the same ETag in every copy and revision.";
const text = {
  path: "The file's path.",
  content: "The text.",
  encoding: "Always `utf-8`.",
  mode,
  oid,
  size: "Of the whole file, in bytes.",
  etag,
  target: "Where it leads, of a symbolic link alone. `content` is the same.",
};

export const fileComponents: Components = {
  FileEntry: component(
    fileEntrySchema,
    "A file, a symbolic link, a submodule or a folder. A union on `type`.",
    {
      type: "What it is.",
      path: "Its path from the root; empty for the root.",
      name: "The last part of its path.",
      mode: `${mode} \`160000\` a submodule.`,
      oid: "The id of its contents, as git computes it; of a folder its tree's, null where something was written in it.",
      size: "In bytes. Of a symbolic link: of its target's path.",
      etag,
      target:
        "Where the symbolic link leads, as it is stored. The service follows none. Null where its contents are no path.",
    },
  ),
  FileList: component(fileListSchema, "A page of a folder.", {
    items: "The entries.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
  FileText: component(fileTextSchema, "A whole text file.", text),
  FileWindow: component(fileWindowSchema, "A window of a text file.", {
    ...text,
    offset: "Where the window begins, in bytes.",
    next_offset: "Where the next window begins; null at the end.",
  }),
  WriteFileRequest: component(writeFileRequestSchema, "A file to write, or a symbolic link.", {
    path: "The file's path.",
    content: "The whole content. Exactly one of `content` and `target` is needed.",
    encoding: "How `content` is to be read. Left out: `utf-8`.",
    mode: `${mode} Left out: as it was; a new file is \`100644\`. A symbolic link's content is the path that it leads to, in the same tree.`,
    target:
      "Makes a symbolic link that leads there: a relative path in the same tree, from the link's folder. Nothing has to be there.",
  }),
  UploadedFiles: component(uploadedFilesSchema, "What was uploaded.", {
    items: "The files as they are now.",
  }),
  DeleteFileRequest: component(deleteFileRequestSchema, "A file or a folder to delete.", {
    path: "Its path.",
  }),
  Trash: component(trashSchema, "What a deletion put into the trash.", {
    trash: [
      "What restores it.",
      {
        path: "Where it was.",
        handle: "What restoring takes as its `path`.",
        files: "How many files it is.",
      },
    ],
  }),
  RestoreFileRequest: component(restoreFileRequestSchema, "What to restore.", {
    path: "The handle that deleting returned.",
  }),
  Restored: component(restoredSchema, "What was restored.", {
    path: "Where it is again.",
    files: "How many files it is.",
  }),
  EmptyTrashRequest: component(emptyTrashRequestSchema, "Nothing: the whole trash is emptied.", {}),
  EmptiedTrash: component(emptiedTrashSchema, "The trash is empty.", {
    purged: "How many items there were.",
  }),
  DownloadUrlRequest: component(downloadUrlRequestSchema, "A file to download.", {
    path: "The file's path.",
  }),
  DownloadUrl: component(downloadUrlSchema, "An address from which anybody reads one file.", {
    url: "The address.",
    expires_at: "Until when.",
    etag: "The ETag of the file: once the file has another, the address has ended.",
  }),
};
