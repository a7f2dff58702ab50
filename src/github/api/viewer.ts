// Whose token the step has: what was written by it before is told by its account.

import * as z from "zod/mini";
import { type GitHubApi, GitHubError } from "./github-api.ts";

/** The account of `github.token`. https://api.github.com/users/github-actions[bot] */
const ACTIONS: Viewer = { id: 41_898_282, login: "github-actions[bot]" };

const viewerSchema = z.object({ viewer: z.object({ login: z.string(), databaseId: z.nullable(z.int()) }) });

export type Viewer = { readonly id: number; readonly login: string };

/** Asked of GraphQL: REST tells an app's token nothing of itself. The job's own account where nobody says. */
export async function readViewer(api: GitHubApi): Promise<Viewer> {
  try {
    const operation = { query: "query { viewer { login databaseId } }", variables: {} };
    const { viewer } = await api.graphql(operation, viewerSchema);
    return viewer.databaseId === null ? ACTIONS : { id: viewer.databaseId, login: viewer.login };
  } catch (cause) {
    if (cause instanceof GitHubError) return ACTIONS;
    throw cause;
  }
}
