// The account of the token: texts of its own are recognised by it, and a token that is not valid shows before a run is paid for.

import * as z from "zod/mini";
import type { GitLabApi } from "./gitlab-api.ts";
import { advised } from "./token-advice.ts";

/** `commit_email` is for the account itself. */
const viewerSchema = z.object({
  id: z.int(),
  username: z.string(),
  commit_email: z.optional(z.nullable(z.string())),
});

export type Viewer = z.infer<typeof viewerSchema>;

/** Rejects with StepError, which says what to change. */
export async function readViewer(api: GitLabApi): Promise<Viewer> {
  return await advised(null, api.readGlobal("/user", viewerSchema));
}
