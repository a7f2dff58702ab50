// Changes in a folder since it was kept last. An index of its own knows by the files' times what was not touched, so that only
// what was is read; git reads it and executes nothing.

import { rm } from "node:fs/promises";
import { type Git, type GitCall, GitError } from "../../../base/git/git.ts";
import { protectedPathGuard } from "../../../contract/paths/path-rules.ts";
import { CheckoutError, type HeldBackFile } from "../../core/checkouts/checkout.ts";
import type {
  FolderChange,
  FolderChanges,
  FolderContent,
  FolderFile,
} from "../../core/checkouts/copy-folders.ts";
import { checkPath } from "../../core/workspaces/paths/workspace-path.ts";
import { byteRecords, bytesOf, type Found, findPaths, shownPath } from "../byte-paths.ts";
import { askObjects, ObjectQuestions } from "../cat-file.ts";
import type { RunFolder } from "../run-folder.ts";
import { SEARCH_ADVICE } from "../tree-files.ts";
import { changesOf, dropGone, forget, record, type WorkingTree } from "../working-changes.ts";

/** Every changed file is read and hashed. */
const READ_ALL = 5;
const SUBMODULE_MODE = "160000";
const FILE_MODES: readonly string[] = ["100644", "100755", "120000"] satisfies FolderFile["mode"][];

type FolderStateOptions = {
  readonly git: Git;
  readonly folder: RunFolder;
  /** The index as it was when the files were written. */
  readonly index: string;
  readonly headSha: string;
  /** The files as they are kept already. Default: those of the head. */
  readonly treeSha?: string | undefined;
  readonly maxFileBytes: number;
};

export class FolderState {
  readonly #options: FolderStateOptions;
  /** A change of these is never kept, neither is one of a path that no workspace can have. */
  readonly #isProtected = protectedPathGuard();
  /** The tree that was kept last. */
  #tree: string;

  constructor(options: FolderStateOptions) {
    this.#options = options;
    this.#tree = options.treeSha ?? `${options.headSha}^{tree}`;
  }

  /** Rejects with a `CheckoutError` where git or the disk does not let the files be read. */
  async changes(signal: AbortSignal): Promise<FolderChanges> {
    const heldBack: HeldBackFile[] = [];
    try {
      // Of a call that was stopped while git wrote the index.
      await rm(`${this.#options.index}.lock`, { force: true });
      const tree = await this.#stage(heldBack, signal);
      const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", this.#tree, tree];
      const { stdout } = await this.#git({ args, signal });
      const changes = changesIn(byteRecords(stdout));
      return {
        changes,
        heldBack,
        contents: () => this.#contents(changes, signal),
        kept: () => {
          this.#tree = tree;
        },
      };
    } catch (cause) {
      signal.throwIfAborted();
      throw readError(cause);
    }
  }

  /** Has the index hold what is to be kept, and returns git's name of it. */
  async #stage(heldBack: HeldBackFile[], signal: AbortSignal): Promise<string> {
    const { folder, headSha, maxFileBytes } = this.#options;
    const working: WorkingTree = {
      runGit: (call) => this.#git({ ...call, signal }),
      folder,
      headSha,
      isProtected: this.#isProtected,
    };
    const wanted = ["--modified", "--others", "--deleted", "--exclude-standard"];
    const listed = await this.#git({ args: ["ls-files", "-z", ...wanted], signal });
    const touched = [...new Set(byteRecords(listed.stdout))];
    const holdBack = (path: string, reason: HeldBackFile["reason"]) =>
      heldBack.push({ path: shownPath(path), reason });
    const taken: string[] = [];
    for (const path of touched) {
      // A folder is a repository of its own, which git would have to read.
      if (path.endsWith("/") || !isPossible(path)) holdBack(path, "protected");
      else taken.push(path);
    }
    const present = await findPaths(folder.tree, taken);
    const isLarge = ({ bytes }: Found) => bytes !== null && bytes > maxFileBytes;
    for (const { path } of present.filter(isLarge)) holdBack(path, "too_large");
    await dropGone(working, present);
    await record(
      working,
      present.filter((found) => found.bytes !== null && !isLarge(found)),
    );
    const guarded = (await changesOf(working)).filter(({ path }) => this.#isProtected(shownPath(path)));
    for (const { path } of guarded) holdBack(path, "protected");
    if (guarded.length > 0) await forget(working, guarded);
    const written = await this.#git({ args: ["write-tree", "--missing-ok"], signal });
    return written.stdout.toString("latin1").trim();
  }

  async *#contents(changes: readonly FolderChange[], signal: AbortSignal): AsyncGenerator<FolderContent> {
    const oids = new Set(changes.flatMap(({ file }) => (file === null ? [] : [file.oid])));
    if (oids.size === 0) return;
    const questions = new ObjectQuestions();
    for (const oid of oids) questions.add(oid);
    const { git } = this.#options;
    try {
      for await (const answer of askObjects({ git, questions, signal, timeoutFactor: READ_ALL })) {
        const { oid, size, type, content } = answer;
        if (type !== "blob") throw new CheckoutError(`The folder lost the contents of object ${oid}.`);
        yield { oid, size, read: content };
      }
    } catch (cause) {
      signal.throwIfAborted();
      throw readError(cause);
    }
  }

  async #git(call: GitCall) {
    const { git, index } = this.#options;
    return await git({ ...call, env: { ...call.env, GIT_INDEX_FILE: index }, timeoutFactor: READ_ALL });
  }
}

/** Of `git diff-tree -z --raw`: `:mode mode oid oid letter`, then the path. */
function changesIn(records: readonly string[]): readonly FolderChange[] {
  const changes: FolderChange[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [before = "", mode = "", , oid = ""] = records[at]?.slice(1).split(" ") ?? [];
    const path = shownPath(records[at + 1] ?? "");
    if (isFileMode(mode)) changes.push({ path, file: { mode, oid } });
    // Of a submodule there is nothing in the folder.
    else if (/^0+$/.test(mode) && before !== SUBMODULE_MODE) changes.push({ path, file: null });
  }
  return changes;
}

function isFileMode(mode: string): mode is FolderFile["mode"] {
  return FILE_MODES.includes(mode);
}

/** False for a name that is not UTF-8, or that git itself would refuse. */
function isPossible(path: string): boolean {
  const name = shownPath(path);
  return bytesOf(path).equals(Buffer.from(name)) && checkPath(name).ok;
}

function readError(cause: unknown): unknown {
  if (cause instanceof GitError) {
    const message = `The files could not be read. ${cause.message} ${SEARCH_ADVICE}`;
    return new CheckoutError(message, { cause });
  }
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  if (typeof code === "string" && /^E[A-Z0-9]+$/.test(code)) {
    return new CheckoutError(`The files could not be read: the disk refused (${code}).`, { cause });
  }
  return cause;
}
