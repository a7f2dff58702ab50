// Schedules that statements are about: one in each state, made once and only read.

import { msUntil } from "../../base/clock.ts";
import type { Answer } from "./exchange.ts";
import { member } from "./exchange.ts";
import { Difference, expectStatus, textOf } from "./expect.ts";
import { makeAgent } from "./things.ts";
import type { World, WorldCaller } from "./world.ts";

export const DAY_SECONDS = 86_400;
const SOON_SECONDS = 1;
const POLL_MS = 100;
const MAX_POLLS = 300;

export type Made = { readonly agentId: string; readonly scheduleId: string; readonly answer: Answer };

export function pathOf({ agentId, scheduleId }: Pick<Made, "agentId" | "scheduleId">): string {
  return `/v1/agents/${agentId}/schedules/${scheduleId}`;
}

/** An agent for schedules alone. */
export async function scheduler(world: World): Promise<string> {
  return await world.once("agent for schedules", () => makeAgent(world));
}

/** Makes a schedule in a day's time, unless the body says otherwise. It is cancelled at the end. */
export async function makeSchedule(
  world: World,
  options: { as?: WorldCaller; agentId?: string; body?: Readonly<Record<string, unknown>> } = {},
): Promise<Made> {
  const { as = "owner", body = {} } = options;
  const agentId = options.agentId ?? (await scheduler(world));
  const time = "fire_at" in body || "delay_seconds" in body ? {} : { delay_seconds: DAY_SECONDS };
  const answer = await world.post(
    `/v1/agents/${agentId}/schedules`,
    { prompt: "Look.", ...time, ...body },
    as,
  );
  expectStatus(answer, 201);
  const made = { agentId, scheduleId: textOf(answer, "id"), answer };
  world.atEnd(`schedule ${made.scheduleId}`, () => world.send("DELETE", pathOf(made), undefined));
  return made;
}

export async function readSchedule(
  world: World,
  made: Pick<Made, "agentId" | "scheduleId">,
): Promise<Answer> {
  return expectStatus(await world.get(pathOf(made)), 200);
}

export async function confirmSchedule(world: World, made: Made, as: WorldCaller = "owner"): Promise<Answer> {
  return await world.post(`${pathOf(made)}/confirm`, undefined, as);
}

export async function cancelSchedule(world: World, made: Made, as: WorldCaller = "owner"): Promise<Answer> {
  return await world.send("DELETE", pathOf(made), undefined, as);
}

/** Waits for what the service does by itself. */
async function untilStatus(world: World, made: Made, ...statuses: readonly string[]): Promise<Answer> {
  for (let polls = 0; ; polls += 1) {
    const answer = await readSchedule(world, made);
    if (statuses.includes(String(member(answer.json, "status")))) return answer;
    if (polls === MAX_POLLS) throw new Difference(`status ${statuses.join(" or ")} in time`, answer);
    await world.clock.sleep(POLL_MS);
  }
}

/** Of the owner, in a day's time. */
export async function pending(world: World): Promise<Made> {
  return await world.once("pending schedule", () =>
    makeSchedule(world, { body: { metadata: { ticket: 7 } } }),
  );
}

/** Of an AI client, in a day's time. */
export async function awaiting(world: World): Promise<Made> {
  return await world.once("awaiting schedule", () => makeSchedule(world, { as: "ai" }));
}

/** Of an AI client, confirmed. */
export async function confirmed(world: World): Promise<Made> {
  return await world.once("confirmed schedule", async () => {
    const made = await makeSchedule(world, { as: "ai" });
    return { ...made, answer: expectStatus(await confirmSchedule(world, made), 200) };
  });
}

export async function cancelled(world: World): Promise<Made> {
  return await world.once("cancelled schedule", async () => {
    const made = await makeSchedule(world);
    return { ...made, answer: expectStatus(await cancelSchedule(world, made), 200) };
  });
}

/** Of an AI client, whose time has passed without a confirmation. */
export async function overdue(world: World): Promise<Made> {
  return await world.once("overdue schedule", async () => {
    const made = await makeSchedule(world, { as: "ai", body: { delay_seconds: SOON_SECONDS } });
    const rest = msUntil(world.clock, Date.parse(textOf(made.answer, "fire_at")));
    await world.clock.sleep(Math.max(rest, 0) + 2 * SOON_SECONDS * 1_000);
    return made;
  });
}

/** Of the owner, fired, whose run has ended. It has an agent of its own. */
export async function done(world: World): Promise<Made> {
  return await world.once("done schedule", async () => {
    const agentId = await makeAgent(world);
    const body = { prompt: "Answer with one word.", delay_seconds: SOON_SECONDS };
    const made = await makeSchedule(world, { agentId, body });
    return { ...made, answer: await untilStatus(world, made, "done", "failed") };
  });
}
