// The code host's REST API, through @actions/github. A file of its own under dist/, loaded only when a prompt file is
// not checked out: the client library is larger than all the rest.

import { getOctokit } from "@actions/github";

/** Reads one file of a repository at a commit. */
export type ReadRepositoryFile = (file: {
  readonly apiUrl: string;
  readonly token: string;
  readonly repository: string;
  readonly path: string;
  readonly ref: string;
  readonly maxBytes: number;
}) => Promise<RepositoryFile>;

export type RepositoryFile =
  | { readonly type: "file"; readonly text: string }
  | { readonly type: "missing" | "not_a_file" | "too_large" };

/** Reads one file at a commit. Rejects when the API refuses or cannot be reached. Safe to repeat. */
export const readRepositoryFile: ReadRepositoryFile = async (file) => {
  const [owner = "", repo = ""] = file.repository.split("/");
  const octokit = getOctokit(file.token, { baseUrl: file.apiUrl });
  try {
    const { data } = await octokit.rest.repos.getContent({ owner, repo, path: file.path, ref: file.ref });
    if (Array.isArray(data) || data.type !== "file") return { type: "not_a_file" };
    if (data.size > file.maxBytes || !("content" in data)) return { type: "too_large" };
    return { type: "file", text: Buffer.from(data.content, "base64").toString("utf8") };
  } catch (error) {
    if (error instanceof Error && "status" in error && error.status === 404) return { type: "missing" };
    throw error;
  }
};
