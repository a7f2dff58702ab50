// Why a request for files is refused. Pure.

import type { ClassRefusal } from "../../accounts/refusals.ts";
import type { ContentTooLargeRefusal } from "../objects/keep-objects.ts";
import type { PathCollision } from "../paths/portable-path.ts";
import type { PathRefusal } from "../paths/workspace-path.ts";
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
