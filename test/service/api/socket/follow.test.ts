import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../../../support/scripted-backend.ts";
import type { CiJob } from "../../../support/service-job.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { type EventFrame, SocketClient } from "./socket-client.ts";

const SOCKETS = 200;

const stored = (frames: readonly EventFrame[]) => frames.map(({ seq, at, event }) => ({ seq, at, event }));

const isLast = (frame: EventFrame) => frame.event.type === "RUN_FINISHED";

onEveryStore((kind) => {
  describe("following over the socket", () => {
    let fixture: ServiceFixture;

    beforeAll(async () => {
      const backend = scriptedBackend(async (task) => {
        const text = String(task.messages.at(-1)?.content);
        if (text === "wait") return await untilStopped(task);
        await say(task, ...Array.from({ length: 20 }, (_, index) => `${text} ${index}`));
      });
      fixture = await startFixture({ level: "service", store: kind, backend });
    });

    afterAll(() => fixture.close());

    const open = (job: CiJob) => SocketClient.open(fixture.url, { bearer: job.bearer });

    it("sends a run's events once and in order, then the run and the end", async () => {
      const job = await fixture.job();
      const socket = await open(job);
      const runId = await job.start("a");
      socket.send({ type: "subscribe", id: "s", run_id: runId });
      const end = await socket.when("unsubscribed");
      const events = await job.follow(runId);
      expect(stored(socket.events("s"))).toEqual(events);
      expect(end).toEqual({
        type: "unsubscribed",
        subscription: "s",
        reason: "ended",
        resume_after: events.length,
      });
      expect(socket.frames.map(({ type }) => type).slice(0, 3)).toEqual(["ready", "subscribed", "run"]);
      expect(socket.ofType("run").at(-1)?.run).toEqual(await job.run(runId));
      await socket.close();
    });

    it("goes on from a cursor after a reconnect", async () => {
      const job = await fixture.job();
      const runId = await job.start("b");
      const events = await job.follow(runId);
      const socket = await open(job);
      socket.send({ type: "subscribe", id: "late", run_id: runId, after: 7 });
      await socket.when("unsubscribed");
      expect(stored(socket.events("late"))).toEqual(events.slice(7));
      await socket.close();
    });

    it("follows the runs of a session in order, those that come later too", async () => {
      const job = await fixture.job();
      const socket = await open(job);
      const submit = async (id: string, extra: object) => {
        socket.send({ type: "submit", id, agent_id: job.agentId, message: id, ...extra });
        return await socket.when("submitted", (frame) => frame.id === id);
      };
      const first = await submit("first", {});
      const session = { session_id: first.session_id };
      socket.send({ type: "subscribe", id: "s", ...session });
      const rest = await Promise.all(["second", "third", "fourth"].map((id) => submit(id, session)));
      for (const { run_id } of rest) {
        await socket.when("event", (frame) => frame.run_id === run_id && isLast(frame));
      }
      const order = [...new Set(socket.events("s").map(({ run_id }) => run_id))];
      expect([...order].sort()).toEqual([first, ...rest].map(({ run_id }) => run_id).sort());
      expect(order[0]).toBe(first.run_id);
      const whole = await Promise.all(
        order.map(async (run_id) => (await job.follow(run_id)).map((event) => ({ run_id, ...event }))),
      );
      const seen = socket.events("s").map(({ run_id, seq, at, event }) => ({ run_id, seq, at, event }));
      expect(seen).toEqual(whole.flat());

      const again = await open(job);
      const after = { run_id: order[1] ?? "", seq: 5 };
      again.send({ type: "subscribe", id: "again", ...session, after });
      await again.when("event", (frame) => frame.run_id === order[3] && isLast(frame));
      expect(again.events("again").map(({ run_id, seq }) => [run_id, seq])).toEqual(
        seen
          .slice(seen.findIndex(({ run_id, seq }) => run_id === after.run_id && seq === after.seq) + 1)
          .map(({ run_id, seq }) => [run_id, seq]),
      );
      again.send({ type: "unsubscribe", id: "again" });
      expect(await again.when("unsubscribed")).toMatchObject({
        reason: "asked",
        resume_after: { run_id: order[3], seq: seen.at(-1)?.seq },
      });
      await again.close();
      await socket.close();
    });

    it("cancels a run, and says which it cannot", async () => {
      const job = await fixture.job();
      const socket = await open(job);
      const runId = await job.start("wait");
      socket.send({ type: "subscribe", id: "s", run_id: runId });
      await socket.when("event");
      const cancel = { type: "cancel", agent_id: job.agentId, run_id: runId };
      socket.send({ ...cancel, id: "c1" });
      expect(await socket.when("cancelling")).toEqual({ type: "cancelling", id: "c1", run_id: runId });
      await socket.when("unsubscribed");
      expect(socket.ofType("run").at(-1)?.run.status).toBe("cancelled");
      socket.send({ ...cancel, id: "c2" });
      expect(await socket.when("error")).toMatchObject({ id: "c2", code: "run_finished" });
      await socket.close();
    });

    it(`gives ${SOCKETS} sockets every event of one run, each once`, async () => {
      const job = await fixture.job();
      const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => open(job)));
      const runId = await job.start("many");
      for (const socket of sockets) socket.send({ type: "subscribe", id: "s", run_id: runId });
      const events = await job.follow(runId);
      for (const socket of sockets) {
        await socket.when("unsubscribed");
        expect(socket.events("s").map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq));
      }
      expect(stored(sockets[0]?.events("s") ?? [])).toEqual(events);
      await Promise.all(sockets.map((socket) => socket.close()));
    });

    it("answers a submit with the same key by the same run", async () => {
      const job = await fixture.job();
      const socket = await open(job);
      const frame = { type: "submit", agent_id: job.agentId, message: "once", idempotency_key: "k" };
      socket.send({ ...frame, id: "1" });
      socket.send({ ...frame, id: "2" });
      const first = await socket.when("submitted", ({ id }) => id === "1");
      const second = await socket.when("submitted", ({ id }) => id === "2");
      expect([first.replayed, second.replayed, second.run_id]).toEqual([false, true, first.run_id]);
      socket.send({ ...frame, id: "3", message: "other" });
      expect(await socket.when("error")).toMatchObject({ id: "3", code: "idempotency_key_reused" });
      await job.ended(first.run_id);
      await socket.close();
    });
  });
});
