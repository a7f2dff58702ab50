// GET /v1/ci/runs/{runID}: pages, cursors, long polls.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ciRunPageSchema } from "../../../../src/contract/ci/run-page.ts";
import { problemSchema } from "../../../../src/contract/problems/problem.ts";
import type { BackendTask } from "../../../../src/service/executor/backend.ts";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { expectValidStream, outlineOf } from "../../../support/service-streams.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

/** One run that waits for the test at every step. */
type Puppet = { readonly task: BackendTask; finish(): void };

onEveryStore((kind) => {
  describe("reading", () => {
    let fixture: ServiceFixture;
    let scripts: Map<string, (task: BackendTask) => Promise<void>>;

    beforeAll(async () => {
      scripts = new Map();
      const backend = scriptedBackend(async (task) => {
        await scripts.get(String(task.messages[0]?.content))?.(task);
      });
      fixture = await startFixture({
        level: "service",
        store: kind,
        backend,
        config: { maxRunningRuns: 50 },
      });
    });

    afterAll(() => fixture.close());

    const startPuppet = async () => {
      const { promise, resolve } = Promise.withResolvers<Puppet>();
      const name = `puppet ${scripts.size}`;
      scripts.set(name, (task) => new Promise<void>((finish) => resolve({ task, finish })));
      const job = await fixture.job();
      const runId = await job.start(name);
      const { task, finish } = await promise;
      const opening = await job.page(runId, { wait: 30 });
      expect(outlineOf(opening.events.map(({ event }) => event))).toEqual(["RUN_STARTED"]);
      return { job, runId, task, finish, next: opening.next };
    };

    it("gives the run, its events, the cursor and whether that was all", async () => {
      scripts.set("talk", (task) => say(task, "Hello, ", "world."));
      const job = await fixture.job();
      const runId = await job.start("talk");
      const stored = await job.follow(runId);
      const events = await expectValidStream(stored);
      expect(outlineOf(events)).toEqual([
        "RUN_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT ×2",
        "TEXT_MESSAGE_END",
        "CUSTOM",
        "RUN_FINISHED",
      ]);
      const whole = await job.read(runId);
      expect(whole.headers.get("cache-control")).toBe("private, no-cache");
      expect(whole.body).toEqual({ run: await job.run(runId), events: stored, next: 7, done: true });

      const pages: number[] = [];
      for (let after = 0, done = false; !done; ) {
        const page = await job.page(runId, { after, limit: 3 });
        expect(page.events).toEqual(stored.slice(after, after + 3));
        pages.push(page.events.length);
        ({ next: after, done } = page);
      }
      expect(pages).toEqual([3, 3, 1]);
      expect(await job.page(runId, { after: 7, wait: 30 })).toMatchObject({
        events: [],
        next: 7,
        done: true,
      });
    });

    it("gives a waiting reader of a short run all of it at once", async () => {
      scripts.set("short", (task) => say(task, "Done."));
      const job = await fixture.job();
      const page = await job.page(await job.start("short"), { wait: 30 });
      expect(page).toMatchObject({ done: true, run: { status: "completed" } });
      expect(page.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    });

    it("answers a waiting reader at the first new event, and at the end", async () => {
      const { job, runId, task, finish, next } = await startPuppet();
      const sleeping = fixture.clock.sleeping;
      const first = job.page(runId, { after: next, wait: 30 });
      await fixture.clock.whenSleeping(sleeping + 1);
      await task.emit({ type: "STEP_STARTED", stepName: "look" });
      const page = await first;
      expect(page).toMatchObject({ next: next + 1, done: false, run: { status: "running" } });
      expect(page.events.map(({ event }) => event.type)).toEqual(["STEP_STARTED"]);

      const last = job.page(runId, { after: page.next, wait: 30 });
      finish();
      expect((await last).done).toBe(true);
    });

    it("answers with nothing new when the time is over", async () => {
      const { job, runId, finish, next } = await startPuppet();
      const sleeping = fixture.clock.sleeping;
      const waiting = job.page(runId, { after: next, wait: 30 });
      await fixture.clock.whenSleeping(sleeping + 1);
      fixture.clock.advance(30_000);
      expect(await waiting).toMatchObject({ events: [], next, done: false });
      expect((await job.page(runId, { after: next })).events).toEqual([]);
      finish();
      await job.ended(runId);
    });

    it("answers 304 while nothing changes", async () => {
      const { job, runId, finish, next } = await startPuppet();
      const first = await job.read(runId, { after: next });
      const etag = first.headers.get("etag") ?? "";
      expect(etag).toMatch(/^"[\w-]+"$/);
      const same = await job.read(runId, { after: next }, { headers: { "if-none-match": etag } });
      expect([same.status, same.text, same.headers.get("etag")]).toEqual([304, "", etag]);
      for (const header of [`"other", ${etag}`, `W/${etag}`, "*"]) {
        expect(
          (await job.read(runId, { after: next }, { headers: { "if-none-match": header } })).status,
        ).toBe(304);
      }
      finish();
      await job.ended(runId);
      const changed = await job.read(runId, { after: next }, { headers: { "if-none-match": etag } });
      expect(changed.status).toBe(200);
    });

    it.each([
      "after=-1",
      "after=x",
      "after=1.5",
      "after=99999999999999999",
      "wait=31",
      "wait=-1",
      "limit=0",
      "limit=1001",
      "limit=",
    ])("refuses the query %s with 400", async (query) => {
      const { job, runId } = await fixture.jobWithRun();
      const answer = await job.call(`/v1/ci/runs/${runId}?${query}`);
      expect([answer.status, problemSchema.parse(answer.body).code]).toEqual([400, "invalid_request"]);
    });

    it("wakes 500 readers of one run, each with the same events", async () => {
      const { job, runId, task, finish, next } = await startPuppet();
      const sleeping = fixture.clock.sleeping;
      const readers = Array.from({ length: 500 }, () => job.read(runId, { after: next, wait: 30 }));
      await fixture.clock.whenSleeping(sleeping + 500);
      await task.emit({ type: "STEP_STARTED", stepName: "look" });
      const answers = await Promise.all(readers);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(ciRunPageSchema.parse(answers[0]?.body).events).toHaveLength(1);
      finish();
      await job.ended(runId);
    });

    it("bounds a page to about 1 MB, and never to less than one event", async () => {
      const delta = "x".repeat(300_000);
      scripts.set("much", async (task) => {
        await say(task, delta, delta, delta, delta, "y".repeat(2_000_000));
      });
      const job = await fixture.job();
      const runId = await job.start("much");
      await expectValidStream(await job.follow(runId));
      const sizes: number[] = [];
      for (let after = 0, done = false; !done; ) {
        const answer = await job.read(runId, { after });
        const page = ciRunPageSchema.parse(answer.body);
        sizes.push(answer.text.length);
        if (page.events.length > 1) expect(answer.text.length).toBeLessThan(1_010_000);
        ({ next: after, done } = page);
      }
      expect(Math.max(...sizes)).toBeGreaterThan(2_000_000);
      expect(sizes.length).toBe(4);
    });

    it("keeps the order of 20 runs that write 500 events each at once", async () => {
      scripts.set("count", async (task) => {
        const messageId = task.nextId("message");
        await task.emit({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
        for (let index = 0; index < 500; index += 1) {
          await task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: `${index} ` });
          if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        await task.emit({ type: "TEXT_MESSAGE_END", messageId });
      });
      const job = await fixture.job();
      const runIds = await Promise.all(Array.from({ length: 20 }, () => job.start("count")));
      const expected = Array.from({ length: 500 }, (_, index) => `${index} `).join("");
      for (const stored of await Promise.all(runIds.map((runId) => job.follow(runId)))) {
        const events = await expectValidStream(stored);
        const text = events.flatMap((event) => (event.type === "TEXT_MESSAGE_CONTENT" ? [event.delta] : []));
        expect(text.join("")).toBe(expected);
      }
    });

    it("carries any text unchanged", async () => {
      const odd = '\0 \u2028 \ud83d\ude00 </script> " \\ \u0007 ünïcödé \u202e';
      scripts.set(odd, (task) => say(task, odd));
      const job = await fixture.job();
      const runId = await job.start(odd);
      const events = await expectValidStream(await job.follow(runId));
      expect(events).toContainEqual({ type: "TEXT_MESSAGE_CONTENT", messageId: "message-1", delta: odd });
    });
  });
});

describe("a reader who waits", () => {
  it("is answered when the service stops", async () => {
    const begun = Promise.withResolvers<void>();
    const backend = scriptedBackend(async (task) => {
      begun.resolve();
      await new Promise((resolve) => task.signal.addEventListener("abort", resolve, { once: true }));
    });
    const fixture = await startFixture({ level: "service", backend });
    const { job, runId } = await fixture.jobWithRun();
    await begun.promise;
    const { next } = await job.page(runId, { wait: 30 });
    const sleeping = fixture.clock.sleeping;
    const waiting = job.page(runId, { after: next, wait: 30 });
    await fixture.clock.whenSleeping(sleeping + 1);
    const stopped = fixture.stop();
    expect(await waiting).toMatchObject({ events: [], done: false });
    await stopped;
    await fixture.close();
  });

  it("is forgotten when it hangs up", async () => {
    const begun = Promise.withResolvers<void>();
    const fixture = await startFixture({
      level: "service",
      backend: scriptedBackend(async (task) => {
        begun.resolve();
        await new Promise((resolve) => task.signal.addEventListener("abort", resolve, { once: true }));
      }),
    });
    const { job, runId } = await fixture.jobWithRun();
    await begun.promise;
    const { next } = await job.page(runId, { wait: 30 });
    const sleeping = fixture.clock.sleeping;
    const readers = Array.from({ length: 10 }, () => {
      const hangUp = new AbortController();
      const answer = job.read(runId, { after: next, wait: 30 }, { signal: hangUp.signal });
      return { hangUp, answer };
    });
    await fixture.clock.whenSleeping(sleeping + 10);
    for (const { hangUp, answer } of readers) {
      hangUp.abort();
      await expect(answer).rejects.toThrow();
    }
    await fixture.clock.whenAwake(sleeping);
    await fixture.close();
  });
});
