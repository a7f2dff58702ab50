// Idempotency keys of runs: their length, their places, their comparison, and requests at once.

import { member } from "../kit/exchange.ts";
import { expectHeader, expectRefused, expectStatus, expectThat, textOf } from "../kit/expect.ts";
import { endOf, expectReplay, listRuns, PROMPT, start, submit } from "../kit/runs.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { makeAgent, retiredAgentOf } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const MAX_CHARS = 255;
const RACERS = 8;
const REPLAY = "x-svc-idempotent-replay";
const hello = { role: "user", content: "Answer with one word: hello." };

/** Sends a body twice with one key in the header. */
async function twice(world: World, first: Readonly<Record<string, unknown>>, second = first) {
  const key = world.uuid();
  const before = expectStatus(await submit(world, { key, body: first }), 202);
  return { before, answer: await submit(world, { key, body: second }) };
}

const inHeader = statementsOf("4.2", { prefix: "run-key", needs: ["runs"] }, [
  [
    "same-run",
    "The same key with the same request gives the run of before.",
    async (world) => {
      const { before, answer } = await twice(world, { message: PROMPT });
      expectReplay(answer, before);
    },
  ],
  [
    "header",
    'A replay has the header X-Svc-Idempotent-Replay: "true".',
    async (world) => expectHeader((await twice(world, { message: PROMPT })).answer, REPLAY, "true"),
  ],
  [
    "run-id-header",
    "A replay has the run's id in X-Svc-Run-Id.",
    async (world) => {
      const { before, answer } = await twice(world, { message: PROMPT });
      expectHeader(answer, "x-svc-run-id", textOf(before, "run_id"));
    },
  ],
  [
    "session-id-header",
    "A replay has the session's id in X-Svc-Session-Id.",
    async (world) => {
      const { before, answer } = await twice(world, { message: PROMPT });
      expectHeader(answer, "x-svc-session-id", textOf(before, "session_id"));
    },
  ],
  [
    "one-run",
    "The same key makes one run.",
    async (world) => {
      const [agentId, key] = [await makeAgent(world), world.uuid()];
      for (let asks = 0; asks < 3; asks += 1) expectStatus(await submit(world, { agentId, key }), 202);
      const { answer, ids } = await listRuns(world, agentId);
      expectThat(ids.length === 1, "one run", answer);
    },
  ],
  [
    "after-end",
    "The same key gives the run of before also when that has ended.",
    async (world) => {
      const key = world.uuid();
      const before = expectStatus(await submit(world, { key }), 202);
      const runId = textOf(before, "run_id");
      await endOf(world, { agentId: "", runId, sessionId: "" });
      expectReplay(await submit(world, { key }), before);
    },
  ],
  [
    "spelling",
    "A request that is spelled otherwise in JSON is the same request.",
    async (world) => {
      const key = world.uuid();
      const body = { message: PROMPT, max_turn_tokens: 1_000 };
      const before = expectStatus(await submit(world, { key, body }), 202);
      const path = before.asked.path;
      const raw = `{ "max_turn_tokens" : 1000 , "message" : ${JSON.stringify(PROMPT)} }`;
      const headers = { "content-type": "application/json", "idempotency-key": key };
      expectReplay(await world.ask({ method: "POST", path, headers, raw }), before);
    },
  ],
  [
    "default",
    "max_turn_tokens of 0 and none are the same request.",
    async (world) => {
      const { before, answer } = await twice(
        world,
        { message: PROMPT },
        { message: PROMPT, max_turn_tokens: 0 },
      );
      expectReplay(answer, before);
    },
  ],
  [
    "messages-win",
    "Where messages are there, message is not read: another one is the same request.",
    async (world) => {
      const [one, other] = [
        { message: "one", messages: [hello] },
        { message: "other", messages: [hello] },
      ];
      const { before, answer } = await twice(world, one, other);
      expectReplay(answer, before);
    },
  ],
  [
    "messages-alone",
    "messages with a message and without one are the same request.",
    async (world) => {
      const { before, answer } = await twice(
        world,
        { message: "one", messages: [hello] },
        { messages: [hello] },
      );
      expectReplay(answer, before);
    },
  ],
  ...(
    [
      ["message", { message: "Answer with one word: other." }],
      ["messages", { messages: [hello] }],
      ["max-turn-tokens", { message: PROMPT, max_turn_tokens: 1_000 }],
    ] as const
  ).map(
    ([id, body]) =>
      [
        `reused-${id}`,
        `The same key with another request is answered 422: ${JSON.stringify(Object.keys(body).at(-1))} differs.`,
        async (world: World) => {
          const { answer } = await twice(world, { message: PROMPT }, body);
          expectRefused(answer, 422, "idempotency_key_reused");
        },
      ] as const,
  ),
  [
    "reused-session",
    "The same key for another session is answered 422.",
    async (world) => {
      const { sessionId } = await start(world);
      const { answer } = await twice(world, { message: PROMPT }, { message: PROMPT, session_id: sessionId });
      expectRefused(answer, 422, "idempotency_key_reused");
    },
  ],
  [
    "reused-keeps",
    "A key that was refused for another request still gives the run of before.",
    async (world) => {
      const key = world.uuid();
      const before = expectStatus(await submit(world, { key }), 202);
      expectRefused(await submit(world, { key, body: { message: "Another." } }), 422);
      expectReplay(await submit(world, { key }), before);
    },
  ],
  [
    "other-agent",
    "The same key of another agent makes another run.",
    async (world) => {
      const key = world.uuid();
      const before = expectStatus(await submit(world, { key }), 202);
      const answer = expectStatus(await submit(world, { key, agentId: await makeAgent(world) }), 202);
      expectThat(textOf(answer, "run_id") !== textOf(before, "run_id"), "another run_id", answer);
    },
  ],
  [
    "no-key",
    "Without a key the same request makes another run.",
    async (world) => {
      const [before, answer] = [await submit(world), await submit(world)];
      expectThat(textOf(answer, "run_id") !== textOf(before, "run_id"), "another run_id", answer);
    },
  ],
  [
    "refused-free",
    "A refused request does not take its key.",
    async (world) => {
      const key = world.uuid();
      expectRefused(await submit(world, { key, body: { message: PROMPT, session_id: world.uuid() } }), 404);
      expectStatus(await submit(world, { key }), 202);
    },
  ],
  [
    "race",
    `${RACERS} requests at once with one key make one run; those that are too early are answered 409 with Retry-After: 2.`,
    async (world) => {
      const [agentId, key] = [await makeAgent(world), world.uuid()];
      const answers = await Promise.all(
        Array.from({ length: RACERS }, () => submit(world, { agentId, key })),
      );
      for (const answer of answers) {
        if (expectStatus(answer, 202, 409).status === 409) {
          expectRefused(answer, 409, "idempotency_key_in_flight");
          expectHeader(answer, "retry-after", "2");
        }
      }
      const ids = new Set(
        answers.filter(({ status }) => status === 202).map(({ json }) => member(json, "run_id")),
      );
      const { answer, ids: made } = await listRuns(world, agentId);
      expectThat(ids.size === 1 && made.length === 1, "one run", answer);
    },
  ],
]);

const places = statementsOf("4.2", { prefix: "run-key-place", needs: ["runs"] }, [
  [
    "body",
    "A key in the body does as one in the header.",
    async (world) => {
      const body = { message: PROMPT, idempotency_key: world.uuid() };
      const before = expectStatus(await submit(world, { body }), 202);
      expectReplay(await submit(world, { body }), before);
    },
  ],
  [
    "body-header",
    "A replay by a key in the body has the header X-Svc-Idempotent-Replay.",
    async (world) => {
      const body = { message: PROMPT, idempotency_key: world.uuid() };
      await submit(world, { body });
      expectHeader(await submit(world, { body }), REPLAY, "true");
    },
  ],
  [
    "one-space",
    "A key that was in the body gives its run from the header, too.",
    async (world) => {
      const key = world.uuid();
      const before = expectStatus(
        await submit(world, { body: { message: PROMPT, idempotency_key: key } }),
        202,
      );
      expectReplay(await submit(world, { key }), before);
    },
  ],
  [
    "header-wins",
    "Where both are there the header's key counts.",
    async (world) => {
      const key = world.uuid();
      const body = (of: string) => ({ message: PROMPT, idempotency_key: of });
      const before = expectStatus(await submit(world, { key, body: body(world.uuid()) }), 202);
      expectReplay(await submit(world, { key, body: body(world.uuid()) }), before);
    },
  ],
  [
    "body-unused",
    "Where both are there the body's key stays unused.",
    async (world) => {
      const inBody = world.uuid();
      const body = { message: PROMPT, idempotency_key: inBody };
      const before = expectStatus(await submit(world, { key: world.uuid(), body }), 202);
      const answer = expectStatus(await submit(world, { key: inBody }), 202);
      expectThat(textOf(answer, "run_id") !== textOf(before, "run_id"), "another run_id", answer);
    },
  ],
  [
    "empty-header",
    "An empty header leaves the body's key in force.",
    async (world) => {
      const body = { message: PROMPT, idempotency_key: world.uuid() };
      const before = expectStatus(await submit(world, { key: "", body }), 202);
      expectReplay(await submit(world, { key: "", body }), before);
    },
  ],
  ...([1, MAX_CHARS] as const).flatMap((length) => {
    const keyOf = (world: World) => (length === 1 ? "k" : world.uuid().padEnd(length, "k"));
    return [
      [
        `header-${length}`,
        `A key in the header may have ${length} ${length === 1 ? "character" : "characters"}.`,
        async (world: World) => {
          expectStatus(await submit(world, { agentId: await makeAgent(world), key: keyOf(world) }), 202);
        },
      ],
      [
        `body-${length}`,
        `A key in the body may have ${length} ${length === 1 ? "character" : "characters"}.`,
        async (world: World) => {
          const body = { message: PROMPT, idempotency_key: keyOf(world) };
          expectStatus(await submit(world, { agentId: await makeAgent(world), body }), 202);
        },
      ],
    ] as const;
  }),
]);

const lengths = statementsOf("8", { prefix: "key-length" }, [
  [
    "header",
    `A key in the header of ${MAX_CHARS + 1} characters is answered 400.`,
    async (world) => {
      expectRefused(
        await submit(world, { agentId: await retiredAgentOf(world), key: "k".repeat(MAX_CHARS + 1) }),
        400,
      );
    },
  ],
  [
    "creation",
    `A key of ${MAX_CHARS + 1} characters is answered 400 where an agent is made.`,
    async (world) => {
      const headers = { "idempotency-key": "k".repeat(MAX_CHARS + 1) };
      expectRefused(
        await world.ask({ method: "POST", path: "/v1/agents", headers, json: { name: world.name("x") } }),
        400,
      );
    },
  ],
]);

export const runKeys: readonly Statement[] = [...inHeader, ...places, ...lengths];
