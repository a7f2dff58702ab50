// The rights of a job's capability, and the billing account of its runs.

import { type Answer, member } from "../kit/exchange.ts";
import {
  expectHeader,
  expectMember,
  expectRefused,
  expectStatus,
  expectThat,
  listOf,
  textOf,
} from "../kit/expect.ts";
import { exactly, filled, oneOf } from "../kit/field-kinds.ts";
import { type Job, job, makeJob, privateJob } from "../kit/jobs.ts";
import { recordStatements } from "../kit/record-fields.ts";
import { ended, endOf, type RunIds, submit } from "../kit/runs.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { agentOf } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

/** As the job, whatever the path. */
async function asJob(
  world: World,
  { capability }: Job,
  path: string,
  method = "GET",
  json?: unknown,
): Promise<Answer> {
  return await world.ask({ method, path, bearer: capability, ...(json === undefined ? {} : { json }) });
}

/** A run that a job has submitted, which has ended. */
async function jobsRun(world: World): Promise<RunIds & { readonly job: Job; readonly answer: Answer }> {
  return await world.once("run of a job", async () => {
    const of = await job(world);
    const answer = expectStatus(await submit(world, { agentId: of.agentId, bearer: of.capability }), 202);
    const run = {
      agentId: of.agentId,
      runId: textOf(answer, "run_id"),
      sessionId: textOf(answer, "session_id"),
    };
    await endOf(world, run, of.capability);
    return { ...run, job: of, answer };
  });
}

const capabilities = statementsOf("5 rule 7", { prefix: "capability", needs: ["issuer"] }, [
  [
    "submits",
    "A capability submits a run of its agent.",
    async (world) => void expectStatus((await jobsRun(world)).answer, 202),
    ["runs"],
  ],
  [
    "polls",
    "A capability polls the events of its run.",
    async (world) => {
      const { job: of, runId } = await jobsRun(world);
      expectStatus(await asJob(world, of, `/v1/ci/runs/${runId}`), 200);
    },
    ["runs"],
  ],
  [
    "reads",
    "A capability reads the record of its run.",
    async (world) => {
      const { job: of, agentId, runId } = await jobsRun(world);
      expectMember(await asJob(world, of, `/v1/agents/${agentId}/runs/${runId}`), "id", runId);
    },
    ["runs"],
  ],
  [
    "lists",
    "A capability lists the runs of its agent.",
    async (world) => {
      const { job: of, agentId, runId } = await jobsRun(world);
      const answer = expectStatus(await asJob(world, of, `/v1/agents/${agentId}/runs`), 200);
      expectThat(
        listOf(answer).some((run) => member(run, "id") === runId),
        `a run ${runId}`,
        answer,
      );
    },
    ["runs"],
  ],
  [
    "cancels",
    "A capability may cancel a run of its agent: one that has ended is answered 409.",
    async (world) => {
      const { job: of, agentId, runId } = await jobsRun(world);
      expectRefused(
        await asJob(world, of, `/v1/agents/${agentId}/runs/${runId}/cancel`, "POST"),
        409,
        "run_finished",
      );
    },
    ["runs"],
  ],
  [
    "key",
    "A job's submission with the same key gives the run of before, with the replay header.",
    async (world) => {
      const { agentId, capability } = await job(world);
      const key = world.uuid();
      const before = await submit(world, { agentId, bearer: capability, key });
      const answer = await submit(world, { agentId, bearer: capability, key });
      expectMember(answer, "run_id", textOf(before, "run_id"));
      expectHeader(answer, "x-svc-idempotent-replay", "true");
    },
    ["runs"],
  ],
  ...(
    [
      ["submit", "submit a run of", "POST", (id: string) => `/v1/agents/${id}/runs`, { message: "hello" }],
      ["list", "list the runs of", "GET", (id: string) => `/v1/agents/${id}/runs`, undefined],
    ] as const
  ).flatMap(([id, does, method, path, json]) => [
    [
      `${id}-other-agent`,
      `A capability may not ${does} an account's agent: 403.`,
      async (world: World) => {
        const answer = await asJob(
          world,
          await job(world),
          path(await agentOf(world, "owner")),
          method,
          json,
        );
        expectRefused(answer, 403, "forbidden");
      },
    ] as const,
    [
      `${id}-other-repository`,
      `A capability may not ${does} another repository's agent: 403.`,
      async (world: World) => {
        const other = await world.once("other job", () => makeJob(world));
        expectRefused(
          await asJob(world, await job(world), path(other.agentId), method, json),
          403,
          "forbidden",
        );
      },
    ] as const,
  ]),
  [
    "run-of-account",
    "A capability may not poll an account's run: 403.",
    async (world) => {
      const { runId } = await ended(world);
      expectRefused(await asJob(world, await job(world), `/v1/ci/runs/${runId}`), 403, "forbidden");
    },
    ["runs"],
  ],
  [
    "run-of-other-repository",
    "A capability may not poll another repository's run: 403.",
    async (world) => {
      const { runId } = await jobsRun(world);
      const other = await world.once("other job", () => makeJob(world));
      expectRefused(await asJob(world, other, `/v1/ci/runs/${runId}`), 403, "forbidden");
    },
    ["runs"],
  ],
  [
    "key-of-account",
    "An account does not reach the run of a repository that it does not own: 403.",
    async (world) =>
      void expectRefused(await world.get(`/v1/ci/runs/${(await jobsRun(world)).runId}`), 403, "forbidden"),
    ["runs"],
  ],
  [
    "agent-of-repository",
    "An account does not reach the agent of a repository that it does not own: 403.",
    async (world) =>
      void expectRefused(await world.get(`/v1/agents/${(await job(world)).agentId}`), 403, "forbidden"),
  ],
]);

/** Refused for want of a payer. */
async function unpaid(world: World): Promise<Answer> {
  return await world.once("unpaid submission", async () => {
    const { agentId, capability } = await privateJob(world);
    return await submit(world, { agentId, bearer: capability });
  });
}

const payment = [
  ...recordStatements({
    prefix: "payment-needed",
    section: "2.8",
    what: "The refusal of a run that nobody pays for",
    needs: ["issuer"],
    read: unpaid,
    fields: {
      error: filled,
      code: exactly("insufficient_credits"),
      audience: oneOf("anon", "registered_free", "subscribed"),
      claim_url: filled,
    },
  }),
  ...statementsOf("7", { prefix: "payment", needs: ["issuer"] }, [
    [
      "402",
      "A run of a private repository that nobody has claimed is answered 402.",
      async (world) => void expectRefused(await unpaid(world), 402, "insufficient_credits"),
    ],
  ]),
];

export const jobs: readonly Statement[] = [...capabilities, ...payment];
