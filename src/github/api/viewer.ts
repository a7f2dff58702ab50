// The account of the step's token: texts of its own are recognised by it.

import * as z from "zod/mini";
import type { GitHubApi } from "./github-api.ts";
import { GitHubError } from "./github-error.ts";

/** The account of `github.token`. https://api.github.com/users/github-actions[bot] */
const ACTIONS: Viewer = { id: 41_898_282, login: "github-actions[bot]" };

const viewerSchema = z.object({ viewer: z.object({ login: z.string(), databaseId: z.nullable(z.int()) }) });

export type Viewer = { readonly id: number; readonly login: string };

/** Read by GraphQL: REST does not tell an app's token its account. Falls back to the account of `github.token`. */
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
