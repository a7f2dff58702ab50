// Submission over the socket: what is queued, what a key makes safe to repeat, who pays.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { problemSchema } from "../../../../src/contract/problems/problem.ts";
import { submitRunResponseSchema } from "../../../../src/contract/runs/run.ts";
import type { BackendTask } from "../../../../src/service/executor/backend.ts";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import type { Answer } from "../../../support/service-client.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const DAY_MS = 24 * 60 * 60_000;
const NOBODY = "00000000-0000-7000-8000-000000000000";

onEveryStore((kind) => {
  describe("submitting", () => {
    let fixture: ServiceFixture;
    let tasks: BackendTask[];

    beforeAll(async () => {
      tasks = [];
      const backend = scriptedBackend(async (task) => {
        tasks.push(task);
        await say(task, "done");
      });
      fixture = await startFixture({ level: "service", store: kind, backend });
    });

    afterAll(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
    });

    const taskOf = (runId: string) => tasks.find((task) => task.runId === runId);

    it("queues a run, and names it in body and headers", async () => {
      const job = await fixture.job();
      const answer = await job.submit({ message: "What is this?" });
      expect(answer.status).toBe(202);
      const { run_id, session_id } = submitRunResponseSchema.parse(answer.body);
      expect(answer.body).toEqual({ run_id, session_id });
      expect(answer.headers.get("x-svc-run-id")).toBe(run_id);
      expect(answer.headers.get("x-svc-session-id")).toBe(session_id);
      expect(answer.headers.get("x-svc-idempotent-replay")).toBeNull();
      expect(await job.ended(run_id)).toMatchObject({
        status: "completed",
        id: run_id,
        agent_id: job.agentId,
        thread_id: session_id,
        origin: "user",
        credits: 1,
        gross_micro_usd: 8333,
        stop_reason: "end_turn",
      });
    });

    it("carries the message, the budget and the verified commit to the backend", async () => {
      const claims = fixture.freshRepository({ sha: "b".repeat(40), ref: "refs/heads/topic" });
      const job = await fixture.job(claims);
      const messages = [
        { role: "user", content: "Look.", parts: [{ type: "file", path: "README.md" }] },
        { role: "assistant", content: "", tool_call_id: "call-1" },
      ];
      const answer = await job.submit({ message: "not this", messages, max_turn_tokens: 5_000_000 });
      const { run_id } = submitRunResponseSchema.parse(answer.body);
      await job.ended(run_id);
      expect(taskOf(run_id)).toMatchObject({ messages, maxTurnTokens: 5_000_000 });
      const [row] = await fixture.place.query(`select input from run_inputs where run_id = '${run_id}'`);
      expect(JSON.parse(String(row?.input)).job).toMatchObject({
        repository: { name: claims.repository },
        sha: "b".repeat(40),
        ref: "refs/heads/topic",
        event: "push",
        baseRef: null,
      });
      const second = await job.start("just this");
      await job.ended(second);
      expect(taskOf(second)).toMatchObject({
        messages: [{ role: "user", content: "just this" }],
        maxTurnTokens: 0,
      });
    });

    it("continues a session of the agent, and finds no other", async () => {
      const job = await fixture.job();
      const first = submitRunResponseSchema.parse((await job.submit({ message: "one" })).body);
      const again = await job.submit({ message: "two", session_id: first.session_id });
      const second = submitRunResponseSchema.parse(again.body);
      expect(second.session_id).toBe(first.session_id);
      expect(second.run_id).not.toBe(first.run_id);
      const stranger = await fixture.job();
      for (const answer of [
        await job.submit({ message: "x", session_id: NOBODY }),
        await stranger.submit({ message: "x", session_id: first.session_id }),
      ]) {
        expect([answer.status, problemSchema.parse(answer.body).code]).toEqual([404, "not_found"]);
      }
    });

    it.each([
      ["neither message nor messages", {}],
      ["an empty message", { message: "" }],
      ["no messages in messages", { messages: [] }],
      ["a role that there is not", { messages: [{ role: "root", content: "x" }] }],
      ["a message that is no text", { message: 7 }],
      ["a budget below 0", { message: "x", max_turn_tokens: -1 }],
      ["a budget above 5,000,000", { message: "x", max_turn_tokens: 5_000_001 }],
      ["half a token", { message: "x", max_turn_tokens: 0.5 }],
      ["a body key of 256 characters", { message: "x", idempotency_key: "k".repeat(256) }],
      ["an empty body key", { message: "x", idempotency_key: "" }],
      ["a body key with a NUL", { message: "x", idempotency_key: "a\0b" }],
      ["a session with a NUL", { message: "x", session_id: "\0" }],
      ["a list", []],
    ])("refuses %s with 400", async (_name, body) => {
      const job = await fixture.job();
      const answer = await job.submit(body);
      expect([answer.status, problemSchema.parse(answer.body).code]).toEqual([400, "invalid_request"]);
      expect(await fixture.place.query(`select id from runs where agent_id = '${job.agentId}'`)).toEqual([]);
    });

    it("refuses a key of 256 characters or none in the header with 400, and takes one of 255", async () => {
      const job = await fixture.job();
      const send = (key: string) => job.submit({ message: "x" }, { "idempotency-key": key });
      expect((await send("k".repeat(256))).status).toBe(400);
      expect((await send("")).status).toBe(400);
      expect((await send("k".repeat(255))).status).toBe(202);
    });

    it("refuses a form, and a body above 10 MiB", async () => {
      const job = await fixture.job();
      const form = await job.call(job.runsPath, { method: "POST", form: { message: "x" } });
      expect(form.status).toBe(415);
      expect((await job.submit({ message: "x".repeat(10 * 1024 * 1024) })).status).toBe(413);
      expect((await job.submit({ message: "x".repeat(1_000_000) })).status).toBe(202);
    });

    it("answers the same request with the same key with the same run, for 24 hours", async () => {
      const claims = fixture.freshRepository();
      const job = await fixture.job(claims);
      const send = async () =>
        (await fixture.job(claims)).submit({ message: "x" }, { "idempotency-key": "key-1" });
      const first = await job.submit({ message: "x" }, { "idempotency-key": "key-1" });
      await job.ended(submitRunResponseSchema.parse(first.body).run_id);
      fixture.clock.advance(DAY_MS - 1);
      const replay = await send();
      expect([replay.status, replay.body]).toEqual([202, first.body]);
      expect(replay.headers.get("x-svc-idempotent-replay")).toBe("true");
      expect(replay.headers.get("x-svc-run-id")).toBe(first.headers.get("x-svc-run-id"));
      fixture.clock.advance(1);
      const fresh = await send();
      expect(fresh.status).toBe(202);
      expect(fresh.headers.get("x-svc-idempotent-replay")).toBeNull();
      expect(fresh.body).not.toEqual(first.body);
      expect((await send()).body).toEqual(fresh.body);
    });

    it("lets the header's key win over the body's, and takes the body's alone", async () => {
      const job = await fixture.job();
      const body = { message: "x", idempotency_key: "body" };
      const byHeader = await job.submit(body, { "idempotency-key": "header" });
      const byBody = await job.submit(body);
      const headerAgain = await job.submit({ message: "x" }, { "idempotency-key": "header" });
      const bodyAgain = await job.submit({ message: "x" }, { "idempotency-key": "body" });
      expect(byBody.body).not.toEqual(byHeader.body);
      expect(headerAgain.body).toEqual(byHeader.body);
      expect(bodyAgain.body).toEqual(byBody.body);
    });

    it("reads no body key beside the header's, however long, and no message beside messages", async () => {
      const job = await fixture.job();
      const byHeader = { "idempotency-key": "header" };
      const long = { message: "x", idempotency_key: "k".repeat(256) };
      expect((await job.submit(long, byHeader)).status).toBe(202);
      const messages = [{ role: "user", content: "x" }];
      expect((await job.submit({ message: "", messages })).status).toBe(202);
    });

    it("refuses a key that another request used with 422, however alike", async () => {
      const job = await fixture.job();
      const send = (body: unknown) => job.submit(body, { "idempotency-key": "k" });
      const first = submitRunResponseSchema.parse((await send({ message: "x" })).body);
      for (const body of [
        { message: "x " },
        { message: "x", max_turn_tokens: 1 },
        { message: "x", session_id: first.session_id },
        { messages: [{ role: "system", content: "x" }] },
      ]) {
        const answer = await send(body);
        expect([answer.status, problemSchema.parse(answer.body).code]).toEqual([
          422,
          "idempotency_key_reused",
        ]);
      }
      const samely = await send({
        max_turn_tokens: 0,
        messages: [{ content: "x", role: "user" }],
        message: "y",
      });
      expect(submitRunResponseSchema.parse(samely.body)).toEqual(first);
    });

    it("keeps one agent's keys apart from another's", async () => {
      const [one, other] = [await fixture.job(), await fixture.job()];
      const answers: Answer[] = [];
      for (const job of [one, other])
        answers.push(await job.submit({ message: "x" }, { "idempotency-key": "k" }));
      expect(answers.map(({ status }) => status)).toEqual([202, 202]);
      expect(answers[0]?.body).not.toEqual(answers[1]?.body);
    });

    it("makes one run of 20 parallel requests with one key", async () => {
      const job = await fixture.job();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => job.submit({ message: "x" }, { "idempotency-key": "k" })),
      );
      for (const answer of answers) {
        expect([202, 409]).toContain(answer.status);
        if (answer.status === 409) expect(answer.headers.get("retry-after")).toBe("2");
      }
      const ids = answers
        .filter(({ status }) => status === 202)
        .map(({ headers }) => headers.get("x-svc-run-id"));
      expect(new Set(ids).size).toBe(1);
      expect(await fixture.place.query(`select id from runs where agent_id = '${job.agentId}'`)).toHaveLength(
        1,
      );
    });
  });
});
