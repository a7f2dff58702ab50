// Submits runs at once and reads each to its end with one poll, as CI jobs do.

import type { BenchService, Job } from "../bench-service.ts";

export type FollowedRuns = {
  readonly runs: number;
  /** Of all of them together. */
  readonly events: number;
  /** From the first submission to the last end. */
  readonly wallSeconds: number;
};

let submitted = 0;

/** Throws where one of them is refused or does not complete. */
export async function followRuns({ jobs: [job] }: BenchService, runs: number): Promise<FollowedRuns> {
  const startedAt = performance.now();
  const followed = await Promise.all(Array.from({ length: runs }, () => followRun(job)));
  return {
    runs,
    events: followed.reduce((sum, events) => sum + events, 0),
    wallSeconds: (performance.now() - startedAt) / 1000,
  };
}

/** Resolves with how many events it had. */
async function followRun({ client, agentId }: Job): Promise<number> {
  submitted += 1;
  const answer = await client.send("POST", `/v1/agents/${agentId}/runs`, { message: `Run ${submitted}` });
  if (answer.status !== 202) throw new Error(`The run was refused: ${answer.body}`);
  const { run_id: runId } = JSON.parse(answer.body);
  for (let after = 0; ; ) {
    const { status, body } = await client.send("GET", `/v1/ci/runs/${runId}?wait=30&after=${after}`);
    if (status !== 200) throw new Error(`The poll was answered ${status}: ${body}`);
    const page = JSON.parse(body);
    after = page.next;
    if (page.done !== true) continue;
    if (page.run.status !== "completed") throw new Error(`The run ended as ${JSON.stringify(page.run)}`);
    return after;
  }
}
