// The key of equal setups: the same script on the same lock files, of the same repository and trust. Pure but for the files that
// it reads.

import { createHash, hash } from "node:crypto";
import { lstat, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { canonicalJson } from "../../base/canonical-json.ts";
import type { Checkout } from "../core/checkouts/checkout.ts";
import type { EnvironmentClass, EnvironmentRequest } from "../core/checkouts/environment.ts";

/** Changes when an entry of an earlier version must not be read. */
const VERSION = 1;
const MAX_LOCK_FILES = 500;
const MAX_LOCK_BYTES = 32 * 1024 * 1024;

const lockFiles: ReadonlySet<string> = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
  "deno.lock",
  "poetry.lock",
  "uv.lock",
  "pdm.lock",
  "Pipfile.lock",
  "pylock.toml",
  "constraints.txt",
  "Cargo.lock",
  "go.sum",
  "Gemfile.lock",
  "composer.lock",
  "gradle.lockfile",
  "packages.lock.json",
  "mix.lock",
  "pubspec.lock",
  "Package.resolved",
  "flake.lock",
  "conda-lock.yml",
  "renv.lock",
  ".tool-versions",
  ".nvmrc",
  ".node-version",
  ".python-version",
  ".ruby-version",
  "rust-toolchain.toml",
]);
/** Manifests, for a tree without any lock file. */
const manifests: ReadonlySet<string> = new Set([
  "package.json",
  "pyproject.toml",
  "setup.py",
  "setup.cfg",
  "Cargo.toml",
  "go.mod",
  "Gemfile",
  "composer.json",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "mix.exs",
  "Package.swift",
]);

export type EnvironmentKeys = {
  /** The folder of the repository's entries. */
  readonly repository: string;
  /** The entry that this run writes, and reads first; null: it writes none. */
  readonly own: string | null;
  /** The entry of runs that writers made, which any other may read. */
  readonly trusted: string;
};

/** Null where the lock files are too many or too large to be compared. */
export async function environmentKeys(
  { repository, class: whose, checkout, script }: EnvironmentRequest,
  /** The parts that decide about binaries: system, machine, kind of sandbox. */
  place: readonly string[],
): Promise<EnvironmentKeys | null> {
  const locked = await lockedState(checkout);
  if (locked === null) return null;
  const keyOf = (of: Exclude<EnvironmentClass, null>) =>
    sha256(canonicalJson({ VERSION, repository, of, script: sha256(script), locked, place }));
  return {
    repository: sha256(canonicalJson(repository)).slice(0, 32),
    own: whose === null ? null : keyOf(whose),
    trusted: keyOf("trusted"),
  };
}

async function lockedState(checkout: Checkout): Promise<readonly (readonly [string, string])[] | null> {
  const files = await checkout.files();
  const locks = files.filter(isLockFile);
  const compared = locks.length > 0 ? locks : files.filter((path) => manifests.has(basename(path)));
  if (compared.length > MAX_LOCK_FILES) return null;
  const state: (readonly [string, string])[] = [];
  for (const path of compared) {
    const digest = await digestOf(join(checkout.root, path));
    if (digest === null) return null;
    state.push([path, digest]);
  }
  return state;
}

function isLockFile(path: string): boolean {
  const name = basename(path);
  return lockFiles.has(name) || (name.startsWith("requirements") && name.endsWith(".txt"));
}

/** Git has checked the path out: none of its folders is a link. Null for a file that is too large. */
async function digestOf(path: string): Promise<string | null> {
  const kind = await lstat(path);
  if (!kind.isFile()) return "no file";
  if (kind.size > MAX_LOCK_BYTES) return null;
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
