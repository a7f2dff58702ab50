// Every row of the table of schedules' states: their transitions, their refusals, and that a refusal changes nothing.

import { type Answer, member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { url } from "../kit/field-kinds.ts";
import {
  awaiting,
  cancelled,
  cancelSchedule,
  confirmed,
  confirmSchedule,
  done,
  type Made,
  makeSchedule,
  overdue,
  pathOf,
  pending,
  readSchedule,
} from "../kit/schedules.ts";
import { type Need, type Statement, statementsOf } from "../kit/statement.ts";
import { makeAgent } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const RACERS = 6;

/** Asks something that must change nothing, and sees to that. */
async function expectUnchanged(world: World, made: Made, ask: () => Promise<void>): Promise<void> {
  const before = await readSchedule(world, made);
  await ask();
  const after = await readSchedule(world, made);
  expectThat(after.text === before.text, `the schedule unchanged: ${before.text}`, after);
}

type Row = readonly [id: string, says: string, check: Statement["check"], needs?: readonly Need[]];

/** A refused move: its answer, and that nothing has changed. */
function refusal(
  id: string,
  says: string,
  move: {
    readonly of: (world: World) => Promise<Made>;
    readonly by: (world: World, made: Made) => Promise<Answer>;
    readonly status: number;
    readonly needs?: readonly Need[];
  },
): readonly Row[] {
  const { of, by, status, needs = [] } = move;
  return [
    [
      id,
      `${says} is answered ${status}.`,
      async (world) => void expectRefused(await by(world, await of(world)), status),
      needs,
    ],
    [
      `${id}-unchanged`,
      `${says} changes nothing.`,
      async (world) => {
        const made = await of(world);
        await expectUnchanged(world, made, async () => void (await by(world, made)));
      },
      needs,
    ],
  ];
}

const asAi = (world: World, made: Made) => confirmSchedule(world, made, "ai");
/** Of an agent that its owner has retired since. */
async function ofEndingAgent(world: World): Promise<Made> {
  return await world.once("schedule of an ending agent", async () => {
    const agentId = await makeAgent(world);
    const made = await makeSchedule(world, { as: "ai", agentId });
    expectStatus(await world.post(`/v1/agents/${agentId}/retire`, undefined), 200);
    return made;
  });
}

export const schedules: readonly Statement[] = statementsOf("3.2", { prefix: "schedule" }, [
  [
    "owner-creates",
    "A schedule that the owner makes is pending.",
    async (world) => expectMember((await pending(world)).answer, "status", "pending"),
  ],
  [
    "ai-creates",
    "A schedule that an AI client makes awaits confirmation.",
    async (world) => expectMember((await awaiting(world)).answer, "status", "awaiting_confirmation"),
    ["ai_client"],
  ],
  [
    "ai-creates-link",
    'The answer to an AI client\'s creation has "confirm_url".',
    async (world) => {
      const { answer } = await awaiting(world);
      expectThat(url.holds(member(answer.json, "confirm_url")), "confirm_url is an http address", answer);
    },
    ["ai_client"],
  ],
  [
    "confirm",
    "Confirming as the owner is answered 200 with the schedule, now pending.",
    async (world) => expectMember((await confirmed(world)).answer, "status", "pending"),
    ["ai_client"],
  ],
  [
    "confirm-answer",
    "The answer to a confirmation is the schedule that is read afterwards.",
    async (world) => {
      const made = await confirmed(world);
      expectThat(
        (await readSchedule(world, made)).text === made.answer.text,
        "the schedule as it is read",
        made.answer,
      );
    },
    ["ai_client"],
  ],
  [
    "confirm-again",
    "Confirming what is confirmed already is answered 200.",
    async (world) => void expectStatus(await confirmSchedule(world, await confirmed(world)), 200),
    ["ai_client"],
  ],
  [
    "confirm-again-unchanged",
    "Confirming what is confirmed already changes nothing.",
    async (world) => {
      const made = await confirmed(world);
      await expectUnchanged(world, made, async () => void (await confirmSchedule(world, made)));
    },
    ["ai_client"],
  ],
  [
    "confirm-race",
    `${RACERS} confirmations at once are answered 200 with one time.`,
    async (world) => {
      const made = await makeSchedule(world, { as: "ai" });
      const answers = await Promise.all(Array.from({ length: RACERS }, () => confirmSchedule(world, made)));
      for (const answer of answers) expectStatus(answer, 200);
      const times = new Set(answers.map(({ json }) => member(json, "confirmed_at")));
      expectThat(times.size === 1, "one confirmed_at", answers[0] ?? made.answer);
    },
    ["ai_client"],
  ],
  [
    "confirm-cancelled-later",
    "A confirmed schedule that was cancelled is confirmed already: 200, and it stays cancelled.",
    async (world) => {
      const made = await makeSchedule(world, { as: "ai" });
      await confirmSchedule(world, made);
      expectStatus(await cancelSchedule(world, made), 200);
      expectMember(expectStatus(await confirmSchedule(world, made), 200), "status", "cancelled");
    },
    ["ai_client"],
  ],
  ...refusal("confirm-overdue", "Confirming after the fire time", {
    of: overdue,
    by: confirmSchedule,
    status: 409,
    needs: ["ai_client"],
  }),
  ...refusal("confirm-pending", "Confirming what the owner made", {
    of: pending,
    by: confirmSchedule,
    status: 409,
  }),
  ...refusal("confirm-cancelled", "Confirming what is cancelled", {
    of: cancelled,
    by: confirmSchedule,
    status: 409,
  }),
  ...refusal("confirm-done", "Confirming what has fired without a confirmation", {
    of: done,
    by: confirmSchedule,
    status: 409,
    needs: ["runs"],
  }),
  ...refusal("ai-confirms", "Confirming as an AI client", {
    of: awaiting,
    by: asAi,
    status: 403,
    needs: ["ai_client"],
  }),
  ...refusal("ai-confirms-pending", "Confirming what the owner made as an AI client", {
    of: pending,
    by: asAi,
    status: 403,
    needs: ["ai_client"],
  }),
  ...refusal("ai-confirms-confirmed", "Confirming what is confirmed as an AI client", {
    of: confirmed,
    by: asAi,
    status: 403,
    needs: ["ai_client"],
  }),
  ...refusal("confirm-ending", "Confirming while the agent ends", {
    of: ofEndingAgent,
    by: confirmSchedule,
    status: 409,
    needs: ["ai_client"],
  }),
  [
    "ai-confirms-link",
    "The refusal of an AI client's confirmation has the confirmation link in its text.",
    async (world) => {
      const made = await awaiting(world);
      const link = textOf(await readSchedule(world, made), "confirm_url");
      const answer = await asAi(world, made);
      expectThat(textOf(answer, "error").includes(link), `an error text with ${link}`, answer);
    },
    ["ai_client"],
  ],
  [
    "overdue-stays",
    "An unconfirmed schedule stays so after its fire time.",
    async (world) =>
      expectMember(await readSchedule(world, await overdue(world)), "status", "awaiting_confirmation"),
    ["ai_client"],
  ],
  [
    "overdue-never-fires",
    "An unconfirmed schedule starts no run after its fire time.",
    async (world) => {
      const { agentId } = await overdue(world);
      const runs = expectStatus(await world.get(`/v1/agents/${agentId}/runs`), 200);
      expectThat(listOf(runs).length === 0, "no run", runs);
    },
    ["ai_client"],
  ],
  [
    "cancel-pending",
    "DELETE of a pending schedule is answered 200 with the schedule, cancelled.",
    async (world) => expectMember((await cancelled(world)).answer, "status", "cancelled"),
  ],
  [
    "cancel-answer",
    "The answer to DELETE is the schedule that is read afterwards.",
    async (world) => {
      const made = await cancelled(world);
      expectThat(
        (await readSchedule(world, made)).text === made.answer.text,
        "the schedule as it is read",
        made.answer,
      );
    },
  ],
  [
    "cancel-awaiting",
    "DELETE of an unconfirmed schedule is answered 200, cancelled.",
    async (world) => {
      const made = await makeSchedule(world, { as: "ai" });
      expectMember(expectStatus(await cancelSchedule(world, made), 200), "status", "cancelled");
    },
    ["ai_client"],
  ],
  [
    "cancel-overdue",
    "DELETE of an unconfirmed schedule after its fire time is answered 200, cancelled.",
    async (world) => {
      const made = await makeSchedule(world, { as: "ai", body: { delay_seconds: 1 } });
      await world.clock.sleep(1_500);
      expectMember(expectStatus(await cancelSchedule(world, made), 200), "status", "cancelled");
    },
    ["ai_client"],
  ],
  [
    "cancel-confirmed",
    "DELETE of a confirmed schedule is answered 200, cancelled, and keeps when it was confirmed.",
    async (world) => {
      const made = await makeSchedule(world, { as: "ai" });
      const time = textOf(await confirmSchedule(world, made), "confirmed_at");
      const answer = expectStatus(await cancelSchedule(world, made), 200);
      expectMember(answer, "status", "cancelled");
      expectMember(answer, "confirmed_at", time);
    },
    ["ai_client"],
  ],
  [
    "ai-cancels",
    "An AI client may cancel a schedule.",
    async (world) => {
      const made = await makeSchedule(world, { as: "ai" });
      expectMember(expectStatus(await cancelSchedule(world, made, "ai"), 200), "status", "cancelled");
    },
    ["ai_client"],
  ],
  [
    "cancel-race",
    `Of ${RACERS} DELETEs at once one is answered 200, and the others 404.`,
    async (world) => {
      const made = await makeSchedule(world);
      const answers = await Promise.all(Array.from({ length: RACERS }, () => cancelSchedule(world, made)));
      for (const answer of answers) expectStatus(answer, 200, 404);
      const cancels = answers.filter(({ status }) => status === 200).length;
      expectThat(cancels === 1, "one 200", answers[0] ?? made.answer);
    },
  ],
  ...refusal("cancel-again", "DELETE of what is cancelled", {
    of: cancelled,
    by: cancelSchedule,
    status: 404,
  }),
  ...refusal("cancel-done", "DELETE of what has fired", {
    of: done,
    by: cancelSchedule,
    status: 404,
    needs: ["runs"],
  }),
  [
    "cancelled-never-fires",
    "A schedule that is cancelled before its time starts no run.",
    async (world) => {
      const agentId = await makeAgent(world);
      const made = await makeSchedule(world, { agentId, body: { delay_seconds: 1 } });
      expectStatus(await cancelSchedule(world, made), 200);
      await world.clock.sleep(1_500);
      const runs = expectStatus(await world.get(`/v1/agents/${agentId}/runs`), 200);
      expectThat(listOf(runs).length === 0, "no run", runs);
    },
  ],
  [
    "no-origin-left",
    "A schedule is not found below another agent of the same account.",
    async (world) => {
      const { scheduleId } = await pending(world);
      expectRefused(
        await world.get(pathOf({ agentId: await makeAgent(world), scheduleId })),
        404,
        "not_found",
      );
    },
  ],
]);
