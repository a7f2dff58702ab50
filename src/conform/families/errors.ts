// The body and the headers of errors, the same for every status.

import { type Answer, member } from "../kit/exchange.ts";
import { expectHeader, expectStatus, expectThat, textOf } from "../kit/expect.ts";
import { privateJob } from "../kit/jobs.ts";
import { cancel, ended, submit } from "../kit/runs.ts";
import { cancelled, cancelSchedule, confirmSchedule, pending } from "../kit/schedules.ts";
import { type Need, type Statement, statementsOf } from "../kit/statement.ts";
import { agentOf, retiredAgentOf } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

type Case = {
  readonly status: number;
  readonly ask: (world: World) => Promise<Answer>;
  readonly needs?: readonly Need[];
};

/** A refusal of each status that a client can cause. */
const cases: readonly Case[] = [
  { status: 400, ask: (world) => world.post("/v1/agents", {}) },
  { status: 401, ask: (world) => world.ask({ path: "/v1/agents", as: "nobody" }) },
  {
    status: 402,
    ask: async (world) => {
      const { agentId, capability } = await privateJob(world);
      return await submit(world, { agentId, bearer: capability });
    },
    needs: ["issuer"],
  },
  { status: 403, ask: (world) => world.get(`/v1/users/${world.uuid()}/credits`) },
  { status: 404, ask: (world) => world.get(`/v1/agents/${world.uuid()}`) },
  { status: 409, ask: async (world) => confirmSchedule(world, await pending(world)) },
  { status: 413, ask: (world) => world.post("/v1/agents", { name: "x".repeat(2 ** 20) }) },
  {
    status: 415,
    ask: (world) =>
      world.ask({
        method: "POST",
        path: "/v1/agents",
        headers: { "content-type": "text/plain" },
        raw: "name",
      }),
  },
  {
    status: 422,
    ask: async (world) => {
      const key = await world.once("reused key", async () => {
        const taken = world.uuid();
        await submit(world, { key: taken });
        return taken;
      });
      return await submit(world, { key, body: { message: "Another." } });
    },
    needs: ["runs"],
  },
  { status: 426, ask: (world) => world.get("/v1/ws") },
];

const refusal = (world: World, { status, ask }: Case) =>
  world.once(`refusal ${status}`, async () => expectStatus(await ask(world), status));

const bodies = cases.flatMap((one): readonly Statement[] => {
  const { status, needs = [] } = one;
  return statementsOf("2.8", { prefix: `error-${status}`, needs }, [
    [
      "error",
      `A refusal with ${status} has "error", a text for people.`,
      async (world) => {
        const answer = await refusal(world, one);
        expectThat(textOf(answer, "error").length > 0, '"error", a text that is not empty', answer);
      },
    ],
    [
      "code",
      `A refusal with ${status} has "code", a stable word.`,
      async (world) => {
        const answer = await refusal(world, one);
        const code = textOf(answer, "code");
        const isWord = code !== "" && code === code.toLowerCase() && !code.includes(" ");
        expectThat(isWord, '"code", a word in lower case', answer);
      },
    ],
    [
      "request-id",
      `A refusal with ${status} has the request's id in its body and its header.`,
      async (world) => {
        const answer = await refusal(world, one);
        expectHeader(answer, "x-request-id", textOf(answer, "request_id"));
      },
    ],
    [
      "json",
      `A refusal with ${status} is JSON, and says so.`,
      async (world) => expectHeader(await refusal(world, one), "content-type", /^application\/json\b/),
    ],
  ]);
});

const headers = statementsOf("7", { prefix: "answers" }, [
  [
    "request-id",
    "Every request has an id of its own.",
    async (world) => {
      const [one, other] = [await world.get("/v1/agents"), await world.get("/v1/agents")];
      const id = one.headers["x-request-id"] ?? "";
      expectThat(id !== "" && id !== other.headers["x-request-id"], "another x-request-id", other);
    },
  ],
  [
    "json",
    "An answer with a record is JSON, and says so.",
    async (world) =>
      expectHeader(
        await world.get(`/v1/agents/${await agentOf(world, "owner")}`),
        "content-type",
        /^application\/json\b/,
      ),
  ],
  [
    "unknown-path",
    "A path below /v1 that nothing has is answered 404.",
    async (world) => void expectStatus(await world.get("/v1/no-such-thing"), 404),
  ],
  [
    "unknown-path-nobody",
    "A path below /v1 that nothing has is answered 404 or 401 without a credential.",
    async (world) =>
      void expectStatus(await world.ask({ path: "/v1/no-such-thing", as: "nobody" }), 401, 404),
  ],
  [
    "no-stack",
    "A refusal shows nothing of the service's code.",
    async (world) => {
      const answer = await world.ask({
        method: "POST",
        path: "/v1/agents",
        headers: { "content-type": "application/json" },
        raw: "{",
      });
      expectStatus(answer, 400);
      expectThat(!/\.[jt]s:\d|node_modules|SyntaxError/.test(answer.text), "no stack", answer);
    },
  ],
  [
    "retired-run",
    "A refused submission has no run in its headers.",
    async (world) =>
      expectHeader(
        expectStatus(await submit(world, { agentId: await retiredAgentOf(world) }), 403),
        "x-svc-run-id",
        null,
      ),
  ],
  [
    "cancelled-schedule",
    "A schedule that is no longer cancellable is answered 404 with a text that says so.",
    async (world) => {
      const answer = expectStatus(await cancelSchedule(world, await cancelled(world)), 404);
      expectThat(textOf(answer, "error").includes("cancel"), "an error text about cancelling", answer);
    },
  ],
  [
    "finished-run",
    "A run that has ended is answered 409 with its end in the text.",
    async (world) => {
      const run = await ended(world);
      const answer = expectStatus(await cancel(world, run), 409);
      const record = await world.get(`/v1/agents/${run.agentId}/runs/${run.runId}`);
      expectThat(
        textOf(answer, "error").includes(String(member(record.json, "status"))),
        "an error text with the status",
        answer,
      );
    },
    ["runs"],
  ],
]);

export const errors: readonly Statement[] = [...bodies, ...headers];
