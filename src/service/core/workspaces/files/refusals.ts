// Why a request for files is refused, and what its caller is told. Pure.

import { byteLength } from "../../../../base/bounded-text.ts";
import { singleLine } from "../../../../base/untrusted-text.ts";
import type { ClassRefusal } from "../../accounts/refusals.ts";
import { invalidRequest, notFound, type ProblemsOf } from "../../ports/problem.ts";
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

export type FileRefusal =
  | { readonly reason: "file_not_found"; readonly path: string }
  | { readonly reason: "folder_not_found"; readonly path: string }
  | { readonly reason: "path_is_folder"; readonly path: string }
  /** A submodule: what it names is in another repository. */
  | { readonly reason: "file_is_submodule"; readonly path: string }
  /** `current` is null where there is no file. */
  | { readonly reason: "etag_mismatch"; readonly path: string; readonly current: string | null }
  | { readonly reason: "file_too_large"; readonly path: string; readonly size: number; readonly cap: number }
  | { readonly reason: "not_text"; readonly path: string }
  | { readonly reason: "offset_beyond_end"; readonly offset: number; readonly size: number }
  | { readonly reason: "content_not_base64" }
  | { readonly reason: "link_target_invalid"; readonly path: string; readonly target: string | null }
  | { readonly reason: "trash_not_found"; readonly handle: string }
  | { readonly reason: "path_taken"; readonly path: string }
  | { readonly reason: "paths_repeated"; readonly path: string }
  | { readonly reason: "files_contended"; readonly path: string }
  | { readonly reason: "list_cursor_malformed"; readonly cursor: string }
  | { readonly reason: "download_link_unknown" }
  | { readonly reason: "download_link_changed"; readonly path: string };

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

export const fileProblems: ProblemsOf<
  FileRefusal | PathRefusal | PathClash | PathCollision | ContentTooLargeRefusal
> = {
  path_invalid: ({ rule, path, segment }) => ({
    status: 400,
    code: "path_invalid",
    message: `Path ${shown(path)} is refused: ${ruleText(rule, path, segment)}.${isOfPortable(rule) ? OTHER_NAME : ""}`,
    fields: { paths: [path] },
  }),
  path_clash: ({ file, below }) => ({
    status: 409,
    code: "path_taken",
    message: `${shown(file)} can not be a file with ${shown(below)} below it. Use another path, or delete one of them first.`,
    fields: { paths: [file, below] },
  }),
  path_collision: ({ path, other }) => ({
    status: 409,
    code: "path_taken",
    message: `${shown(path)} and ${shown(other)} are one file on Windows and macOS, which ignore case. Use another name, or rename or delete the other one first.`,
    fields: { paths: [path, other] },
  }),
  path_taken: ({ path }) => ({
    status: 409,
    code: "path_taken",
    message: `There is something at ${shown(path)}. Delete it first, or leave the trash as it is.`,
    fields: { paths: [path] },
  }),
  paths_repeated: ({ path }) => invalidRequest(`The upload has two files of the path ${shown(path)}.`),
  files_contended: ({ path }) => ({
    status: 409,
    code: "path_taken",
    message: `Others kept changing ${shown(path)}. Nothing was written. Try again.`,
    retryAfterSeconds: 1,
    fields: { paths: [path] },
  }),
  file_not_found: ({ path }) => notFound(`There is no file or folder ${shown(path)}.`),
  folder_not_found: ({ path }) => notFound(`There is no folder ${shown(path)}.`),
  path_is_folder: ({ path }) => notFound(`${shown(path)} is a folder, and no file.`),
  file_is_submodule: ({ path }) =>
    notFound(`${shown(path)} is a submodule: its files are in another repository.`),
  etag_mismatch: ({ current }) => ({
    status: 412,
    code: "precondition_failed",
    message: "etag mismatch",
    ...(current === null ? {} : { headers: { ETag: `"${current}"` }, fields: { current_etag: current } }),
  }),
  file_too_large: ({ path, size, cap }) => ({
    status: 413,
    code: "file_too_large",
    message: `${shown(path)} has ${size} bytes, and text in one piece may have ${cap}. Download or upload it.`,
    fields: { cap_bytes: cap },
  }),
  upload_file_too_large: ({ capBytes }) => ({
    status: 413,
    code: "file_too_large",
    message: `A file may have ${capBytes} bytes at most: WORKSPACE_MAX_FILE_MB of this service says so.`,
    fields: { cap_bytes: capBytes },
  }),
  not_text: ({ path }) => ({
    status: 415,
    code: "not_text",
    message: `${shown(path)} is not text in UTF-8. Download it.`,
  }),
  offset_beyond_end: ({ offset, size }) => ({
    status: 416,
    code: "range_not_satisfiable",
    message: `"offset" is ${offset}, and the file has ${size} bytes.`,
    headers: { "Content-Range": `bytes */${size}` },
  }),
  content_not_base64: () => ({
    ...invalidRequest('"content" must be base64 with padding where "encoding" says so.'),
    fields: { fields: [{ field: "content", allowed: "must be base64 with padding" }] },
  }),
  link_target_invalid: ({ path, target }) =>
    invalidRequest(
      `The symbolic link ${shown(path)} must lead to a relative path in the same tree, got ${target === null ? "contents that are no path" : shown(target)}.`,
    ),
  trash_not_found: ({ handle }) =>
    notFound(
      `The trash of the copy has no ${shown(handle)}. "path" is a handle that deleting in the same copy returned.`,
    ),
  list_cursor_malformed: ({ cursor }) =>
    invalidRequest(
      `"cursor" must be the "next_cursor" of a page of the same list, got ${shown(cursor.slice(0, 100))}.`,
    ),
  download_link_unknown: () => notFound("The address is not known, or has ended. Ask for another one."),
  download_link_changed: ({ path }) =>
    notFound(`${shown(path)} was changed or deleted after the address was made. Ask for another one.`),
};

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
