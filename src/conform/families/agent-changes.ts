// Agents after they were made: the list, the advisor's cap, stop and retire.

import { expectSame, independent, listed, read } from "../kit/agents.ts";
import { LATER } from "../kit/beginnings.ts";
import { type Answer, member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { dateTime } from "../kit/field-kinds.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { accountOf, agentOf, makeAgent, retiredAgentOf } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

async function patch(world: World, id: string, body: unknown): Promise<Answer> {
  return await world.send("PATCH", `/v1/agents/${id}`, body);
}

const reading = statementsOf("4.1", { prefix: "agents" }, [
  [
    "list-has",
    "The list has an agent of the account, as it is read by its id.",
    async (world) => {
      const id = await agentOf(world, "owner");
      const { answer } = await listed(world);
      const item = listOf(answer).find((agent) => member(agent, "id") === id);
      expectThat(
        JSON.stringify(item) === (await read(world, id)).text,
        "the agent's record in the list",
        answer,
      );
    },
  ],
  [
    "list-own",
    "The list has agents of the account alone.",
    async (world) => {
      const account = await accountOf(world, "owner");
      const { answer } = await listed(world, "?include_independent=true");
      const isOwn = listOf(answer).every((agent) => member(agent, "user_id") === account);
      expectThat(isOwn, `agents of ${account} alone`, answer);
    },
  ],
  [
    "list-of-another",
    "The list has no agent of another account.",
    async (world) => {
      const { answer, ids } = await listed(world, "?include_independent=true", "other");
      expectThat(!ids.includes(await agentOf(world, "owner")), "no agent of the first account", answer);
    },
    ["another_account"],
  ],
  [
    "list-order",
    "The list has the newest agent first.",
    async (world) => {
      const first = await makeAgent(world);
      const second = await makeAgent(world);
      const { answer, ids } = await listed(world);
      expectThat(ids.indexOf(second) < ids.indexOf(first), `${second} before ${first}`, answer);
    },
  ],
  [
    "list-no-independent",
    "The list has no independent agent unless it is asked for.",
    async (world) => {
      const id = await independent(world);
      const { answer, ids } = await listed(world);
      expectThat(!ids.includes(id), `no ${id}`, answer);
    },
  ],
  [
    "list-false",
    "include_independent=false lists no independent agent.",
    async (world) => {
      const id = await independent(world);
      const { answer, ids } = await listed(world, "?include_independent=false");
      expectThat(!ids.includes(id), `no ${id}`, answer);
    },
  ],
  [
    "list-independent",
    "include_independent=true lists independent agents.",
    async (world) => {
      const id = await independent(world);
      const { answer, ids } = await listed(world, "?include_independent=true");
      expectThat(ids.includes(id), id, answer);
    },
  ],
  [
    "list-independent-too",
    "include_independent=true lists the other agents too.",
    async (world) => {
      const id = await agentOf(world, "owner");
      const { answer, ids } = await listed(world, "?include_independent=true");
      expectThat(ids.includes(id), id, answer);
    },
  ],
]);

const ADVISOR_CAPS = [0, 1, 250_000, 5_000_000_000];

const capped = (world: World) => world.once("agent with a cap", () => makeAgent(world));
const CAP = "advisor_max_spend_micro_usd";

const changing = statementsOf("4.1", { prefix: "patch-agent" }, [
  ...ADVISOR_CAPS.map(
    (cap) =>
      [
        `cap-${cap}`,
        `PATCH sets the advisor's cap to ${cap} micro-USD.`,
        async (world: World) => {
          const id = await capped(world);
          expectStatus(await patch(world, id, { [CAP]: cap }), 200);
          expectMember(await read(world, id), CAP, cap);
        },
      ] as const,
  ),
  [
    "answer",
    "PATCH answers with the agent as it is then.",
    async (world) => {
      const id = await capped(world);
      const answer = expectStatus(await patch(world, id, { [CAP]: 77 }), 200);
      expectSame(answer, await read(world, id));
    },
  ],
  [
    "null",
    "PATCH with null clears the advisor's cap.",
    async (world) => {
      const id = await capped(world);
      await patch(world, id, { [CAP]: 5 });
      expectStatus(await patch(world, id, { [CAP]: null }), 200);
      const answer = await read(world, id);
      expectThat((member(answer.json, CAP) ?? null) === null, `no ${CAP}`, answer);
    },
  ],
  [
    "empty",
    "PATCH with no field leaves the advisor's cap as it is.",
    async (world) => {
      const id = await makeAgent(world);
      await patch(world, id, { [CAP]: 9 });
      expectMember(expectStatus(await patch(world, id, {}), 200), CAP, 9);
    },
  ],
  [
    "nothing-else",
    "PATCH of the advisor's cap changes nothing else.",
    async (world) => {
      const id = await makeAgent(world);
      const before = await read(world, id);
      const after = await patch(world, id, { [CAP]: 3 });
      const { [CAP]: _, ...rest } = after.json as Readonly<Record<string, unknown>>;
      expectThat(
        JSON.stringify(Object.entries(rest).sort()) ===
          JSON.stringify(Object.entries(before.json as object).sort()),
        "the fields of before",
        after,
      );
    },
  ],
  [
    "refused-unchanged",
    "A PATCH that is refused changes nothing.",
    async (world) => {
      const id = await makeAgent(world);
      await patch(world, id, { [CAP]: 11 });
      expectRefused(await patch(world, id, { [CAP]: 12, zzz: 1 }), 400);
      expectMember(await read(world, id), CAP, 11);
    },
  ],
]);

const lifecycle = statementsOf("3.3", { prefix: "agent-lifecycle" }, [
  [
    "stop-keeps",
    "Stop keeps the agent and its record.",
    async (world) => {
      const id = await makeAgent(world);
      const before = await read(world, id);
      expectStatus(await world.post(`/v1/agents/${id}/stop`, undefined), 200, 202);
      expectSame(await read(world, id), before);
    },
  ],
  [
    "stop-schedules",
    "After a stop the agent takes schedules.",
    async (world) => {
      const id = await makeAgent(world);
      expectStatus(await world.post(`/v1/agents/${id}/stop`, undefined), 200, 202);
      const body = LATER;
      const made = expectStatus(await world.post(`/v1/agents/${id}/schedules`, body), 201);
      await world.send("DELETE", `/v1/agents/${id}/schedules/${textOf(made, "id")}`, undefined);
    },
  ],
  [
    "stop-again",
    "Stop is safe to repeat.",
    async (world) => {
      const id = await makeAgent(world);
      const first = await world.post(`/v1/agents/${id}/stop`, undefined);
      expectStatus(await world.post(`/v1/agents/${id}/stop`, undefined), first.status);
    },
  ],
  [
    "retire-keeps",
    "A retired agent is read by its id.",
    async (world) => {
      const id = await retiredAgentOf(world);
      expectMember(await read(world, id), "id", id);
    },
  ],
  [
    "retire-listed",
    "A retired agent stays in the list.",
    async (world) => {
      const id = await retiredAgentOf(world);
      const { answer, ids } = await listed(world);
      expectThat(ids.includes(id), id, answer);
    },
  ],
  [
    "retire-says-so",
    'A retired agent has "retired_at", a date and time.',
    async (world) => {
      const answer = await read(world, await retiredAgentOf(world));
      expectThat(dateTime.holds(member(answer.json, "retired_at")), `retired_at is ${dateTime.says}`, answer);
    },
  ],
  [
    "retire-again",
    "Retire is safe to repeat, and keeps the time of the first.",
    async (world) => {
      const id = await retiredAgentOf(world);
      const before = await read(world, id);
      expectStatus(await world.post(`/v1/agents/${id}/retire`, undefined), 200);
      expectSame(await read(world, id), before);
    },
  ],
  [
    "retire-blocks-runs",
    "A retired agent takes no run: 403.",
    async (world) => {
      const id = await retiredAgentOf(world);
      expectRefused(await world.post(`/v1/agents/${id}/runs`, { message: "hello" }), 403);
    },
  ],
  [
    "retire-blocks-schedules",
    "A retired agent takes no schedule: 403.",
    async (world) => {
      const id = await retiredAgentOf(world);
      const body = LATER;
      expectRefused(await world.post(`/v1/agents/${id}/schedules`, body), 403);
    },
  ],
  [
    "manager-in-use",
    "Retire refuses the manager of a workspace with 409 workspace_manager_in_use, and lists the workspace.",
    async (world) => {
      const manager = await makeAgent(world, { kind: "independent" });
      const body = { name: world.name("managed"), default_manager_agent_id: manager };
      const made = await world.post("/v1/workspaces", body);
      const workspaceId = world.made(made);
      world.atEnd(`workspace ${workspaceId}`, () =>
        world.send("DELETE", `/v1/workspaces/${workspaceId}`, undefined),
      );
      const answer = expectRefused(
        await world.post(`/v1/agents/${manager}/retire`, undefined),
        409,
        "workspace_manager_in_use",
      );
      expectThat(
        listOf(answer, "workspace_ids").includes(workspaceId),
        `workspace_ids with ${workspaceId}`,
        answer,
      );
    },
    ["workspaces"],
  ],
]);

export const agentChanges: readonly Statement[] = [...reading, ...changing, ...lifecycle];
