// Runs: submission, the list, cancellation.

import { member } from "../kit/exchange.ts";
import {
  expectHeader,
  expectMember,
  expectRefused,
  expectStatus,
  expectThat,
  listOf,
  textOf,
} from "../kit/expect.ts";
import { filled } from "../kit/field-kinds.ts";
import {
  cancel,
  cancelledRun,
  ended,
  endOf,
  listRuns,
  PROMPT,
  pathOfRun,
  readRun,
  runner,
  start,
  submit,
} from "../kit/runs.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { makeAgent, retiredAgentOf } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const MAX_TURN_TOKENS = 5_000_000;

const message = (content: string) => ({ role: "user", content });

const submission = statementsOf("4.2", { prefix: "submit-run", needs: ["runs"] }, [
  ["202", "A submission is answered 202.", async (world) => void expectStatus(await submit(world), 202)],
  [
    "run-id",
    'The answer has "run_id", a text that is not empty.',
    async (world) => {
      const answer = await submit(world);
      expectThat(filled.holds(member(answer.json, "run_id")), `run_id is ${filled.says}`, answer);
    },
  ],
  [
    "session-id",
    'The answer has "session_id", a text that is not empty.',
    async (world) => {
      const answer = await submit(world);
      expectThat(filled.holds(member(answer.json, "session_id")), `session_id is ${filled.says}`, answer);
    },
  ],
  [
    "run-header",
    "The header X-Svc-Run-Id has the run's id.",
    async (world) => {
      const answer = await submit(world);
      expectHeader(answer, "x-svc-run-id", textOf(answer, "run_id"));
    },
  ],
  [
    "session-header",
    "The header X-Svc-Session-Id has the session's id.",
    async (world) => {
      const answer = await submit(world);
      expectHeader(answer, "x-svc-session-id", textOf(answer, "session_id"));
    },
  ],
  [
    "no-replay",
    "A first submission has no header X-Svc-Idempotent-Replay.",
    async (world) =>
      expectHeader(
        expectStatus(await submit(world, { key: world.uuid() }), 202),
        "x-svc-idempotent-replay",
        null,
      ),
  ],
  [
    "is-read",
    "A submitted run is read at once.",
    async (world) => {
      const run = await start(world);
      expectMember(await readRun(world, run), "id", run.runId);
    },
  ],
  [
    "no-output",
    "The answer to a submission has no output of the run.",
    async (world) => {
      const answer = expectStatus(await submit(world), 202);
      const names = Object.keys(answer.json as object)
        .sort()
        .join(", ");
      expectThat(names === "run_id, session_id", "run_id and session_id alone", answer);
    },
  ],
  [
    "new-session",
    "Without session_id each run begins a session.",
    async (world) => {
      const [one, other] = [await start(world), await submit(world)];
      expectThat(textOf(other, "session_id") !== one.sessionId, "another session_id", other);
    },
  ],
  [
    "same-session",
    "With session_id the run continues that session.",
    async (world) => {
      const { sessionId } = await ended(world);
      const answer = await submit(world, { body: { message: PROMPT, session_id: sessionId } });
      expectMember(expectStatus(answer, 202), "session_id", sessionId);
    },
  ],
  [
    "thread",
    "The run's thread_id is its session.",
    async (world) => {
      const run = await ended(world);
      expectMember(await readRun(world, run), "thread_id", run.sessionId);
    },
  ],
  [
    "session-of-another",
    "A run in a session of another agent is answered 404.",
    async (world) => {
      const body = { message: PROMPT, session_id: (await ended(world)).sessionId };
      expectRefused(await submit(world, { agentId: await makeAgent(world), body }), 404, "not_found");
    },
  ],
  ...[0, 1_000, MAX_TURN_TOKENS].map(
    (tokens) =>
      [
        `max-turn-tokens-${tokens}`,
        `max_turn_tokens may be ${tokens}.`,
        async (world: World) => {
          expectStatus(await submit(world, { body: { message: PROMPT, max_turn_tokens: tokens } }), 202);
        },
      ] as const,
  ),
  ...(["user", "assistant", "system", "tool"] as const).map(
    (role) =>
      [
        `role-${role}`,
        `A message may have the role "${role}".`,
        async (world: World) => {
          const named = role === "tool" ? { tool_call_id: "call-1" } : {};
          const messages = [message("Hello."), { role, content: "Hello.", ...named }, message(PROMPT)];
          expectStatus(await submit(world, { body: { messages } }), 202);
        },
      ] as const,
  ),
  [
    "parts",
    "A message may have parts with type, path, mime, w and h.",
    async (world) => {
      const parts = [
        { type: "file", path: "README.md" },
        { type: "image", path: "a.png", mime: "image/png", w: 1, h: 1 },
      ];
      expectStatus(await submit(world, { body: { messages: [{ ...message(PROMPT), parts }] } }), 202);
    },
  ],
  [
    "ai-client",
    "An AI client may submit a run.",
    async (world) => void expectStatus(await submit(world, { as: "ai" }), 202),
    ["ai_client"],
  ],
]);

/** Asks where a body that is taken by mistake starts nothing. */
async function refuse(world: World, body: Readonly<Record<string, unknown>>): Promise<void> {
  expectRefused(await submit(world, { agentId: await retiredAgentOf(world), body }), 400, "invalid_request");
}

const refusals = statementsOf("4.2", { prefix: "refuse-run" }, [
  [
    "nothing",
    "A submission with neither message nor messages is answered 400.",
    (world) => refuse(world, {}),
  ],
  ["empty", "A submission with an empty message is answered 400.", (world) => refuse(world, { message: "" })],
  [
    "wrong-messages",
    "Wrong messages are answered 400 also where a right message is beside them.",
    (world) => refuse(world, { message: PROMPT, messages: [] }),
  ],
  [
    "unknown-session",
    "A run in a session that nothing has is answered 404.",
    async (world) => {
      expectRefused(
        await submit(world, { body: { message: PROMPT, session_id: world.uuid() } }),
        404,
        "not_found",
      );
    },
    ["runs"],
  ],
  [
    "no-runs",
    "An agent without runs has an empty list.",
    async (world) => {
      const { answer } = await listRuns(world, await makeAgent(world));
      expectThat(listOf(answer).length === 0, "an empty array", answer);
    },
  ],
]);

/** An agent with five runs that have ended, the newest first. */
async function several(
  world: World,
): Promise<{ readonly agentId: string; readonly newest: readonly string[] }> {
  return await world.once("several runs", async () => {
    const agentId = await makeAgent(world);
    const ids: string[] = [];
    for (let runs = 0; runs < 5; runs += 1) {
      const run = await start(world, { agentId });
      await endOf(world, run);
      ids.unshift(run.runId);
    }
    return { agentId, newest: ids };
  });
}

const listing = statementsOf("4.2", { prefix: "list-runs", needs: ["runs"] }, [
  [
    "order",
    "The list has the newest run first.",
    async (world) => {
      const { agentId, newest } = await several(world);
      const { answer, ids } = await listRuns(world, agentId);
      expectThat(JSON.stringify(ids) === JSON.stringify(newest), newest.join(", "), answer);
    },
  ],
  [
    "record",
    "The list has each run as it is read by its id.",
    async (world) => {
      const run = await ended(world);
      const { answer } = await listRuns(world, run.agentId, "?limit=100");
      const item = listOf(answer).find((one) => member(one, "id") === run.runId);
      const { text } = await readRun(world, run);
      expectThat(JSON.stringify(item) === text, text, answer);
    },
  ],
  [
    "limit",
    "limit bounds a page of runs.",
    async (world) => {
      const { agentId, newest } = await several(world);
      const { answer, ids } = await listRuns(world, agentId, "?limit=2");
      expectThat(JSON.stringify(ids) === JSON.stringify(newest.slice(0, 2)), "the two newest", answer);
    },
  ],
  [
    "next",
    "A page of runs that is not the last links to the next one.",
    async (world) => {
      const { agentId, newest } = await several(world);
      const { answer } = await listRuns(world, agentId, "?limit=2");
      expectHeader(answer, "link", new RegExp(`limit=2&before=${newest[1]}>; rel="next"`));
    },
  ],
  [
    "last",
    "The last page of runs has no link.",
    async (world) =>
      expectHeader((await listRuns(world, (await several(world)).agentId, "?limit=5")).answer, "link", null),
  ],
  [
    "before",
    "before gives the runs that are older than one of them.",
    async (world) => {
      const { agentId, newest } = await several(world);
      const { answer, ids } = await listRuns(world, agentId, `?before=${newest[1]}`);
      expectThat(JSON.stringify(ids) === JSON.stringify(newest.slice(2)), "the three oldest", answer);
    },
  ],
  [
    "other-agent",
    "The list has no run of another agent.",
    async (world) => {
      const { runId } = await ended(world);
      const { answer } = await listRuns(world, (await several(world)).agentId);
      expectThat(!answer.text.includes(runId), `no ${runId}`, answer);
    },
  ],
  [
    "read-below-other-agent",
    "A run is not found below another agent of the same account.",
    async (world) => {
      const { runId } = await ended(world);
      const path = pathOfRun({ agentId: (await several(world)).agentId, runId });
      expectRefused(await world.get(path), 404, "not_found");
    },
  ],
  [
    "cancel-below-other-agent",
    "A run is not cancelled below another agent of the same account: 404.",
    async (world) => {
      const { runId } = await ended(world);
      const path = `${pathOfRun({ agentId: (await several(world)).agentId, runId })}/cancel`;
      expectRefused(await world.post(path, undefined), 404, "not_found");
    },
  ],
  [
    "of-another-account",
    "A run of another account's agent is answered 403.",
    async (world) =>
      void expectRefused(await world.get(pathOfRun(await ended(world)), "other"), 403, "forbidden"),
    ["another_account"],
  ],
  [
    "list-of-another-account",
    "The runs of another account's agent are answered 403.",
    async (world) => {
      const { agentId } = await ended(world);
      expectRefused(await world.get(`/v1/agents/${agentId}/runs`, "other"), 403, "forbidden");
    },
    ["another_account"],
  ],
  [
    "submit-to-another-account",
    "A run of another account's agent is refused: 403.",
    async (world) => {
      expectRefused(await submit(world, { agentId: await runner(world), as: "other" }), 403, "forbidden");
    },
    ["another_account"],
  ],
]);

const cancellation = statementsOf("3.1", { prefix: "cancel-run", needs: ["runs"] }, [
  [
    "in-flight",
    "Cancelling a run in flight is answered 202.",
    async (world) => void expectStatus((await cancelledRun(world)).answer, 202),
  ],
  [
    "run-id",
    'The answer to a cancellation has the run\'s id as "runId".',
    async (world) => {
      const { answer, runId } = await cancelledRun(world);
      expectMember(answer, "runId", runId);
    },
  ],
  [
    "status",
    'The answer to a cancellation has the status "cancelling".',
    async (world) => expectMember((await cancelledRun(world)).answer, "status", "cancelling"),
  ],
  [
    "finished",
    "Cancelling a run that has ended is answered 409.",
    async (world) => void expectRefused(await cancel(world, await ended(world)), 409, "run_finished"),
  ],
  [
    "finished-unchanged",
    "Cancelling a run that has ended changes nothing.",
    async (world) => {
      const run = await ended(world);
      const before = await readRun(world, run);
      await cancel(world, run);
      const after = await readRun(world, run);
      expectThat(after.text === before.text, `the run unchanged: ${before.text}`, after);
    },
  ],
  [
    "cancelled",
    "Cancelling a run that is cancelled already is answered 409.",
    async (world) => void expectRefused(await cancel(world, await cancelledRun(world)), 409, "run_finished"),
  ],
  [
    "of-another",
    "Cancelling a run of another account is answered 403.",
    async (world) => void expectRefused(await cancel(world, await ended(world), "other"), 403, "forbidden"),
    ["another_account"],
  ],
  [
    "unknown",
    "Cancelling a run that nothing has is answered 404.",
    async (world) => {
      const path = `/v1/agents/${await runner(world)}/runs/${world.uuid()}/cancel`;
      expectRefused(await world.post(path, undefined), 404, "not_found");
    },
  ],
]);

export const runs: readonly Statement[] = [...submission, ...refusals, ...listing, ...cancellation];
