// Accounts that are used up: an empty balance is 402 (2.8, 7), and a plan's cap of agents 429 (4.1, 8).

import { inWorkspaces } from "../kit/beginnings.ts";
import { type Answer, member } from "../kit/exchange.ts";
import {
  expectHeader,
  expectMember,
  expectRefused,
  expectStatus,
  expectThat,
  listOf,
} from "../kit/expect.ts";
import { absent, exactly, filled, oneOf } from "../kit/field-kinds.ts";
import { recordStatements } from "../kit/record-fields.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { accountOf, agentOf } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const RUN = { message: "Answer with one word: done." };
/** More agents than the plan of such an account has. */
const MORE_THAN_CAP = 25;

async function runsOf(world: World): Promise<string> {
  return `/v1/agents/${await agentOf(world, "empty")}/runs`;
}

/** A submission that the account cannot pay. */
async function unpaid(world: World): Promise<Answer> {
  return await world.once("submission without credits", async () =>
    world.post(await runsOf(world), RUN, "empty"),
  );
}

const empty: readonly Statement[] = [
  ...recordStatements({
    prefix: "empty-balance",
    section: "2.8",
    what: "The refusal of a run of an account without credits",
    needs: ["empty_account"],
    read: unpaid,
    fields: {
      error: filled,
      code: exactly("insufficient_credits"),
      run_id: absent,
      audience: oneOf("anon", "registered_free", "subscribed"),
    },
  }),
  ...statementsOf("7", { prefix: "empty", needs: ["empty_account"] }, [
    [
      "402",
      "A run of an account without credits is answered 402.",
      async (world) => void expectRefused(await unpaid(world), 402, "insufficient_credits"),
    ],
    [
      "audience",
      "The audience of the refusal is that of the account's credits.",
      async (world) => {
        const path = `/v1/users/${await accountOf(world, "empty")}/credits`;
        const credits = expectStatus(await world.get(path, "empty"), 200);
        expectMember(await unpaid(world), "audience", member(credits.json, "audience"));
      },
    ],
    [
      "nothing-made",
      "A run that is refused for want of credits is not in the list of runs.",
      async (world) => {
        expectRefused(await unpaid(world), 402);
        const answer = expectStatus(await world.get(await runsOf(world), "empty"), 200);
        expectThat(listOf(answer).length === 0, "no run", answer);
      },
    ],
    [
      "key-is-free",
      "A key whose run was refused for want of credits is refused so again, and not as in flight.",
      async (world) => {
        const [path, headers] = [await runsOf(world), { "idempotency-key": world.uuid() }];
        const ask = { method: "POST", path, headers, json: RUN, as: "empty" } as const;
        expectRefused(await world.ask(ask), 402, "insufficient_credits");
        expectRefused(await world.ask(ask), 402, "insufficient_credits");
      },
    ],
    [
      "schedule",
      "A schedule is made without credits: they are needed when it fires.",
      async (world) => {
        const path = `/v1/agents/${await agentOf(world, "empty")}/schedules`;
        const made = await world.post(path, { prompt: "Look.", delay_seconds: 86_400 }, "empty");
        expectStatus(await world.send("DELETE", `${path}/${world.made(made)}`, undefined, "empty"), 200);
      },
    ],
  ]),
  ...statementsOf("7", { prefix: "empty", needs: ["empty_account", ...inWorkspaces] }, [
    [
      "workspace-run",
      "A run in a workspace of an account without credits is answered 402.",
      async (world) => {
        // Its plan may have room for one agent alone.
        const body = {
          name: world.name("workspace"),
          default_manager_agent_id: await agentOf(world, "empty"),
        };
        const of = `/v1/workspaces/${world.made(await world.post("/v1/workspaces", body, "empty"))}`;
        world.atEnd(`workspace ${of}`, () => world.send("DELETE", of, undefined, "empty"));
        expectRefused(await world.post(`${of}/runs`, RUN, "empty"), 402, "insufficient_credits");
      },
    ],
  ]),
];

/** An account at its cap of agents: how many it has, and the answer to one more. */
async function atCap(world: World): Promise<{ readonly agents: number; readonly answer: Answer }> {
  return await world.once("account at its cap", async () => {
    for (;;) {
      const listed = expectStatus(await world.get("/v1/agents?include_independent=true", "capped"), 200);
      const agents = listOf(listed).length;
      const answer = await makeOne(world, world.name("agent"));
      if (answer.status !== 201) return { agents, answer };
      const id = world.made(answer);
      world.atEnd(`agent ${id}`, () => world.post(`/v1/agents/${id}/retire`, undefined, "capped"));
      expectThat(agents < MORE_THAN_CAP, `a 429 within ${MORE_THAN_CAP} agents`, answer);
    }
  });
}

async function makeOne(world: World, name: string, more: object = {}): Promise<Answer> {
  return await world.ask({
    method: "POST",
    path: "/v1/agents",
    as: "capped",
    keepsBusy: true,
    headers: { "idempotency-key": world.uuid() },
    json: { name, ...more },
  });
}

const capped = statementsOf("4.1", { prefix: "agent-cap", needs: ["capped_account"] }, [
  [
    "429",
    "One agent more than the plan allows is answered 429.",
    async (world) => void expectRefused((await atCap(world)).answer, 429),
  ],
  [
    "retry-after",
    "The refusal at the cap of agents says Retry-After: 60.",
    async (world) => expectHeader((await atCap(world)).answer, "retry-after", "60"),
  ],
  [
    "nothing-made",
    "An agent that is refused at the cap is not made.",
    async (world) => {
      const { agents } = await atCap(world);
      const answer = expectStatus(await world.get("/v1/agents?include_independent=true", "capped"), 200);
      expectThat(listOf(answer).length === agents, `${agents} agents`, answer);
    },
  ],
  [
    "independent",
    "An independent agent is refused at the cap, too.",
    async (world) => {
      await atCap(world);
      expectRefused(await makeOne(world, world.name("agent"), { kind: "independent" }), 429);
    },
  ],
  [
    "return",
    "At the cap an agent that is there is still got by its name: 200 with existing.",
    async (world) => {
      await atCap(world);
      const listed = await world.get("/v1/agents", "capped");
      const name = String(member(listOf(listed)[0], "name"));
      const answer = expectStatus(await makeOne(world, name, { if_exists: "return" }), 200);
      expectMember(answer, "existing", true);
    },
  ],
  [
    "same-request",
    "At the cap each further request is refused alike.",
    async (world) => {
      const { answer } = await atCap(world);
      const again = expectRefused(await makeOne(world, world.name("agent")), 429);
      expectMember(again, "code", member(answer.json, "code"));
    },
  ],
]);

export const usedUp: readonly Statement[] = [...empty, ...capped];
