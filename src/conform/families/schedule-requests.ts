// POST /v1/agents/{agentID}/schedules and the list: the record of a request, and refusals beyond wrong fields.

import { member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { DAY_SECONDS, done, makeSchedule, pending, readSchedule, scheduler } from "../kit/schedules.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { makeAgent } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const FIRE_AT = "2099-01-31T12:34:56Z";
/** A delay that is counted from when the service has the request. */
const SLACK_MS = 10_000;
const DAY_MS = DAY_SECONDS * 1_000;

async function refuse(world: World, body: unknown): Promise<void> {
  const answer = await world.post(`/v1/agents/${await scheduler(world)}/schedules`, body);
  expectRefused(answer, 400, "invalid_request");
}

/** A time that is accepted, and the moment that it is. */
const times: readonly (readonly [fireAt: string, moment: string])[] = [
  [FIRE_AT, "2099-01-31T12:34:56Z"],
  ["2099-01-31T12:34:56+00:00", "2099-01-31T12:34:56Z"],
  ["2099-01-31T12:34:56.789Z", "2099-01-31T12:34:56.789Z"],
  ["2096-02-29T00:00:00Z", "2096-02-29T00:00:00Z"],
];

export const scheduleRequests: readonly Statement[] = statementsOf("4.3", { prefix: "schedules" }, [
  [
    "same-record",
    "The answer to a creation is the schedule that is read afterwards.",
    async (world) => {
      const made = await pending(world);
      expectThat(
        (await readSchedule(world, made)).text === made.answer.text,
        "the schedule as it is read",
        made.answer,
      );
    },
  ],
  ...times.map(
    ([fireAt, moment]) =>
      [
        `fire-at-${fireAt}`,
        `The time ${fireAt} is kept.`,
        async (world: World) => {
          const { answer } = await makeSchedule(world, { body: { fire_at: fireAt } });
          const got = Date.parse(textOf(answer, "fire_at"));
          expectThat(got === Date.parse(moment), `fire_at is ${moment}`, answer);
        },
      ] as const,
  ),
  [
    "delay",
    "A delay is counted from the creation.",
    async (world) => {
      const { answer } = await makeSchedule(world, { body: { delay_seconds: DAY_SECONDS } });
      const between = Date.parse(textOf(answer, "fire_at")) - Date.parse(textOf(answer, "created_at"));
      expectThat(Math.abs(between - DAY_MS) < SLACK_MS, "fire_at a day after created_at", answer);
    },
  ],
  [
    "both",
    "Both of fire_at and delay_seconds are answered 400.",
    (world) => refuse(world, { prompt: "Look.", fire_at: FIRE_AT, delay_seconds: 60 }),
  ],
  [
    "neither",
    "Neither of fire_at and delay_seconds is answered 400.",
    (world) => refuse(world, { prompt: "Look." }),
  ],
  [
    "past",
    "A time in the past is answered 400.",
    (world) => refuse(world, { prompt: "Look.", fire_at: "2020-01-01T00:00:00Z" }),
  ],
  [
    "prompt",
    "The prompt is kept as it is.",
    async (world) => {
      const prompt = `  Ünïcødé 🤖\n\t"quoted" <b>bold</b> \\n ${"x".repeat(5_000)}`;
      const made = await makeSchedule(world, { body: { prompt } });
      expectMember(await readSchedule(world, made), "prompt", prompt);
    },
  ],
  [
    "metadata",
    "The metadata is kept as it is.",
    async (world) => {
      const metadata = { ticket: 7, tags: ["a", null, { b: 1.5 }], "": "", é: false };
      const made = await makeSchedule(world, { body: { metadata } });
      expectMember(await readSchedule(world, made), "metadata", metadata);
    },
  ],
  [
    "no-metadata",
    "The metadata is an empty object where the request has none.",
    async (world) => expectMember((await makeSchedule(world)).answer, "metadata", {}),
  ],
  [
    "unknown-session",
    "A schedule in a session that nothing has is answered 404.",
    async (world) => {
      const body = { prompt: "Look.", delay_seconds: DAY_SECONDS, session_id: world.uuid() };
      expectRefused(
        await world.post(`/v1/agents/${await scheduler(world)}/schedules`, body),
        404,
        "not_found",
      );
    },
  ],
  [
    "session",
    "A session that the request names is the schedule's thread_id.",
    async (world) => {
      const { agentId, answer } = await done(world);
      const session = textOf(answer, "thread_id");
      const made = await makeSchedule(world, { agentId, body: { session_id: session } });
      expectMember(made.answer, "thread_id", session);
    },
    ["runs"],
  ],
  [
    "session-of-another-agent",
    "A schedule in a session of another agent is answered 404.",
    async (world) => {
      const { answer } = await done(world);
      const body = { prompt: "Look.", delay_seconds: DAY_SECONDS, session_id: textOf(answer, "thread_id") };
      expectRefused(
        await world.post(`/v1/agents/${await scheduler(world)}/schedules`, body),
        404,
        "not_found",
      );
    },
    ["runs"],
  ],
  [
    "run",
    'A schedule that fires makes one run, of the origin "schedule".',
    async (world) => {
      const { agentId } = await done(world);
      const runs = expectStatus(await world.get(`/v1/agents/${agentId}/runs`), 200);
      expectThat(listOf(runs).length === 1, "one run", runs);
      expectThat(member(listOf(runs)[0], "origin") === "schedule", "origin schedule", runs);
    },
    ["runs"],
  ],
  [
    "run-session",
    "A schedule that has fired names the session of its run.",
    async (world) => {
      const { agentId, answer } = await done(world);
      const runs = expectStatus(await world.get(`/v1/agents/${agentId}/runs`), 200);
      expectThat(
        member(listOf(runs)[0], "thread_id") === textOf(answer, "thread_id"),
        "the schedule's thread_id",
        runs,
      );
    },
    ["runs"],
  ],
  [
    "not-before",
    "A schedule does not fire before its time.",
    async (world) => {
      const { answer } = await done(world);
      const [fired, time] = [
        Date.parse(textOf(answer, "last_fired_at")),
        Date.parse(textOf(answer, "fire_at")),
      ];
      expectThat(fired >= time, "last_fired_at at fire_at or later", answer);
    },
    ["runs"],
  ],
  [
    "list-none",
    "An agent without schedules has an empty list.",
    async (world) => {
      const answer = expectStatus(await world.get(`/v1/agents/${await makeAgent(world)}/schedules`), 200);
      expectThat(listOf(answer).length === 0, "an empty array", answer);
    },
  ],
  [
    "list-has",
    "The list has each schedule of the agent as it is read by its id.",
    async (world) => {
      const agentId = await makeAgent(world);
      const made = await makeSchedule(world, { agentId });
      const answer = expectStatus(await world.get(`/v1/agents/${agentId}/schedules`), 200);
      expectThat(answer.text === `[${made.answer.text}]`, `a list of ${made.answer.text}`, answer);
    },
  ],
  [
    "list-order",
    "The list has the newest schedule first.",
    async (world) => {
      const agentId = await makeAgent(world);
      const [first, second] = [
        await makeSchedule(world, { agentId }),
        await makeSchedule(world, { agentId }),
      ];
      const answer = expectStatus(await world.get(`/v1/agents/${agentId}/schedules`), 200);
      const ids = listOf(answer).map((schedule) => member(schedule, "id"));
      const wanted = [second.scheduleId, first.scheduleId];
      expectThat(JSON.stringify(ids) === JSON.stringify(wanted), wanted.join(", "), answer);
    },
  ],
  [
    "list-other-agent",
    "The list has no schedule of another agent.",
    async (world) => {
      const { scheduleId } = await pending(world);
      const answer = expectStatus(await world.get(`/v1/agents/${await makeAgent(world)}/schedules`), 200);
      expectThat(!answer.text.includes(scheduleId), `no ${scheduleId}`, answer);
    },
  ],
]);
