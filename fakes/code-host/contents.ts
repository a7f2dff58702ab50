// GET /repos/{owner}/{repo}/contents/{path} of GitHub's REST API, read from a real git repository.
// https://docs.github.com/en/rest/repos/contents#get-repository-content

import { execFile } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { filesOfDiff } from "./reviews.ts";
import { sendJson } from "./server.ts";

const run = promisify(execFile);
const CONTENTS_DOCS = "https://docs.github.com/rest/repos/contents#get-repository-content";

export type ContentsRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The repository's API URL, for the links in the answer. */
  readonly repositoryUrl: string;
  readonly repositoryPath: string;
  readonly filePath: string;
  /** Null for the default branch. */
  readonly ref: string | null;
};

export function sendNotFound(response: ServerResponse, message = "Not Found"): void {
  sendJson(response, 404, { message, documentation_url: CONTENTS_DOCS, status: "404" });
}

export async function sendContents(contents: ContentsRequest): Promise<void> {
  const { request, response, repositoryPath, filePath } = contents;
  const commit = await resolveCommit(repositoryPath, contents.ref ?? "HEAD");
  if (commit === null) return sendNotFound(response, `No commit found for the ref ${contents.ref}`);
  const id = await objectId(repositoryPath, `${commit}:${filePath}`);
  if (id === null) return sendNotFound(response);
  const kind = (await git(repositoryPath, ["cat-file", "-t", id])).toString().trim();
  if (kind === "tree") return sendJson(response, 200, await listing(contents, id));
  const bytes = await git(repositoryPath, ["cat-file", "blob", id]);
  if (/[.+]raw\b/.test(request.headers.accept ?? "")) {
    response.writeHead(200, { "content-type": "application/vnd.github.raw+json; charset=utf-8" });
    response.end(bytes);
    return;
  }
  const content = bytes.toString("base64").replace(/.{60}/g, "$&\n");
  sendJson(response, 200, {
    ...entry(contents, { path: filePath, id, type: "file", size: bytes.length }),
    content: `${content}\n`,
    encoding: "base64",
  });
}

/**
 * GET …/compare/{base}...{head}: what head has changed since it left base. False for another path.
 * https://docs.github.com/en/rest/commits/commits#compare-two-commits
 */
export async function sendComparison(
  response: ServerResponse,
  { path, repositoryPath }: { readonly path: string; readonly repositoryPath: string },
): Promise<boolean> {
  const [, base, head] = /^\/compare\/(\w+)\.\.\.(\w+)$/.exec(path) ?? [];
  if (base === undefined || head === undefined) return false;
  const ends = [await resolveCommit(repositoryPath, base), await resolveCommit(repositoryPath, head)];
  if (ends.includes(null)) {
    sendNotFound(response);
    return true;
  }
  const diff = await git(repositoryPath, ["diff", "--no-color", "-M", `${base}...${head}`]);
  const count = async (range: string) =>
    Number((await git(repositoryPath, ["rev-list", "--count", range])).toString());
  const [ahead, behind] = [await count(`${base}..${head}`), await count(`${head}..${base}`)];
  const status = behind === 0 ? (ahead === 0 ? "identical" : "ahead") : ahead === 0 ? "behind" : "diverged";
  sendJson(response, 200, {
    status,
    ahead_by: ahead,
    behind_by: behind,
    files: filesOfDiff(diff.toString()),
  });
  return true;
}

/** The commit that a branch, tag or id names, or null. */
export async function resolveCommit(repositoryPath: string, ref: string): Promise<string | null> {
  return objectId(repositoryPath, `${ref}^{commit}`);
}

/** The commits that each of these names, or null, by one process of git's. */
export async function resolveCommits(
  repositoryPath: string,
  refs: readonly string[],
): Promise<readonly (string | null)[]> {
  const asked = run("git", ["-C", repositoryPath, "cat-file", "--batch-check=%(objectname)"]);
  asked.child.stdin?.on("error", () => {}).end(refs.map((ref) => `${ref}^{commit}\n`).join(""));
  // A host may have no repository at all.
  const lines = await asked.then(({ stdout }) => stdout.split("\n")).catch(() => []);
  return refs.map((_, at) => (/^[0-9a-f]{40,64}$/.test(lines[at] ?? "") ? (lines[at] ?? null) : null));
}

/** The ref under which GitHub keeps the head of each pull request, a fork's too. */
export async function publishPullHead(
  repositoryPath: string,
  pull: { number: number; sha: string },
): Promise<void> {
  if ((await resolveCommit(repositoryPath, pull.sha)) === null) return;
  await git(repositoryPath, ["update-ref", `refs/pull/${pull.number}/head`, pull.sha]);
}

async function objectId(repositoryPath: string, revision: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", revision];
  const out = await git(repositoryPath, args).catch(() => null);
  return out === null ? null : out.toString().trim();
}

async function listing(contents: ContentsRequest, treeId: string) {
  const lines = (await git(contents.repositoryPath, ["ls-tree", "-l", "-z", treeId])).toString().split("\0");
  return lines.flatMap((line) => {
    const match = /^\d+ (\w+) ([0-9a-f]+) +(\d+|-)\t(.+)$/s.exec(line);
    if (match === null) return [];
    const [, kind, id = "", size = "0", name = ""] = match;
    const path = contents.filePath === "" ? name : `${contents.filePath}/${name}`;
    return [entry(contents, { path, id, type: kind === "tree" ? "dir" : "file", size: Number(size) || 0 })];
  });
}

function entry(
  contents: ContentsRequest,
  found: { path: string; id: string; type: "file" | "dir"; size: number },
) {
  const url = `${contents.repositoryUrl}/contents/${found.path}${contents.ref === null ? "" : `?ref=${contents.ref}`}`;
  const gitUrl = `${contents.repositoryUrl}/git/blobs/${found.id}`;
  return {
    name: found.path.split("/").at(-1),
    path: found.path,
    sha: found.id,
    size: found.size,
    url,
    html_url: url,
    git_url: gitUrl,
    download_url: found.type === "file" ? url : null,
    type: found.type,
    _links: { self: url, git: gitUrl, html: url },
  };
}

async function git(repositoryPath: string, args: readonly string[]): Promise<Buffer> {
  const { stdout } = await run("git", ["-C", repositoryPath, ...args], {
    encoding: "buffer",
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
