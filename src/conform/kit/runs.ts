// Runs that statements are about. All of them need leave to start runs.

import { type Answer, member } from "./exchange.ts";
import { Difference, expectStatus, expectThat, listOf, textOf } from "./expect.ts";
import { makeAgent } from "./things.ts";
import type { World, WorldCaller } from "./world.ts";

/** A word in answer, wherever a model executes runs. */
export const PROMPT = "Answer with one word: done.";
/** So many runs at once keep a service busy long enough to cancel one of them. */
const BURST = 12;
const MAX_BURSTS = 5;
const MAX_POLLS = 40;

export type RunIds = { readonly agentId: string; readonly runId: string; readonly sessionId: string };

export async function runner(world: World): Promise<string> {
  return await world.once("agent for runs", () => makeAgent(world));
}

type Submission = {
  readonly as?: WorldCaller;
  readonly bearer?: string;
  readonly agentId?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Of the header Idempotency-Key; none where it is left out. */
  readonly key?: string;
};

export async function submit(world: World, submission: Submission = {}): Promise<Answer> {
  const { as = "owner", bearer, body = { message: PROMPT }, key } = submission;
  const agentId = submission.agentId ?? (await runner(world));
  return await world.ask({
    method: "POST",
    path: `/v1/agents/${agentId}/runs`,
    as,
    ...(bearer === undefined ? {} : { bearer }),
    ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
    json: body,
  });
}

export async function start(world: World, submission: Submission = {}): Promise<RunIds> {
  const agentId = submission.agentId ?? (await runner(world));
  const answer = expectStatus(await submit(world, { ...submission, agentId }), 202);
  return { agentId, runId: textOf(answer, "run_id"), sessionId: textOf(answer, "session_id") };
}

export function pathOfRun({ agentId, runId }: Pick<RunIds, "agentId" | "runId">): string {
  return `/v1/agents/${agentId}/runs/${runId}`;
}

export async function readRun(world: World, run: RunIds, as: WorldCaller = "owner"): Promise<Answer> {
  return expectStatus(await world.get(pathOfRun(run), as), 200);
}

export async function cancel(world: World, run: RunIds, as: WorldCaller = "owner"): Promise<Answer> {
  return await world.post(`${pathOfRun(run)}/cancel`, undefined, as);
}

/** Waits for the run's end by its events: the last page of them. */
export async function endOf(world: World, { runId }: RunIds, bearer?: string): Promise<Answer> {
  for (let polls = 0, after: unknown = 0; ; polls += 1) {
    const path = `/v1/ci/runs/${runId}?wait=30&after=${String(after)}`;
    const answer = await world.ask({ path, ...(bearer === undefined ? {} : { bearer }) });
    expectStatus(answer, 200);
    if (member(answer.json, "done") === true) return answer;
    if (polls === MAX_POLLS) throw new Difference("a run that ends", answer);
    after = member(answer.json, "next");
  }
}

/** A run that has ended by itself. Shared: no statement changes it. */
export async function ended(world: World): Promise<RunIds> {
  return await world.once("ended run", async () => {
    const run = await start(world);
    await endOf(world, run);
    return run;
  });
}

type CancelledRun = RunIds & { readonly answer: Answer };

/** A run that was cancelled before it had ended, with the answer to that. Runs are short: of many at once, one is in time. */
export async function cancelledRun(world: World): Promise<CancelledRun> {
  return await world.once("cancelled run", async () => {
    const agentId = await makeAgent(world);
    for (let bursts = 1; ; bursts += 1) {
      const body = { message: "wait" };
      const runs = await Promise.all(Array.from({ length: BURST }, () => start(world, { agentId, body })));
      const cancels = await Promise.all(
        runs.toReversed().map(async (run) => ({ ...run, answer: await cancel(world, run) })),
      );
      for (const { answer } of cancels) expectStatus(answer, 202, 409);
      const inTime = cancels.find(({ answer }) => answer.status === 202);
      await Promise.all(runs.map((run) => endOf(world, run)));
      if (inTime !== undefined) return inTime;
      const [{ answer } = { answer: undefined }] = cancels;
      if (answer !== undefined && bursts === MAX_BURSTS)
        throw new Difference("a run that is cancelled in time", answer);
    }
  });
}

/** The agent's runs by the list, newest first. */
export async function listRuns(
  world: World,
  agentId: string,
  query = "",
): Promise<{ answer: Answer; ids: readonly unknown[] }> {
  const answer = expectStatus(await world.get(`/v1/agents/${agentId}/runs${query}`), 200);
  return { answer, ids: listOf(answer).map((run) => member(run, "id")) };
}

/** The answer gives the run of an earlier one. */
export function expectReplay(answer: Answer, earlier: Answer): void {
  expectStatus(answer, 202);
  expectThat(answer.text === earlier.text, `the run of before: ${earlier.text}`, answer);
}
