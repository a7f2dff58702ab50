// Agents: their fields, and get-or-create.

import { create, created, expectSame, independent, read } from "../kit/agents.ts";
import { member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { absent, dateTime, exactly, filled, object, oneOf, optional, uuid } from "../kit/field-kinds.ts";
import { recordStatements } from "../kit/record-fields.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { accountOf, agentOf } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const MAX_NAME_CHARS = 255;
const RACERS = 8;
const ofEach = {
  id: uuid,
  user_id: uuid,
  name: filled,
  backend: filled,
  model: filled,
  config: object,
  entity_disk_id: filled,
  status: optional(oneOf("warming", "ready", "sleeping")),
  created_at: dateTime,
};

const fields: readonly Statement[] = [
  ...recordStatements({
    prefix: "agent",
    section: "2.1",
    what: "An agent",
    read: async (world) => read(world, await agentOf(world, "owner")),
    fields: { ...ofEach, existing: absent, kind: absent, advisor_max_spend_micro_usd: absent },
  }),
  ...recordStatements({
    prefix: "agent-found",
    section: "2.1",
    what: "An agent that a get-or-create found",
    read: async (world) => {
      const name = textOf(await created(world), "name");
      return await create(world, { name, if_exists: "return" });
    },
    fields: { ...ofEach, existing: exactly(true) },
  }),
  ...recordStatements({
    prefix: "agent-independent",
    section: "2.1",
    what: "An independent agent",
    read: async (world) => read(world, await independent(world)),
    fields: { kind: exactly("independent") },
  }),
];

const creation = statementsOf("4.1", { prefix: "create-agent" }, [
  [
    "created",
    "A new agent is answered 201.",
    async (world) => {
      await created(world);
    },
  ],
  [
    "not-existing",
    'A new agent is answered without "existing": true.',
    async (world) => {
      const answer = await created(world);
      expectThat(member(answer.json, "existing") !== true, 'no "existing": true', answer);
    },
  ],
  [
    "same-record",
    "The answer to a creation has the record that is read afterwards.",
    async (world) => {
      const answer = await created(world);
      expectSame(await read(world, textOf(answer, "id")), answer);
    },
  ],
  ...(
    [
      ["unicode", "Ünïcødé 名前 🤖 ‮x"],
      ["spaces", "  two  spaces  "],
      ["quotes", `"quoted" \\ and <b>bold</b> & 'more'`],
      ["lines", "one\nline\tand another"],
    ] as const
  ).map(
    ([id, text]) =>
      [
        `name-${id}`,
        `The name of an agent is kept as it is: ${JSON.stringify(text)}.`,
        async (world: World) => {
          const name = `${world.name(id)} ${text}`;
          const answer = await create(world, { name });
          expectMember(await read(world, world.made(answer)), "name", name);
        },
      ] as const,
  ),
  [
    "longest-name",
    `A name may have ${MAX_NAME_CHARS} characters.`,
    async (world) => {
      const name = world.name("long").padEnd(MAX_NAME_CHARS, "x");
      expectMember(expectStatus(await create(world, { name }), 201), "name", name);
    },
  ],
  [
    "default-config",
    "The config is an empty object where the request has none.",
    async (world) => expectMember(await created(world), "config", {}),
  ],
  [
    "config",
    "The config is kept as it is.",
    async (world) => {
      const config = { a: [1, { b: null, c: "é", d: 1.5, e: false }], "": "", "a.b": {} };
      const answer = await create(world, { name: world.name("config"), config });
      expectMember(await read(world, world.made(answer)), "config", config);
    },
  ],
  [
    "model",
    "An agent has the model that it was made with.",
    async (world) => {
      const card = await world.ask({ path: "/v1/pricing/models", as: "nobody" });
      const free = listOf(card, "models").find((model) => member(model, "free_tier_eligible") === true);
      const model = member(free, "id");
      expectThat(typeof model === "string", "a model that is free-tier eligible", card);
      expectMember(
        expectStatus(await create(world, { name: world.name("model"), model }), 201),
        "model",
        model,
      );
    },
  ],
  [
    "unknown-model",
    "A model that is not on the rate card is answered 400.",
    async (world) => {
      expectRefused(
        await create(world, { name: world.name("x"), model: "no-such-model" }),
        400,
        "invalid_request",
      );
    },
  ],
  [
    "by-default-another",
    "By default a name that is there already makes another agent.",
    async (world) => {
      const first = await created(world);
      const answer = expectStatus(await create(world, { name: textOf(first, "name") }), 201);
      expectThat(textOf(answer, "id") !== textOf(first, "id"), "another id", answer);
    },
  ],
  [
    "error-another",
    'With if_exists "error" a name that is there already makes another agent.',
    async (world) => {
      const first = await created(world);
      const body = { name: textOf(first, "name"), if_exists: "error" };
      const answer = expectStatus(await create(world, body), 201);
      expectThat(textOf(answer, "id") !== textOf(first, "id"), "another id", answer);
    },
  ],
  [
    "return-new",
    'With if_exists "return" a new name makes an agent: 201.',
    async (world) => {
      expectStatus(await create(world, { name: world.name("new"), if_exists: "return" }), 201);
    },
  ],
  [
    "return-found",
    'With if_exists "return" a name that is there gives that agent: 200.',
    async (world) => {
      const name = world.name("found");
      const first = await create(world, { name });
      const answer = expectStatus(await create(world, { name, if_exists: "return" }), 200);
      expectMember(answer, "id", textOf(first, "id"));
    },
  ],
  [
    "return-unchanged",
    'With if_exists "return" the agent that is there keeps its config.',
    async (world) => {
      const name = world.name("unchanged");
      const first = await create(world, { name, config: { kept: true } });
      await create(world, { name, if_exists: "return", config: { kept: false } });
      expectMember(await read(world, world.made(first)), "config", { kept: true });
    },
  ],
  [
    "return-exact-name",
    'With if_exists "return" a name in other case is another name.',
    async (world) => {
      const name = world.name("case");
      await create(world, { name });
      expectStatus(await create(world, { name: name.toUpperCase(), if_exists: "return" }), 201);
    },
  ],
  [
    "return-race",
    `Of ${RACERS} requests at once with if_exists "return" and one new name, one makes the agent and all give it.`,
    async (world) => {
      const name = world.name("race");
      const asks = Array.from({ length: RACERS }, () => create(world, { name, if_exists: "return" }));
      const answers = await Promise.all(asks);
      for (const answer of answers) expectStatus(answer, 200, 201);
      const [first] = answers;
      const made = answers.filter(({ status }) => status === 201);
      const ids = new Set(answers.map(({ json }) => member(json, "id")));
      if (first !== undefined) expectThat(made.length === 1 && ids.size === 1, "one 201, and one id", first);
    },
  ],
  [
    "return-of-another",
    'With if_exists "return" the agent of another account is not given.',
    async (world) => {
      const name = world.name("theirs");
      expectStatus(await create(world, { name }, "other"), 201);
      expectStatus(await create(world, { name, if_exists: "return" }), 201);
    },
    ["another_account"],
  ],
  ...(
    [
      ["of-nobody", "an id that nobody has", (world: World) => world.uuid()],
      ["garbage", "a text that is no id", () => "not-an-id"],
      ["number", "a number", () => 7],
      ["null", "null", () => null],
    ] as const
  ).map(
    ([id, called, value]) =>
      [
        `user-id-${id}`,
        `"user_id" in the body is ignored where it is ${called}: the owner is the credential's account.`,
        async (world: World) => {
          const answer = await create(world, { name: world.name("user"), user_id: value(world) });
          expectMember(expectStatus(answer, 201), "user_id", await accountOf(world, "owner"));
        },
      ] as const,
  ),
  [
    "user-id-of-another",
    'The account of another in "user_id" does not get the agent.',
    async (world) => {
      const body = { name: world.name("user"), user_id: await accountOf(world, "other") };
      expectMember(expectStatus(await create(world, body), 201), "user_id", await accountOf(world, "owner"));
    },
    ["another_account"],
  ],
  [
    "independent-no-key",
    "An independent agent without the header Idempotency-Key is answered 400.",
    async (world) => {
      expectRefused(await create(world, { name: world.name("x"), kind: "independent" }), 400);
    },
  ],
  [
    "independent-empty-key",
    "An independent agent with an empty header Idempotency-Key is answered 400.",
    async (world) => {
      const json = { name: world.name("x"), kind: "independent" };
      const headers = { "idempotency-key": "" };
      expectRefused(await world.ask({ method: "POST", path: "/v1/agents", headers, json }), 400);
    },
  ],
  [
    "independent",
    "An independent agent with an Idempotency-Key is answered 201.",
    async (world) => {
      await independent(world);
    },
  ],
]);

export const agents: readonly Statement[] = [...fields, ...creation];
