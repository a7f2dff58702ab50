// The files of a folder that an editor's session neither sends nor writes: what git ignores there, and what holds credentials by its
// name. Git is asked as everywhere: nothing that the folder configures is executed.
// Why: docs/decisions/179-an-editor-is-a-copys-folder.md

import { mkdtemp, rm, stat } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { findCheckoutRoot } from "../../base/git/found-checkout.ts";
import { createGit, GitError } from "../../base/git/git.ts";
import { PathRules } from "../../contract/paths/path-rules.ts";
import { CommandError } from "../command-error.ts";
import { foldersAbove } from "../workspaces/sync-plan.ts";

const rules = new PathRules();

/** Whether a relative path is left out. Rejects with CommandError where git cannot say what it ignores. */
export async function readIgnored(
  root: string,
  { environment, signal }: { readonly environment: Environment; readonly signal: AbortSignal },
): Promise<(path: string) => boolean> {
  const ignored = await ignoredByGit(root, { environment, signal });
  return (path) =>
    rules.is(path, "secret") || ignored.has(path) || foldersAbove(path).some((folder) => ignored.has(folder));
}

/** Files and folders, without those that git knows all the same. Empty where the folder is in no checkout. */
async function ignoredByGit(
  root: string,
  { environment, signal }: { readonly environment: Environment; readonly signal: AbortSignal },
): Promise<ReadonlySet<string>> {
  const top = await findCheckoutRoot(root);
  if (top === null) return new Set();
  const home = await mkdtemp(join(tmpdir(), "agent-service-git-"));
  try {
    const git = createGit({ environment, home, gitFolder: join(top, ".git"), treeFolder: top });
    const below = relative(top, root).split(sep).join("/");
    const { stdout } = await git({
      args: [
        ...["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--"],
        ...(below === "" ? [] : [`:(literal)${below}`]),
      ],
      config: await personsIgnores(environment),
      signal,
    });
    const start = below === "" ? "" : `${below}/`;
    const paths = stdout.toString("utf8").split("\0");
    return new Set(
      paths.flatMap((path) => (path.startsWith(start) ? [path.slice(start.length).replace(/\/$/, "")] : [])),
    );
  } catch (cause) {
    if (!(cause instanceof GitError)) throw cause;
    throw new CommandError(
      `Git cannot say which files of "${root}" it ignores, and those are not sent: ${cause.message} Nothing was sent.`,
      { cause },
    );
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The person's own list, where git looks for it unless told: https://git-scm.com/docs/gitignore, looked up on 2026-11-29 */
async function personsIgnores({ XDG_CONFIG_HOME }: Environment): Promise<string[]> {
  const path = join(XDG_CONFIG_HOME || join(homedir(), ".config"), "git", "ignore");
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? [`core.excludesFile=${path}`] : [];
}
