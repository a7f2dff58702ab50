// The checkout as seen from inside a sandbox: git's folders without secrets, files of credentials empty. What was covered is
// found by its identity, so that moving its folder uncovers nothing.

import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { walkTree } from "../../base/walk-tree.ts";
import type { CoveredPlace } from "../core/ports/covered-files.ts";
import type { SandboxedCheckout } from "../core/ports/sandbox.ts";
import { type GitView, gitView, nestedGitView } from "./git-view.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Each costs a descriptor. */
const MAX_COVERED = 200;

/** `tree` is where commands find the checkout. */
export async function treeView(checkout: SandboxedCheckout, tree: string): Promise<GitView> {
  const { covered } = checkout;
  const own = await gitView(checkout, tree);
  if (covered === undefined || covered.files.length + covered.git.length === 0) return own;
  const root = await realpath(checkout.root);
  const now = await whereTheyAre(root, [...covered.files, ...covered.git]);
  const git = await Promise.all(
    covered.git.flatMap((place) => {
      const path = now.get(place);
      return path === undefined ? [] : [nestedGitView(join(root, path), `${tree}/${path}`)];
    }),
  );
  const empty = covered.files.flatMap((place) => {
    const path = now.get(place);
    return path === undefined ? [] : [{ target: `${tree}/${path}`, content: "" }];
  });
  const files = [...own.files, ...git.flatMap((view) => view.files), ...empty];
  if (files.length > MAX_COVERED) {
    const count = `${files.length} files of credentials and of git, at most ${MAX_COVERED} can be covered`;
    throw new SandboxError("sandbox_not_started", `The tree has ${count}. Remove some before this step.`);
  }
  return { binds: [...own.binds, ...git.flatMap((view) => view.binds)], files };
}

/** What is gone is not among them. */
async function whereTheyAre(
  root: string,
  places: readonly CoveredPlace[],
): Promise<ReadonlyMap<CoveredPlace, string>> {
  const now = new Map<CoveredPlace, string>();
  for (const place of places) if (await isAt(root, place)) now.set(place, place.path);
  if (now.size === places.length) return now;
  const byIdentity = new Map(places.flatMap((place) => (now.has(place) ? [] : [[identity(place), place]])));
  const candidates: string[] = [];
  await walkTree(root, ({ path, kind }) => {
    if (kind === "file" || kind === "git") candidates.push(path);
    return true;
  });
  for (const bytes of candidates) {
    const path = Buffer.from(bytes, "latin1").toString("utf8");
    const about = await lstat(Buffer.concat([Buffer.from(`${root}/`), Buffer.from(bytes, "latin1")])).catch(
      () => null,
    );
    const place = about === null ? undefined : byIdentity.get(identity(about));
    if (place === undefined) continue;
    if (path.includes("\u{FFFD}"))
      throw new SandboxError(
        "sandbox_not_started",
        "A file of credentials lies below a name that is no text.",
      );
    now.set(place, path);
  }
  return now;
}

/** Not behind a link. */
async function isAt(root: string, place: CoveredPlace): Promise<boolean> {
  const path = join(root, place.path);
  const [real, about] = await Promise.all([realpath(path).catch(() => null), lstat(path).catch(() => null)]);
  return real === path && about !== null && identity(about) === identity(place);
}

function identity({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}
