// Finds what a job left in its tree that is none of an agent's business: files of credentials that are not of the commit, and
// the git folders of other checkouts.
// Why: docs/decisions/097-credentials-in-the-tree-are-covered.md

import { lstat, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { walkTree } from "../../base/walk-tree.ts";
import { secretPathVariables } from "../../contract/paths/known-paths.ts";
import type { PathRules } from "../../contract/paths/path-rules.ts";
import type { CoveredFiles, CoveredPlace } from "../core/ports/covered-files.ts";
import { byteRecords, shownPath } from "./byte-paths.ts";
import { credentialValues } from "./credential-values.ts";
import type { RunGit } from "./tree-files.ts";

const MAX_READ_BYTES = 256 * 1024;
/** Folders of packages: nothing in them is this machine's. */
const packageFolders: ReadonlySet<string> = new Set(["node_modules", "site-packages", "dist-packages"]);
/** Files in which git keeps credentials and addresses of servers. */
const gitSecrets = ["config", "config.worktree", "credentials", "FETCH_HEAD"];

type CoverWanted = {
  readonly runGit: RunGit;
  readonly root: string;
  readonly rules: PathRules;
  readonly headSha: string;
  /** Git's name of the tree as it is on disk, without what git ignores. */
  readonly tree: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** The root's own git folder is another's to cover. */
export async function findCoveredFiles(wanted: CoverWanted): Promise<CoveredFiles> {
  const { root, rules } = wanted;
  const secrets = new Set(namedIn(wanted));
  const git: string[] = [];
  await walkTree(root, ({ path, name, kind }) => {
    if (kind === "git" && path !== ".git") git.push(path);
    if (kind === "file" && rules.is(path, "secret")) secrets.add(path);
    return !packageFolders.has(name);
  });
  const ofCommit = secrets.size === 0 ? new Set() : await unchangedOf(wanted);
  const files = await placesOf(
    root,
    [...secrets].filter((path) => !ofCommit.has(path)),
  );
  const folders = await placesOf(root, git);
  const read = [
    ...files.map(({ path }) => path),
    ...[".git", ...folders.map(({ path }) => path)].flatMap((folder) =>
      gitSecrets.map((name) => `${folder}/${name}`),
    ),
  ];
  const texts = await Promise.all(read.map((path) => textOf(join(root, path))));
  return { files, git: folders, values: [...new Set(texts.flatMap(credentialValues))] };
}

/** Files in the tree that a variable of the job names. */
function namedIn({ environment, root }: CoverWanted): readonly string[] {
  return secretPathVariables.flatMap((name) => {
    const path = relative(root, environment[name] ?? root);
    return path === "" || path.startsWith("..") || path.startsWith("/") ? [] : [path];
  });
}

/** Paths of the commit's files that are on disk as the commit has them. */
async function unchangedOf({ runGit, headSha, tree }: CoverWanted): Promise<ReadonlySet<string>> {
  const listing = await runGit({ args: ["ls-tree", "-r", "-z", "--name-only", "--full-tree", headSha] });
  const unchanged = new Set(byteRecords(listing.stdout));
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", headSha, tree];
  for (const path of byteRecords((await runGit({ args })).stdout)) unchanged.delete(path);
  return unchanged;
}

async function placesOf(root: string, paths: readonly string[]): Promise<readonly CoveredPlace[]> {
  const found = await Promise.all(
    paths.map(async (bytes) => {
      const path = shownPath(bytes);
      const about = await lstat(join(root, path)).catch(() => null);
      return about === null ? [] : [{ path, dev: about.dev, ino: about.ino }];
    }),
  );
  return found.flat();
}

/** "" where there is nothing to read. */
async function textOf(path: string): Promise<string> {
  const about = await lstat(path).catch(() => null);
  if (about?.isFile() !== true || about.size > MAX_READ_BYTES) return "";
  return await readFile(path, "utf8").catch(() => "");
}
