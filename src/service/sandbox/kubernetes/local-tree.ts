// The checkout on this machine: which of its files have changed since a pod had them, and what a pod has changed. What comes from a pod
// is hostile: it reaches nothing but the tree, through no link, and git's own folders stay as they are.

import { constants, type Stats } from "node:fs";
import { chmod, lstat, mkdir, open, readFile, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { isDotGit } from "../../../base/git/dot-git.ts";
import { walkTree } from "../../../base/walk-tree.ts";
import { isCovered } from "../../core/ports/covered-files.ts";
import type { SandboxedCheckout } from "../../core/ports/sandbox.ts";
import { harmlessConfiguration } from "../git-view.ts";
import { encodeFrame, type Frame, FrameError, frameKinds, MAX_CONTENT_BYTES } from "./frames.ts";

const AT_ONCE = 32;
const PERMISSIONS = 0o777;
const OWNER_READS = 0o400;
const OWNER_WRITES = 0o200;
const OWNER_ENTERS = 0o700;
const MODE_OF_MADE = 0o644;
const MAX_READ_BYTES = 256 * 1024;
const MAX_LINK_BYTES = 4096;
const MAX_NAME_BYTES = 255;
const MAX_DEPTH = 128;

/** Files of git's folder that may hold a credential, and folders in which a checkout leaves one. */
const emptyInGit: ReadonlySet<string> = new Set(["config.worktree", "credentials", "FETCH_HEAD"]);
const leftOutOfGit: ReadonlySet<string> = new Set(["modules", "worktrees", "hooks"]);

type Entry = { readonly path: string; readonly about: Stats };

/** By paths: what a file was when the pod had it last, and its bytes. */
type Stamps = Map<string, { readonly stamp: string; readonly bytes: number }>;

/** A checkout, or another folder: that has no folder of git's. */
type LocalFolder = Pick<SandboxedCheckout, "root" | "gitFolder" | "covered"> & {
  readonly hasGit?: false;
  /** Whether what a pod has at a path stays there. */
  readonly isLeftOut?: (path: string) => boolean;
};

/** What has to be sent so that the pod has what is here. `keep` is to be called once it has it. */
export type TreeChanges = {
  readonly isEmpty: boolean;
  readonly bytes: number;
  frames(): AsyncGenerator<Buffer>;
  keep(): void;
};

export class LocalTree {
  readonly #checkout: LocalFolder;
  #stamps: Stamps | null = null;
  #givenBytes = 0;

  constructor(checkout: LocalFolder) {
    this.#checkout = checkout;
  }

  /** Of the files that it and a pod have. */
  get bytes(): number {
    let sum = 0;
    for (const { bytes } of this.#stamps?.values() ?? []) sum += bytes;
    return sum;
  }

  /** Of those that a pod was given at first. */
  get givenBytes(): number {
    return this.#givenBytes;
  }

  /** All of it, git's folder included: for a pod that has nothing. */
  async whole(): Promise<TreeChanges> {
    return await this.#changes(null);
  }

  /** What was changed since `keep` of the last ones, and since a pod's were taken over. */
  async changes(): Promise<TreeChanges> {
    return await this.#changes(this.#stamps);
  }

  async #changes(before: Stamps | null): Promise<TreeChanges> {
    const { root, gitFolder, hasGit = true } = this.#checkout;
    const entries = await this.#entries();
    const stamps: Stamps = new Map(entries.map(({ path, about }) => [path, knownOf(about)]));
    const changed = entries.filter(({ path }) => before?.get(path)?.stamp !== stamps.get(path)?.stamp);
    const removed = before === null ? [] : [...before.keys()].filter((path) => !stamps.has(path));
    const git = before === null && hasGit ? await gitEntries(gitFolder ?? join(root, ".git")) : [];
    const bytes = [...changed, ...git].reduce((sum, { about }) => sum + about.size, 0);
    const frames = async function* () {
      for (const path of removed) yield encodeFrame({ kind: frameKinds.removed, path });
      yield* framesOfAll(changed.map((entry) => ({ ...entry, from: root, target: entry.path })));
      yield* framesOfAll(git.map((entry) => ({ ...entry, target: `.git/${entry.path}` })));
    };
    const isEmpty = changed.length + removed.length + git.length === 0;
    const keep = () => {
      this.#stamps = stamps;
      if (before === null) this.#givenBytes = bytes;
    };
    return { isEmpty, bytes, frames, keep };
  }

  /** Without git's folders, and without what is not for commands. */
  async #entries(): Promise<readonly Entry[]> {
    const { root, covered } = this.#checkout;
    const paths: string[] = [];
    await walkTree(root, ({ path, kind }) => {
      if (kind === "git" || kind === "other") return false;
      paths.push(path);
      return true;
    });
    const found = await inTurns(paths, async (path) => {
      const about = await lstat(placeOf(root, path)).catch(() => null);
      return about === null || isCovered(covered, about) ? [] : [{ path, about }];
    });
    return found.flat();
  }

  /** Takes over what a pod has changed, frame by frame. */
  receive(): { take(frame: Frame): Promise<void>; keep(): Promise<void> } {
    const { root, covered, isLeftOut } = this.#checkout;
    const received = new Set<string>();
    let last: string | null = null;
    const take = async (frame: Frame) => {
      if (frame.kind === frameKinds.more) {
        if (last !== null) await append(placeOf(root, last), frame.content);
        return;
      }
      const { path } = frame;
      if (isForeign(path)) throw new FrameError("The pod names a file that is not in the tree.");
      last = null;
      // Git's own, and files of credentials, are not the pod's.
      if (path.split("/").some(isDotGit) || isCovered(covered, { path }) || isLeftOut?.(path) === true)
        return;
      received.add(path);
      await write(root, frame);
      if (frame.kind === frameKinds.file) last = path;
    };
    const keep = async () => {
      const stamps = this.#stamps ?? new Map();
      for (const path of received) {
        for (const one of [...parentsOf(path), path]) {
          const about = await lstat(placeOf(root, one)).catch(() => null);
          if (about === null) removeBelow(stamps, one);
          else stamps.set(one, knownOf(about));
        }
      }
      this.#stamps = stamps;
    };
    return { take, keep };
  }
}

function knownOf(about: Stats) {
  return { stamp: stampOf(about), bytes: about.isFile() ? about.size : 0 };
}

function stampOf(about: Stats): string {
  const mode = about.mode & PERMISSIONS;
  if (about.isDirectory()) return `d${mode}`;
  const kind = about.isSymbolicLink() ? "l" : "f";
  return [`${kind}${mode}`, about.size, about.mtimeMs, about.ctimeMs, about.ino].join(" ");
}

function placeOf(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
}

/** The folders above it, the outermost first. */
function parentsOf(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

function removeBelow(stamps: Stamps, path: string): void {
  if (!stamps.delete(path)) return;
  for (const known of stamps.keys()) if (known.startsWith(`${path}/`)) stamps.delete(known);
}

function isForeign(path: string): boolean {
  const parts = path.split("/");
  return (
    parts.length > MAX_DEPTH ||
    parts.some((part) => part === "" || part === "." || part === ".." || part.length > MAX_NAME_BYTES) ||
    path.includes("\0")
  );
}

type Sent = Entry & {
  readonly from: string;
  readonly target: string;
  /** In the place of the file's own. */
  readonly content?: Buffer;
};

/** Small files are read several at a time. */
async function* framesOfAll(all: readonly Sent[]): AsyncGenerator<Buffer> {
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const turn = all.slice(at, at + AT_ONCE);
    const frames = await Promise.all(turn.map((one) => (isLarge(one) ? null : frameOf(one))));
    for (const [index, frame] of frames.entries()) {
      const one = turn[index];
      if (frame !== null) yield frame;
      else if (one !== undefined && isLarge(one)) yield* framesOfFile(placeOf(one.from, one.path), one);
    }
  }
}

function isLarge({ about, content }: Sent): boolean {
  return content === undefined && about.isFile() && about.size > MAX_READ_BYTES;
}

/** Null for what was removed since it was listed: the next changes say so. */
async function frameOf({ from, path, target, about, content }: Sent): Promise<Buffer | null> {
  const place = placeOf(from, path);
  const mode = about.mode & PERMISSIONS;
  if (content !== undefined)
    return encodeFrame({ kind: frameKinds.file, path: target, mode: MODE_OF_MADE, content });
  if (about.isDirectory()) return encodeFrame({ kind: frameKinds.folder, path: target, mode });
  if (about.isSymbolicLink()) {
    const link = await readlink(place, { encoding: "buffer" }).catch(() => null);
    return link === null ? null : encodeFrame({ kind: frameKinds.link, path: target, content: link });
  }
  const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const bytes = await readFile(place, { flag }).catch(() => null);
  if (bytes === null || bytes.length > MAX_CONTENT_BYTES) return null;
  return encodeFrame({ kind: frameKinds.file, path: target, mode, content: bytes });
}

async function* framesOfFile(
  place: Buffer,
  { target, about }: Pick<Sent, "target" | "about">,
): AsyncGenerator<Buffer> {
  const mode = about.mode & PERMISSIONS;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  // Removed since it was listed: the next ones say so.
  const file = await open(place, flags).catch(() => null);
  if (file === null) return;
  try {
    for (let isFirst = true; ; isFirst = false) {
      const part = Buffer.alloc(MAX_CONTENT_BYTES);
      const { bytesRead } = await file.read(part, 0, part.length);
      if (bytesRead === 0 && !isFirst) return;
      const content = part.subarray(0, bytesRead);
      yield isFirst
        ? encodeFrame({ kind: frameKinds.file, path: target, mode, content })
        : encodeFrame({ kind: frameKinds.more, content });
      if (bytesRead < part.length) return;
    }
  } finally {
    await file.close();
  }
}

type GitEntry = Entry & { readonly from: string; readonly content?: Buffer };

/** Git's folder without what could be a secret. None where it is no folder. */
async function gitEntries(folder: string): Promise<readonly GitEntry[]> {
  const kind = await lstat(folder).catch(() => null);
  if (kind?.isDirectory() !== true) return [];
  const paths: string[] = [];
  await walkTree(folder, ({ path, kind }) => {
    if (leftOutOfGit.has(path) || (kind !== "file" && kind !== "folder")) return false;
    paths.push(path);
    return true;
  });
  const config = await readFile(join(folder, "config"), "utf8").catch(() => "");
  const found = await inTurns(paths, async (path): Promise<readonly GitEntry[]> => {
    const about = await lstat(placeOf(folder, path)).catch(() => null);
    if (about === null) return [];
    const entry = { path, about, from: folder };
    if (path === "config") return [{ ...entry, content: Buffer.from(harmlessConfiguration(config)) }];
    return emptyInGit.has(path) ? [{ ...entry, content: Buffer.alloc(0) }] : [entry];
  });
  return found.flat();
}

async function write(root: string, { kind, path, mode, content }: Frame): Promise<void> {
  const place = placeOf(root, path);
  const isMade = kind !== frameKinds.removed;
  if (!(await readyFolder(root, path, { isMade }))) return;
  const found = await lstat(place).catch(() => null);
  switch (kind) {
    case frameKinds.removed:
      if (found !== null) await removeAny(place, found);
      return;
    case frameKinds.folder:
      if (found !== null && !found.isDirectory()) await rm(place);
      if (found?.isDirectory() !== true) await mkdir(place);
      return await chmod(place, (mode & PERMISSIONS) | OWNER_ENTERS);
    case frameKinds.link:
      if (content.length > MAX_LINK_BYTES || content.includes(0)) return;
      if (found !== null) await removeAny(place, found);
      return await symlink(content, place);
    case frameKinds.file: {
      // Made anew: the one that is there may have a second name.
      if (found !== null) await removeAny(place, found);
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      const file = await open(place, flags);
      try {
        await file.writeFile(content);
        await file.chmod((mode & PERMISSIONS) | OWNER_READS | OWNER_WRITES);
      } finally {
        await file.close();
      }
      return;
    }
    default:
      throw new FrameError("The pod answered with a frame of no known kind.");
  }
}

/** Makes folders of what is above a path: no link stays there. False where nothing is to be made, and they are not there. */
async function readyFolder(
  root: string,
  path: string,
  { isMade }: { readonly isMade: boolean },
): Promise<boolean> {
  for (const parent of parentsOf(path)) {
    const place = placeOf(root, parent);
    const found = await lstat(place).catch(() => null);
    if (found?.isDirectory() === true) continue;
    if (!isMade) return false;
    if (found !== null) await rm(place);
    await mkdir(place);
  }
  return true;
}

async function removeAny(place: Buffer, found: Stats): Promise<void> {
  // A path of bytes that are no text is removed by its bytes.
  if (!found.isDirectory()) return await rm(place);
  await rm(place, { recursive: true, force: true });
}

async function append(place: Buffer, content: Buffer): Promise<void> {
  const file = await open(place, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

async function inTurns<From, To>(all: readonly From[], work: (one: From) => Promise<To>): Promise<To[]> {
  const done: To[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    done.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(work))));
  return done;
}
