// Idempotency keys beyond runs: agents and both kinds of schedules. Rule 7: a nonempty header wins over the body's key, and a key is
// reused only for the same request.

import { type Answer, member } from "../kit/exchange.ts";
import { expectHeader, expectRefused, expectStatus, expectThat, textOf } from "../kit/expect.ts";
import { type Need, type Statement, statementsOf } from "../kit/statement.ts";
import { makeAgent, makeWorkspace } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const REPLAY = "x-svc-idempotent-replay";
const DAY_SECONDS = 86_400;
const RACERS = 6;

type Keyed = {
  readonly prefix: string;
  readonly section: string;
  /** The subject of each sentence. */
  readonly what: string;
  readonly needs?: readonly Need[];
  readonly path: (world: World) => Promise<string>;
  readonly body: (world: World) => Readonly<Record<string, unknown>>;
  /** Takes away what was made. */
  readonly undo: (world: World, path: string, id: string) => Promise<Answer>;
};

const schedule = () => ({ prompt: "Look.", delay_seconds: DAY_SECONDS });
const dropBelow = (world: World, path: string, id: string) =>
  world.send("DELETE", `${path}/${id}`, undefined);

const routes: readonly Keyed[] = [
  {
    prefix: "agent-key",
    section: "4.1",
    what: "A creation of an agent",
    path: async () => "/v1/agents",
    body: (world) => ({ name: world.name("keyed") }),
    undo: (world, path, id) => world.post(`${path}/${id}/retire`, undefined),
  },
  {
    prefix: "independent-key",
    section: "4.6 rule 7",
    what: "A creation of an independent agent",
    path: async () => "/v1/agents",
    body: (world) => ({ name: world.name("keyed"), kind: "independent" }),
    undo: (world, path, id) => world.post(`${path}/${id}/retire`, undefined),
  },
  {
    prefix: "schedule-key",
    section: "4.3",
    what: "A creation of a schedule",
    path: async (world) =>
      `/v1/agents/${await world.once("agent for keys", () => makeAgent(world))}/schedules`,
    body: schedule,
    undo: dropBelow,
  },
  {
    prefix: "workspace-schedule-key",
    section: "4.6 rule 7",
    what: "A creation of a workspace's schedule",
    needs: ["workspaces"],
    path: async (world) =>
      `/v1/workspaces/${await world.once("workspace for keys", () => makeWorkspace(world))}/schedules`,
    body: schedule,
    undo: dropBelow,
  },
];

async function make(world: World, { path, undo }: Keyed, json: unknown, key: string): Promise<Answer> {
  const at = await path(world);
  const answer = await world.ask({ method: "POST", path: at, headers: { "idempotency-key": key }, json });
  const id = member(answer.json, "id");
  if (answer.status === 201 && typeof id === "string") world.atEnd(`${at}/${id}`, () => undo(world, at, id));
  return answer;
}

/** The same request twice with one key. */
async function twice(world: World, route: Keyed) {
  return await world.once(`twice ${route.prefix}`, async () => {
    const [body, key] = [route.body(world), world.uuid()];
    const before = expectStatus(await make(world, route, body, key), 201);
    return { before, answer: await make(world, route, body, key), key, body };
  });
}

const keyed = routes.flatMap((route): readonly Statement[] => {
  const { prefix, section, what, needs = [] } = route;
  return statementsOf(section, { prefix, needs }, [
    [
      "same",
      `${what} with the key of an earlier one gives what that one made.`,
      async (world) => {
        const { before, answer } = await twice(world, route);
        expectStatus(answer, 200, 201);
        expectThat(member(answer.json, "id") === textOf(before, "id"), `id ${textOf(before, "id")}`, answer);
      },
    ],
    [
      "replay",
      `${what} that repeats an earlier one has the header X-Svc-Idempotent-Replay.`,
      async (world) => expectHeader((await twice(world, route)).answer, REPLAY, "true"),
    ],
    [
      "no-replay",
      `${what} that is the first with its key has no header X-Svc-Idempotent-Replay.`,
      async (world) => expectHeader((await twice(world, route)).before, REPLAY, null),
    ],
    [
      "reused",
      `${what} with the key of another request is answered 422.`,
      async (world) => {
        const { body, key } = await twice(world, route);
        const other =
          "prompt" in body ? { ...body, prompt: "Look elsewhere." } : { ...body, name: world.name("other") };
        expectRefused(await make(world, route, other, key), 422, "idempotency_key_reused");
      },
    ],
    [
      "another",
      `${what} with another key makes another one.`,
      async (world) => {
        const { before, body } = await twice(world, route);
        const answer = expectStatus(await make(world, route, body, world.uuid()), 201);
        expectThat(textOf(answer, "id") !== textOf(before, "id"), "another id", answer);
      },
    ],
    [
      "race",
      `${what}, sent ${RACERS} times at once with one key, makes one.`,
      async (world) => {
        const [body, key] = [route.body(world), world.uuid()];
        const answers = await Promise.all(
          Array.from({ length: RACERS }, () => make(world, route, body, key)),
        );
        for (const answer of answers) expectStatus(answer, 200, 201, 409);
        const ids = new Set(
          answers.filter(({ status }) => status < 300).map(({ json }) => member(json, "id")),
        );
        const [first] = answers;
        const isOne = ids.size === 1 && !ids.has(undefined);
        if (first !== undefined) expectThat(isOne, "one id", first);
      },
    ],
  ]);
});

const [agent, , agentSchedule, workspaceSchedule] = routes;

const places = statementsOf("4.6 rule 7", { prefix: "key-place" }, [
  [
    "empty-agent",
    "An empty header Idempotency-Key without a key in the body is answered 400: an agent is not made.",
    async (world) => {
      if (agent !== undefined) expectRefused(await make(world, agent, agent.body(world), ""), 400);
    },
  ],
  ...[agentSchedule, workspaceSchedule].flatMap((route) =>
    route === undefined
      ? []
      : ([
          [
            `${route.prefix}-empty`,
            `${route.what} with an empty header is repeated by the key in its body.`,
            async (world: World) => {
              const body = { ...route.body(world), idempotency_key: world.uuid() };
              const before = expectStatus(await make(world, route, body, ""), 201);
              const answer = expectStatus(await make(world, route, body, ""), 200, 201);
              expectThat(
                member(answer.json, "id") === textOf(before, "id"),
                `id ${textOf(before, "id")}`,
                answer,
              );
            },
            route.needs ?? [],
          ],
          [
            `${route.prefix}-header-wins`,
            `${route.what} has the key of its header where the body has another one.`,
            async (world: World) => {
              const key = world.uuid();
              const body = (of: string) => ({ ...route.body(world), idempotency_key: of });
              const before = expectStatus(await make(world, route, body(world.uuid()), key), 201);
              const answer = expectStatus(await make(world, route, body(world.uuid()), key), 200, 201);
              expectThat(
                member(answer.json, "id") === textOf(before, "id"),
                `id ${textOf(before, "id")}`,
                answer,
              );
            },
            route.needs ?? [],
          ],
        ] as const),
  ),
]);

export const keys: readonly Statement[] = [...keyed, ...places];
