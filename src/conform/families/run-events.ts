// GET /v1/ci/runs/{runID}: the durable events of a run, page by page.

import { type Answer, member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf } from "../kit/expect.ts";
import { array, boolean, dateTime, exactly, filled, integer, object, uuid } from "../kit/field-kinds.ts";
import { recordStatements } from "../kit/record-fields.ts";
import { ended } from "../kit/runs.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import type { World } from "../kit/world.ts";

/** Every event of the shared run. */
async function events(world: World): Promise<Answer> {
  return await world.once("events of a run", async () => {
    const run = await ended(world);
    return expectStatus(await world.get(`/v1/ci/runs/${run.runId}?limit=1000`), 200);
  });
}

const eventOf = (answer: Answer, place: number) =>
  member(listOf(answer, "events").at(place), "event", "type");

export const runEvents: readonly Statement[] = [
  ...recordStatements({
    prefix: "events",
    section: "4.5",
    what: "A page of a run's events",
    needs: ["runs"],
    read: events,
    fields: {
      run: object,
      "run.id": filled,
      "run.agent_id": uuid,
      "run.status": filled,
      events: array,
      "events.0.seq": exactly(1),
      "events.0.at": dateTime,
      "events.0.event": object,
      "events.0.event.type": exactly("RUN_STARTED"),
      next: integer,
      done: boolean,
    },
  }),
  ...statementsOf("4.5", { prefix: "poll", needs: ["runs"] }, [
    [
      "key",
      "The key of the account that owns the run polls its events.",
      async (world) => void expectStatus(await events(world), 200),
    ],
    [
      "done",
      "The last page of a run that has ended is done.",
      async (world) => expectMember(await events(world), "done", true),
    ],
    [
      "numbered",
      "Events are numbered from 1 without a gap.",
      async (world) => {
        const answer = await events(world);
        const holds = listOf(answer, "events").every((one, place) => member(one, "seq") === place + 1);
        expectThat(holds, "seq 1, 2, 3 …", answer);
      },
    ],
    [
      "next",
      "next is the number of the page's last event.",
      async (world) => {
        const answer = await events(world);
        expectMember(answer, "next", member(listOf(answer, "events").at(-1), "seq"));
      },
    ],
    [
      "last",
      "The last event of a run says that it has ended.",
      async (world) => {
        const answer = await events(world);
        const type = String(eventOf(answer, -1));
        expectThat(/^RUN_(FINISHED|ERROR)$/.test(type), "RUN_FINISHED or RUN_ERROR at the end", answer);
      },
    ],
    [
      "one-end",
      "A run ends once.",
      async (world) => {
        const answer = await events(world);
        const types = listOf(answer, "events").map((one) => String(member(one, "event", "type")));
        const ends = types.filter((type) => /^RUN_(FINISHED|ERROR)$/.test(type));
        expectThat(ends.length === 1, "one event of the end", answer);
      },
    ],
    [
      "after",
      "after gives the events that follow.",
      async (world) => {
        const { runId } = await ended(world);
        const answer = expectStatus(await world.get(`/v1/ci/runs/${runId}?after=2`), 200);
        const rest = listOf(await events(world), "events").slice(2);
        expectThat(
          JSON.stringify(listOf(answer, "events")) === JSON.stringify(rest),
          "the events from 3 on",
          answer,
        );
      },
    ],
    [
      "limit",
      "limit bounds a page of events.",
      async (world) => {
        const answer = expectStatus(
          await world.get(`/v1/ci/runs/${(await ended(world)).runId}?limit=1`),
          200,
        );
        expectThat(listOf(answer, "events").length === 1, "one event", answer);
      },
    ],
    [
      "not-done",
      "A page of events that is not the last is not done.",
      async (world) =>
        expectMember(await world.get(`/v1/ci/runs/${(await ended(world)).runId}?limit=1`), "done", false),
    ],
    [
      "behind",
      "After the last event there is none, and the page is done.",
      async (world) => {
        const [{ runId }, all] = [await ended(world), await events(world)];
        const answer = expectStatus(
          await world.get(`/v1/ci/runs/${runId}?after=${String(member(all.json, "next"))}&wait=5`),
          200,
        );
        expectMember(answer, "events", []);
        expectMember(answer, "done", true);
      },
    ],
    [
      "durable",
      "The same page of events reads the same.",
      async (world) => {
        const answer = await world.get(`/v1/ci/runs/${(await ended(world)).runId}?limit=1000`);
        expectThat(answer.text === (await events(world)).text, "the page of before", answer);
      },
    ],
    [
      "tagged",
      "A page of events is answered 304 to If-None-Match with its ETag.",
      async (world) => {
        const headers = { "if-none-match": (await events(world)).headers.etag ?? "" };
        expectStatus(
          await world.ask({ path: `/v1/ci/runs/${(await ended(world)).runId}?limit=1000`, headers }),
          304,
        );
      },
    ],
    [
      "same-record",
      "The run of a page is the run's record.",
      async (world) => {
        const [run, answer] = [await ended(world), await events(world)];
        const record = await world.get(`/v1/agents/${run.agentId}/runs/${run.runId}`);
        expectThat(JSON.stringify(member(answer.json, "run")) === record.text, record.text, answer);
      },
    ],
    [
      "of-another",
      "The events of another account's run are answered 403.",
      async (world) =>
        void expectRefused(
          await world.get(`/v1/ci/runs/${(await ended(world)).runId}`, "other"),
          403,
          "forbidden",
        ),
      ["another_account"],
    ],
    [
      "ai-client",
      "An AI client polls the events of its account's run.",
      async (world) =>
        void expectStatus(await world.get(`/v1/ci/runs/${(await ended(world)).runId}`, "ai"), 200),
      ["ai_client"],
    ],
  ]),
];
