// Refusals of a request for files, and their problems. Pure.

import { byteLength } from "../../../../base/bounded-text.ts";
import { singleLine } from "../../../../base/untrusted-text.ts";
import type { ClassRefusal } from "../../accounts/refusals.ts";
import { invalidRequest, notFound, type ProblemTable, type RefusalOf } from "../../ports/problem.ts";
import type { ContentTooLargeRefusal } from "../objects/keep-objects.ts";
import type { PathCollision } from "../paths/portable-path.ts";
import type { PathRefusal, PathRule } from "../paths/workspace-path.ts";
import type {
  CopyHeldRefusal,
  CopyRefusal,
  FilesClosedRefusal,
  WorkRefusal,
  WorkspaceRefusal,
} from "../refusals.ts";
import type { RevisionRefusal } from "../revisions/refusals.ts";
import type { PathClash } from "../trees/apply-changes.ts";

export type ReadFilesRefusal =
  | WorkspaceRefusal
  | FilesClosedRefusal
  | CopyRefusal
  | RevisionRefusal
  | PathRefusal
  | FileRefusal;
export type WriteFilesRefusal =
  | ReadFilesRefusal
  | WorkRefusal
  | CopyHeldRefusal
  | ClassRefusal
  | PathClash
  | PathCollision
  | ContentTooLargeRefusal;

const MAX_SHOWN_CHARS = 200;

const OTHER_NAME = " Use another name. WORKSPACE_PATHS of this service says so.";

const RESERVED = '< > : " | ? * or \\';

export const fileProblems = {
  path_invalid: ({ rule, path, segment }: PathRefusal) => ({
    status: 400,
    code: "path_invalid",
    message: `Path ${shown(path)} is refused: ${ruleText(rule, path, segment)}.${isOfPortable(rule) ? OTHER_NAME : ""}`,
    fields: { paths: [path] },
  }),
  path_clash: ({ file, below }: PathClash) => ({
    status: 409,
    code: "path_taken",
    message: `${shown(file)} can not be a file with ${shown(below)} below it. Use another path, or delete one of them first.`,
    fields: { paths: [file, below] },
  }),
  path_collision: ({ path, other }: PathCollision) => ({
    status: 409,
    code: "path_taken",
    message: `${shown(path)} and ${shown(other)} are one file on Windows and macOS, which ignore case. Use another name, or rename or delete the other one first.`,
    fields: { paths: [path, other] },
  }),
  path_taken: ({ path }: { path: string }) => ({
    status: 409,
    code: "path_taken",
    message: `There is something at ${shown(path)}. Delete it first, or leave the trash as it is.`,
    fields: { paths: [path] },
  }),
  paths_repeated: ({ path }: { path: string }) =>
    invalidRequest(`The upload has two files of the path ${shown(path)}.`),
  files_contended: ({ path }: { path: string }) => ({
    status: 409,
    code: "path_taken",
    message: `Others kept changing ${shown(path)}. Nothing was written. Try again.`,
    retryAfterSeconds: 1,
    fields: { paths: [path] },
  }),
  file_not_found: ({ path }: { path: string }) => notFound(`There is no file or folder ${shown(path)}.`),
  folder_not_found: ({ path }: { path: string }) => notFound(`There is no folder ${shown(path)}.`),
  path_is_folder: ({ path }: { path: string }) => notFound(`${shown(path)} is a folder, and no file.`),
  file_is_submodule: ({ path }: { path: string }) =>
    notFound(`${shown(path)} is a submodule: its files are in another repository.`),
  etag_mismatch: ({ current }: { path: string; current: string | null }) => ({
    status: 412,
    code: "precondition_failed",
    message: "etag mismatch",
    ...(current === null ? {} : { headers: { ETag: `"${current}"` }, fields: { current_etag: current } }),
  }),
  file_too_large: ({ path, size, cap }: { path: string; size: number; cap: number }) => ({
    status: 413,
    code: "file_too_large",
    message: `${shown(path)} has ${size} bytes, and text in one piece may have ${cap}. Download or upload it.`,
    fields: { cap_bytes: cap },
  }),
  upload_file_too_large: ({ capBytes }: ContentTooLargeRefusal) => ({
    status: 413,
    code: "file_too_large",
    message: `A file may have ${capBytes} bytes at most: WORKSPACE_MAX_FILE_MB of this service says so.`,
    fields: { cap_bytes: capBytes },
  }),
  not_text: ({ path }: { path: string }) => ({
    status: 415,
    code: "not_text",
    message: `${shown(path)} is not text in UTF-8. Download it.`,
  }),
  offset_beyond_end: ({ offset, size }: { offset: number; size: number }) => ({
    status: 416,
    code: "range_not_satisfiable",
    message: `"offset" is ${offset}, and the file has ${size} bytes.`,
    headers: { "Content-Range": `bytes */${size}` },
  }),
  content_not_base64: () => ({
    ...invalidRequest('"content" must be base64 with padding where "encoding" says so.'),
    fields: { fields: [{ field: "content", allowed: "must be base64 with padding" }] },
  }),
  link_target_invalid: ({ path, target }: { path: string; target: string | null }) =>
    invalidRequest(
      `The symbolic link ${shown(path)} must lead to a relative path in the same tree, got ${target === null ? "contents that are no path" : shown(target)}.`,
    ),
  trash_not_found: ({ handle }: { handle: string }) =>
    notFound(
      `The trash of the copy has no ${shown(handle)}. "path" is a handle that deleting in the same copy returned.`,
    ),
  list_cursor_malformed: ({ cursor }: { cursor: string }) =>
    invalidRequest(
      `"cursor" must be the "next_cursor" of a page of the same list, got ${shown(cursor.slice(0, 100))}.`,
    ),
  download_link_unknown: () => notFound("The address is not known, or has ended. Ask for another one."),
  download_link_changed: ({ path }: { path: string }) =>
    notFound(`${shown(path)} was changed or deleted after the address was made. Ask for another one.`),
} satisfies ProblemTable;

type FileRefusal = RefusalOf<
  typeof fileProblems,
  | "file_not_found"
  | "folder_not_found"
  | "path_is_folder"
  | "file_is_submodule"
  | "etag_mismatch"
  | "file_too_large"
  | "not_text"
  | "offset_beyond_end"
  | "content_not_base64"
  | "link_target_invalid"
  | "trash_not_found"
  | "path_taken"
  | "paths_repeated"
  | "files_contended"
  | "list_cursor_malformed"
  | "download_link_unknown"
  | "download_link_changed"
>;

function isOfPortable(rule: PathRule): boolean {
  return rule === "reserved_character" || rule === "dot_or_space_at_end" || rule === "device_name";
}

function ruleText(rule: PathRule, path: string, segment: string): string {
  switch (rule) {
    case "empty":
      return "it is empty";
    case "not_unicode":
      return "it holds half of a surrogate pair";
    case "too_long":
      return `it has ${byteLength(path)} bytes, 4096 are allowed`;
    case "nul":
      return "it holds a NUL";
    case "absolute":
      return 'it must be relative, without "/" at its start';
    case "empty_segment":
      return 'it has two "/" in a row, or ends in one';
    case "dot_segment":
      return `"${segment}" may not be a part of it`;
    case "segment_too_long":
      return `a part of it has ${byteLength(segment)} bytes, 255 are allowed`;
    case "git_folder":
      return `${shown(segment)} is, on some system, the name of git's own folder`;
    case "submodules_link":
      return `${shown(segment)} may not be a symbolic link`;
    case "reserved_character":
      return `Windows takes no ${RESERVED} and no control character in a name, ${shown(segment)} has one`;
    case "dot_or_space_at_end":
      return `Windows takes no name with "." or a space at its end, as ${shown(segment)} has it`;
    case "device_name":
      return `${shown(segment)} is the name of a device on Windows`;
  }
}

/** In JSON quotes, with what is hidden shown. */
function shown(path: string): string {
  return JSON.stringify(singleLine(path.toWellFormed(), MAX_SHOWN_CHARS));
}
