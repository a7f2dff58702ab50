// Agents for statements: making, reading and listing them, and comparing their records.

import { type Answer, member } from "./exchange.ts";
import { expectStatus, expectThat, listOf } from "./expect.ts";
import { makeAgent } from "./things.ts";
import type { World, WorldCaller } from "./world.ts";

/** Asks for an agent; what is made is retired at the end. */
export async function create(
  world: World,
  body: Readonly<Record<string, unknown>>,
  as: WorldCaller = "owner",
): Promise<Answer> {
  const answer = await world.ask({ method: "POST", path: "/v1/agents", as, json: body });
  const id = member(answer.json, "id");
  if (answer.status === 201) {
    world.atEnd(`agent ${String(id)}`, () => world.post(`/v1/agents/${String(id)}/retire`, undefined, as));
  }
  return answer;
}

export const created = (world: World) =>
  world.once("agent of its own", async () =>
    expectStatus(await create(world, { name: world.name("own") }), 201),
  );

export async function independent(world: World): Promise<string> {
  return await world.once("independent agent", () => makeAgent(world, { kind: "independent" }));
}

export async function read(world: World, id: string, as: WorldCaller = "owner"): Promise<Answer> {
  return expectStatus(await world.get(`/v1/agents/${id}`, as), 200);
}

/** The ids of the account's agents, in the order of the list. */
export async function listed(
  world: World,
  query = "",
  as: WorldCaller = "owner",
): Promise<{ answer: Answer; ids: readonly unknown[] }> {
  const answer = expectStatus(await world.get(`/v1/agents${query}`, as), 200);
  return { answer, ids: listOf(answer).map((agent) => member(agent, "id")) };
}

/** Two records that have the same fields, but for `existing`. */
export function expectSame(answer: Answer, other: Answer): void {
  const plain = ({ json }: Answer) => {
    const { existing: _, ...fields } = json as Readonly<Record<string, unknown>>;
    return JSON.stringify(Object.entries(fields).sort());
  };
  expectThat(
    plain(answer) === plain(other),
    `the record of ${other.asked.method} ${other.asked.path}`,
    answer,
  );
}
