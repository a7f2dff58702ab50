// Keeps an agent's home as one packed text, and brings it back into an empty one. The agent may change it meanwhile: folders and
// files are opened without following a link. Credentials and caches are left out.
// Why: docs/decisions/142-coding-agents-outlive-their-worker.md

import { constants } from "node:fs";
import {
  chmod,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readlink,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { PathRules } from "../../../../../contract/paths/path-rules.ts";
import type { HomeRules } from "../../../../core/ports/agent-start.ts";
import type { SecretMask } from "../../../secret-mask.ts";
import { COPIES_FOLDER } from "../hidden-files.ts";

/** Of its files; a larger home is not kept. */
const MAX_HOME_BYTES = 32 * 1024 * 1024;
const MAX_PACKED_BYTES = 8 * 1024 * 1024;
const FAST = 3;
/** Each step waits for its turn among all that the process does. */
const IN_FEW_STEPS = { chunkSize: 1024 * 1024 };
const MAX_ENTRIES = 5_000;
const MAX_DEPTH = 32;
const MAX_LINK_CHARS = 4_096;
const PERMISSIONS = 0o777;
const OWNER_WRITES = 0o200;
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Opening a pipe must not block. */
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Names of folders that are made again, or that nobody reads. */
const passedOver: ReadonlySet<string> = new Set([".cache", "node_modules", ".npm", ".bun", "log", "logs"]);
/** Parts of the names of files that hold credentials: `auth.json`, `oauth_creds.json`, `.credentials.json`. */
const credentialWords: ReadonlySet<string> = new Set([
  "auth",
  "cookies",
  "credential",
  "credentials",
  "creds",
  "keychain",
  "keyring",
  "oauth",
  "secret",
  "secrets",
  "token",
  "tokens",
]);
const rules = new PathRules();
/** Of a home that lies elsewhere no more is brought here than is kept. */
export const homeRules: HomeRules = {
  passedOver,
  isLeftOut: (path) =>
    path.split("/").some((name, at, names) => isLeftOut(names.slice(0, at + 1).join("/"), name)),
  maxBytes: MAX_HOME_BYTES,
};
const packed = promisify(gzip);
const unpacked = promisify(gunzip);

/** `name` is that of the folder, `pack` is base64. */
export type KeptHome = { readonly name: string; readonly pack: string };

type Entry =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly to: string }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly mode: number;
      readonly changedMs: number;
      readonly bytes: number;
    };

type Found = { readonly entries: Entry[]; readonly contents: Buffer[]; bytes: number };

/** There is more than is kept. */
class HomeTooLargeError extends Error {
  override readonly name = "HomeTooLargeError";
  readonly code = "home_too_large";
}

/** Null where it is larger than is kept. Files with a known secret in them are left out. */
export async function keepHome(home: string, secrets: Pick<SecretMask, "isIn">): Promise<KeptHome | null> {
  const found: Found = { entries: [], contents: [], bytes: 0 };
  const root = await open(home, FOLDER);
  try {
    await keepFolder({ handle: root, path: "", depth: 0 }, { home, found, secrets });
  } catch (cause) {
    if (cause instanceof HomeTooLargeError) return null;
    throw cause;
  } finally {
    await root.close();
  }
  const head = Buffer.from(JSON.stringify(found.entries));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  const pack = await packed(Buffer.concat([length, head, ...found.contents]), {
    level: FAST,
    ...IN_FEW_STEPS,
  });
  return pack.length > MAX_PACKED_BYTES ? null : { name: basename(home), pack: pack.toString("base64") };
}

/** Into a home that nobody uses yet. */
export async function bringHomeBack(home: string, { pack }: KeptHome): Promise<void> {
  const bytes = await unpacked(Buffer.from(pack, "base64"), {
    maxOutputLength: 2 * MAX_HOME_BYTES,
    ...IN_FEW_STEPS,
  });
  const headEnd = 4 + bytes.readUInt32BE(0);
  // Packed and sealed by this service.
  const entries = JSON.parse(bytes.toString("utf8", 4, headEnd)) as readonly Entry[];
  let at = headEnd;
  for (const entry of entries) {
    const place = join(home, entry.path);
    if (entry.kind === "folder") await mkdir(place, { mode: 0o700 });
    else if (entry.kind === "link") await symlink(entry.to, place);
    else {
      await writeFile(place, bytes.subarray(at, at + entry.bytes), { flag: "wx" });
      await chmod(place, (entry.mode & PERMISSIONS) | OWNER_WRITES);
      await utimes(place, entry.changedMs / 1000, entry.changedMs / 1000);
      at += entry.bytes;
    }
  }
}

type OpenFolder = { readonly handle: FileHandle; readonly path: string; readonly depth: number };
type Keeping = {
  readonly home: string;
  readonly found: Found;
  readonly secrets: Pick<SecretMask, "isIn">;
};

async function keepFolder({ handle, path, depth }: OpenFolder, keeping: Keeping): Promise<void> {
  const { found, home } = keeping;
  // Other systems have no path through a descriptor: there the folders are only checked when entered.
  const at = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : join(home, path);
  for (const entry of await readdir(at, { withFileTypes: true })) {
    const inner = path === "" ? entry.name : `${path}/${entry.name}`;
    if (isLeftOut(inner, entry.name)) continue;
    if (found.entries.length >= MAX_ENTRIES) throw new HomeTooLargeError();
    if (entry.isSymbolicLink()) {
      const to = await readlink(`${at}/${entry.name}`).catch(() => null);
      if (to !== null && to.length <= MAX_LINK_CHARS) found.entries.push({ kind: "link", path: inner, to });
    } else if (entry.isFile()) await keepFile({ at: `${at}/${entry.name}`, path: inner }, keeping);
    else if (entry.isDirectory() && depth < MAX_DEPTH) {
      // Gone, or a link by now.
      const opened = await open(`${at}/${entry.name}`, FOLDER).catch(() => null);
      if (opened === null) continue;
      found.entries.push({ kind: "folder", path: inner });
      try {
        await keepFolder({ handle: opened, path: inner, depth: depth + 1 }, keeping);
      } finally {
        await opened.close();
      }
    }
  }
}

async function keepFile(
  { at, path }: { readonly at: string; readonly path: string },
  { found, secrets }: Keeping,
): Promise<void> {
  const file = await open(at, FILE).catch(() => null);
  if (file === null) return;
  try {
    const about = await file.stat();
    const { nlink, size, mode, mtimeMs } = about;
    // Its other name may be that of a file that is none of the home's.
    if (!about.isFile() || nlink > 1) return;
    if (found.bytes + size > MAX_HOME_BYTES) throw new HomeTooLargeError();
    // It may grow meanwhile.
    const content = Buffer.alloc(size);
    const { bytesRead } = await file.read(content, 0, size, 0);
    const read = content.subarray(0, bytesRead);
    if (secrets.isIn(read)) return;
    found.bytes += bytesRead;
    found.contents.push(read);
    found.entries.push({ kind: "file", path, mode, changedMs: mtimeMs, bytes: bytesRead });
  } finally {
    await file.close();
  }
}

function isLeftOut(path: string, name: string): boolean {
  if (passedOver.has(name) || path === COPIES_FOLDER) return true;
  const words = name.toLowerCase().replaceAll("_", ".").replaceAll("-", ".").split(".");
  return words.some((word) => credentialWords.has(word)) || rules.names(path, "secret", "cached secret");
}
