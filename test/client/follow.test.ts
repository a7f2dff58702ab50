import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { EventGapError } from "../../src/client/errors.ts";
import type { Run } from "../../src/contract/runs/run.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";
import { completedRun, eventOf, pageReply, RUN_ID, runningRun } from "./run-fixtures.ts";
import { cutOff, html, json, openScriptedServer, problem, type Reply, reset } from "./scripted-server.ts";

async function followScript(
  script: readonly Reply[],
  options: { after?: number; refresh?: () => Promise<void> } = {},
) {
  await using server = await openScriptedServer(script);
  const clock = instantClock();
  const { refresh } = options;
  const credential = { token: () => "t", ...(refresh === undefined ? {} : { refresh }) };
  const client = createClient({ baseUrl: server.url, credential, clock, random: () => 0 });
  const followed = client.runs.follow({ runId: RUN_ID, after: options.after ?? 0 });
  const seqs: number[] = [];
  let error: unknown = null;
  try {
    for await (const { seq } of followed) seqs.push(seq);
  } catch (caught) {
    error = caught;
  }
  const asked = server.seen.map((request) => request.query.get("after"));
  return { seqs, error, asked, run: followed.run, cursor: followed.cursor, sleeps: clock.sleeps };
}

describe("follow", () => {
  it("hands on each event once and ends with the ended run", async () => {
    const end = await followScript([
      pageReply(runningRun, [1, 2]),
      pageReply(runningRun, [3]),
      pageReply(completedRun, [4, 5], true),
    ]);
    expect(end).toMatchObject({ seqs: [1, 2, 3, 4, 5], error: null, run: completedRun, cursor: 5 });
    expect(end.asked).toEqual(["0", "2", "3"]);
    expect(end.sleeps).toEqual([]);
  });

  it("hands on an event that this client does not know as it is", async () => {
    const event = { type: "CUSTOM", name: "of_a_newer_service", value: { turn: 0 } };
    const known = {
      type: "CUSTOM",
      name: "resumed",
      value: { turn: 7, after: "handover", unknown_calls: ["x"] },
    };
    const sent = [event, known].map((one, at) => ({ ...eventOf(at + 1), event: one }));
    await using server = await openScriptedServer([
      json(200, { run: completedRun, events: sent, next: 2, done: true }),
    ]);
    const client = createClient({
      baseUrl: server.url,
      credential: { token: () => "t" },
      clock: instantClock(),
    });
    const got: unknown[] = [];
    for await (const one of client.runs.follow({ runId: RUN_ID, after: 0 })) got.push(one.event);
    expect(got).toEqual([event, known]);
  });

  it("goes on from the cursor after a reset, a cut-off answer, a 503, a 429 and an HTML page", async () => {
    const end = await followScript([
      pageReply(runningRun, [1, 2]),
      reset,
      cutOff,
      problem(503, "unavailable"),
      problem(429, "rate_limited", { headers: { "retry-after": "3" } }),
      html(502),
      pageReply(completedRun, [3], true),
    ]);
    expect(end).toMatchObject({ seqs: [1, 2, 3], error: null });
    expect(end.asked).toEqual(["0", "2", "2", "2", "2", "2", "2"]);
    expect(end.sleeps).toEqual([250, 500, 1000, 3000, 4000]);
  });

  describe("until the run is parked", () => {
    const since = "2026-01-15T10:00:00.000Z";
    const parked = {
      reason: "question",
      since,
      until: "2026-01-29T10:00:00.000Z",
      how_to_continue: "Answer it.",
    };
    const parkedRun: Run = { ...runningRun, parked };
    const told = { seq: 2, at: since, event: { type: "CUSTOM", name: "parked", value: parked } };
    const again = { ...parked, since: "2026-01-15T11:00:00.000Z" };
    const reply = (run: Run, events: readonly unknown[], next: number, done = false) =>
      json(200, { run, events, next, done });

    async function follow(script: readonly Reply[], untilParked = true) {
      await using server = await openScriptedServer(script);
      const client = createClient({ baseUrl: server.url, credential: "t", clock: instantClock() });
      const events = client.runs.follow({ runId: RUN_ID, untilParked })[Symbol.asyncIterator]();
      const seqs: number[] = [];
      for (;;) {
        const next = await events.next();
        const waits = server.seen.map((request) => request.query.get("wait"));
        if (next.done === true) return { seqs, run: next.value, waits };
        seqs.push(next.value.seq);
      }
    }

    it("ends with the run that is parked", async () => {
      const end = await follow([reply(parkedRun, [eventOf(1), told], 2)]);
      expect(end).toEqual({ seqs: [1, 2], run: parkedRun, waits: ["25"] });
    });

    it("asks at once again where a page has the event and an older run", async () => {
      const end = await follow([reply(runningRun, [eventOf(1), told], 2), reply(parkedRun, [], 2)]);
      expect(end).toEqual({ seqs: [1, 2], run: parkedRun, waits: ["25", "0"] });
    });

    it("reads on where the run was continued since, and where it was parked again", async () => {
      const continued = await follow([
        reply(runningRun, [eventOf(1), told, eventOf(3)], 3),
        reply(completedRun, [eventOf(4)], 4, true),
      ]);
      expect(continued).toMatchObject({ seqs: [1, 2, 3, 4], run: completedRun, waits: ["25", "25"] });
      const parkedAgain = await follow([
        reply({ ...runningRun, parked: again }, [eventOf(1), told], 2),
        reply(
          { ...runningRun, parked: again },
          [eventOf(3), { ...told, seq: 4, event: { ...told.event, value: again } }],
          4,
        ),
      ]);
      expect(parkedAgain).toMatchObject({ seqs: [1, 2, 3, 4], run: { parked: again } });
    });

    it("reads on where nobody asked to end there", async () => {
      const end = await follow(
        [reply(parkedRun, [eventOf(1), told], 2), reply(completedRun, [eventOf(3)], 3, true)],
        false,
      );
      expect(end).toEqual({ seqs: [1, 2, 3], run: completedRun, waits: ["25", "25"] });
    });
  });

  it("drops events that it has already handed on", async () => {
    const end = await followScript([
      pageReply(runningRun, [1, 2]),
      pageReply(runningRun, [1, 2, 3]),
      pageReply(completedRun, [2, 3, 4], true),
    ]);
    expect(end.seqs).toEqual([1, 2, 3, 4]);
  });

  it("reads again from the cursor when an event is missing", async () => {
    const end = await followScript([
      pageReply(runningRun, [1, 2, 4]),
      pageReply(runningRun, [3, 4]),
      pageReply(completedRun, [5], true),
    ]);
    expect(end).toMatchObject({ seqs: [1, 2, 3, 4, 5], error: null });
    expect(end.asked).toEqual(["0", "2", "4"]);
  });

  it("fails when the missing event never comes, and does not skip it", async () => {
    const end = await followScript([pageReply(completedRun, [1, 3], true)]);
    expect(end.seqs).toEqual([1]);
    expect(end.error).toBeInstanceOf(EventGapError);
    expect(end.error).toMatchObject({ code: "events_missing", after: 1 });
  });

  it("refreshes a capability that ended, and goes on from the same cursor", async () => {
    let refreshed = 0;
    const end = await followScript(
      [
        pageReply(runningRun, [1]),
        problem(401, "unauthorized"),
        pageReply(runningRun, [2]),
        problem(401, "unauthorized"),
        pageReply(completedRun, [3], true),
      ],
      {
        refresh: async () => {
          refreshed += 1;
        },
      },
    );
    expect(end).toMatchObject({ seqs: [1, 2, 3], error: null });
    expect(end.asked).toEqual(["0", "1", "1", "2", "2"]);
    expect(refreshed).toBe(2);
  });

  it("starts after a cursor that the caller knows", async () => {
    const end = await followScript([pageReply(completedRun, [8], true)], { after: 7 });
    expect(end).toMatchObject({ seqs: [8], asked: ["7"] });
  });

  it("does not hammer a service that answers empty at once", async () => {
    const end = await followScript([
      pageReply(runningRun, []),
      pageReply(runningRun, []),
      pageReply(completedRun, [1], true),
    ]);
    expect(end.seqs).toEqual([1]);
    expect(end.sleeps).toEqual([1000, 1000]);
  });

  it("gives up on a refusal", async () => {
    const end = await followScript([problem(404, "not_found")]);
    expect(end.error).toMatchObject({ status: 404 });
    expect(end.asked).toHaveLength(1);
  });
});
