// Starts a workflow of the repository for a run, on the job's own branch or tag.
// https://docs.github.com/en/rest/actions/workflows#create-a-workflow-dispatch-event (2026-11-27)

import * as z from "zod/mini";
import type { Environment } from "../../base/environment.ts";
import type { CiJob } from "../../ci/provider.ts";
import type { OutputOf } from "../../contract/runs/typed-outputs.ts";
import { NotWritten } from "../../job/outputs/outputs-host.ts";
import type { WrittenOutput } from "../../report/written-outputs.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { readViewer } from "../api/viewer.ts";
import { permitted } from "./permitted.ts";

const PERMISSION = "actions";
const runsSchema = z.object({
  workflow_runs: z.array(
    z.object({
      html_url: z.string(),
      created_at: z.string(),
      actor: z.nullable(z.object({ id: z.int() })),
    }),
  ),
});

type Dispatch = {
  readonly api: GitHubApi;
  readonly env: Environment;
  readonly job: CiJob;
  /** When the run began, in milliseconds since the epoch. */
  readonly startedAtMs: number;
};

/**
 * Rejects with NotWritten. A later attempt of the job starts none where one was started since the run began: a workflow's run has no place
 * for a marker.
 */
export async function dispatchWorkflow(
  { api, env, job, startedAtMs }: Dispatch,
  { workflow }: OutputOf<"dispatch">,
): Promise<WrittenOutput> {
  const [, kind, ref] = /^refs\/(heads|tags)\/(.+)$/.exec(env.GITHUB_REF ?? "") ?? [];
  if (ref === undefined)
    throw new NotWritten(
      "This job runs on no branch and no tag, as jobs of pull requests do, and a workflow is started on the job's own.",
    );
  const path = `/actions/workflows/${encodeURIComponent(workflow)}`;
  if ((job.attempt ?? 1) > 1) {
    const branch = kind === "heads" ? `&branch=${encodeURIComponent(ref)}` : "";
    const query = `event=workflow_dispatch${branch}&per_page=100`;
    const runs = await permitted(PERMISSION, api.read(`${path}/runs?${query}`, runsSchema));
    const { id } = await readViewer(api);
    const there = runs?.workflow_runs.find(
      ({ actor, created_at: at }) => actor?.id === id && Date.parse(at) >= startedAtMs,
    );
    if (there !== undefined)
      return { type: "dispatch", text: `${workflow} was started before.`, url: there.html_url };
  }
  const write = { method: "POST", path: `${path}/dispatches`, body: { ref }, isRepeatable: false } as const;
  await permitted(PERMISSION, api.write(write, z.unknown()));
  return { type: "dispatch", text: `Started ${workflow} on ${ref}.`, url: null };
}
