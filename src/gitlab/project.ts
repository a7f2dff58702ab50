// The project of the job, and the merge request of its pipeline, as GitLab has them: variables of a pipeline can be set by others.
// https://docs.gitlab.com/api/projects, …/api/merge_requests (2026-11-29)

import * as z from "zod/mini";
import { StepError } from "../job/step-error.ts";
import type { GitLabApi } from "./gitlab-api.ts";
import { advised } from "./token-advice.ts";

const projectSchema = z.object({
  id: z.int(),
  path_with_namespace: z.string(),
  default_branch: z.nullable(z.string()),
  web_url: z.string(),
});
const shaSchema = z.string().check(z.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/));
const mergeRequestSchema = z.object({
  iid: z.int(),
  title: z.string(),
  web_url: z.string(),
  author: z.nullable(z.object({ id: z.int() })),
  source_branch: z.string(),
  source_project_id: z.nullable(z.int()),
  target_branch: z.string(),
  target_project_id: z.int(),
  diff_refs: z.nullable(z.object({ base_sha: shaSchema, head_sha: shaSchema, start_sha: shaSchema })),
});

export type Project = z.infer<typeof projectSchema>;
export type MergeRequest = z.infer<typeof mergeRequestSchema>;

/** Rejects with StepError. */
export async function readProject(api: GitLabApi): Promise<Project> {
  const found = await advised(null, api.read("", projectSchema));
  if (found !== null) return found;
  throw new StepError(
    "code_host_refused",
    "GitLab shows this project to the job's token no more: its account has no role here. Make a new project access token of this project.",
  );
}

/** Null where GitLab does not show it to the token. Rejects with StepError. */
export async function readMergeRequest(api: GitLabApi, number: number): Promise<MergeRequest | null> {
  return await advised(
    { number, isPullRequest: true },
    api.read(`/merge_requests/${number}`, mergeRequestSchema),
  );
}

/** Whether its branch is of another project: then an outsider wrote what the pipeline executes. */
export function isOfFork({ source_project_id: source, target_project_id: target }: MergeRequest): boolean {
  return source !== target;
}
