// The Action, the command and the client of a version that knows no parked runs, with the service of now.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ACTIONS_BOT } from "../../fakes/code-host/comments.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { call, type Step, say, wait } from "../../fakes/model-server/turn.ts";
import { type Client, createClient, type Run } from "../../src/client/client.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { makeTestKey, type TestKey } from "../support/account-key.ts";
import { type EarlierClient, earlierClient } from "../support/client-without-parking.ts";
import { replyOf, type ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";

const MODEL_KEY = "sk-the-models-key-0123456789";
const asked = { question: "Which parser?", choices: ["The old one", "The new one"] };

/** Asks once, and is done with whatever it is told. */
const asking = ({ messages }: ModelRequest): Step =>
  JSON.stringify(messages.at(-1)).includes("The new one.") ? say("Done.") : call("ask_question", asked);

describe("a client that knows no parked runs", { tags: ["history"] }, () => {
  let earlier: EarlierClient;
  let fixture: ScenarioFixture;
  let model: ModelServer;
  let key: TestKey;
  let step: (request: ModelRequest) => Step;
  let old: Client;
  let now: Client;
  let agentId: string;

  beforeAll(async () => {
    earlier = earlierClient();
    model = await startModelServer({ script: everyTime((request) => step(request)), apiKey: MODEL_KEY });
    const read = readConfig(
      {},
      {
        PATH: process.env.PATH,
        BACKEND: "model",
        SANDBOX: "off",
        MODEL: "claude-opus-5",
        MODEL_BASE_URL: model.baseUrl,
        MODEL_API_KEY: MODEL_KEY,
      },
    );
    if (!read.ok) throw new Error(read.refusal.join("\n"));
    const { backend, model: modelConfig, sandbox } = read.value;
    fixture = await startFixture({ level: "scenario", config: { backend, model: modelConfig, sandbox } });
    await fixture.stop();
    key = await makeTestKey(fixture.place);
    await fixture.start();
    const connection = { baseUrl: fixture.serviceUrl, credential: key.secret };
    old = (await earlier.load()).createClient(connection);
    now = createClient(connection);
    agentId = (await now.agents.create({ body: { name: "helper" } })).id;
  });

  beforeEach(() => {
    step = asking;
  });

  afterEach(() => expectSoundLedger(fixture.place));

  afterAll(async () => {
    await fixture.close();
    await model.close();
    earlier.remove();
  });

  const command = (...args: string[]) =>
    new ServiceProcess(
      args,
      { AGENT_SERVICE_URL: fixture.serviceUrl, AGENT_SERVICE_KEY: key.secret },
      { entry: earlier.command },
    );
  const typesOf = async (events: AsyncIterable<{ readonly event: object }>) => {
    const types: string[] = [];
    for await (const { event } of events)
      types.push("name" in event ? String(event.name) : "type" in event ? String(event.type) : "");
    return types;
  };
  /** A run of another client, which has asked and waits. */
  const parkRun = async (sessionKey: string): Promise<string> => {
    const body = { message: "Fix the parser.", session_key: sessionKey, may_park: true };
    const { runId } = await now.runs.submit({ agentId, body });
    for await (const _ of now.runs.follow({ runId, untilParked: true }));
    expect(await now.runs.get({ agentId, runId })).toMatchObject({ parked: { reason: "question" } });
    return runId;
  };

  it("has its own runs end where they ask, answers them, and reads the session by poll and socket", async () => {
    const body = { message: "Fix the parser.", session_key: "own" };
    const { runId, sessionId } = await old.runs.submit({ agentId, body });
    const first = await typesOf(old.runs.follow({ runId }));
    expect(first.at(-1)).toBe("RUN_FINISHED");
    expect(first).not.toContain("parked");
    expect(await old.runs.get({ agentId, runId })).toMatchObject({
      status: "completed",
      stop_reason: "question",
    });
    expect(await old.questions.list({ query: {} })).toMatchObject([{ run_id: runId }]);
    const { run_id: next } = await old.questions.answer({ runId, body: { answer: "The new one." } });
    expect(next).not.toBe(runId);
    expect((await typesOf(old.runs.follow({ runId: next }))).at(-1)).toBe("RUN_FINISHED");
    const ended = new Map<string, Run["status"]>();
    for await (const item of old.sessions.follow({ sessionId })) {
      if (item.type === "run") ended.set(item.run.id, item.run.status);
      if (ended.get(next) === "completed") break;
    }
    expect(ended.get(runId)).toBe("completed");
  });

  it("sees a run that another client parked as running, and as cancelled once it has cancelled it", async () => {
    const runId = await parkRun("cancelled");
    const run = await old.runs.get({ agentId, runId });
    expect(run).toMatchObject({ id: runId, status: "running" });
    const followed = typesOf(old.runs.follow({ runId }));
    const printed = command("follow", runId);
    await printed.printed(/Which parser\?/);
    const items: string[] = [];
    const socket = (async () => {
      for await (const item of old.sessions.follow({ sessionId: run.thread_id })) {
        items.push(item.type === "run" ? item.run.status : "event");
        if (items.at(-1) === "cancelled") return;
      }
    })();
    const cancelled = await command("runs", "cancel", agentId, runId).ended;
    expect([cancelled.code, cancelled.stderr]).toEqual([0, ""]);
    expect(await followed).toEqual(expect.arrayContaining(["parked", "RUN_FINISHED"]));
    await socket;
    expect(items).toContain("running");
    const { code, stdout, stderr } = await printed.ended;
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toContain("cancelled");
    expect(await old.runs.get({ agentId, runId })).toMatchObject({ status: "cancelled" });
  });

  it("answers a question that another client's run waits with, and follows that run to its end", async () => {
    const runId = await parkRun("answered");
    const followed = typesOf(old.runs.follow({ runId }));
    expect(await old.questions.list({ query: {} })).toMatchObject([{ run_id: runId }]);
    const answered = await old.questions.answer({ runId, body: { answer: "The new one." } });
    expect(answered.run_id).toBe(runId);
    expect(await followed).toEqual(expect.arrayContaining(["parked", "resumed", "RUN_FINISHED"]));
    expect(await old.runs.get({ agentId, runId })).toMatchObject({
      status: "completed",
      stop_reason: "end_turn",
    });
  });

  it("as a job ends with its question, and its next comment is a new run of the session", async () => {
    const comments = () => fixture.codeHost.rest.commentsOf(7).filter(({ user }) => user === ACTIONS_BOT);
    const request = async (comment: string) =>
      await fixture.main(await fixture.job({ event: "issue_comment", isIssue: true, comment }), {
        inputs: { changes: "patch" },
        action: earlier.action,
      });
    const first = await request("/agent fix the parser");
    expect(first).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", reason: "question" } });
    expect(comments().at(-1)?.body).toContain("Which parser?");
    const second = await request("/agent The new one.");
    expect(second).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", reason: "completed" } });
    expect(await replyOf(second)).toContain("Done.");
    expect(second.outputs["session-id"]).toBe(first.outputs["session-id"]);
    expect(second.outputs["run-id"]).not.toBe(first.outputs["run-id"]);
  });

  it("as a job that is cancelled cancels its run", async () => {
    const atWork = Promise.withResolvers<void>();
    const never = Promise.withResolvers<void>();
    step = () => {
      atWork.resolve();
      return [say("Looks around."), wait(never.promise)];
    };
    const cancelling = new AbortController();
    const main = fixture.main(await fixture.job(), {
      inputs: { prompt: "Hello" },
      signal: cancelling.signal,
      action: earlier.action,
    });
    await atWork.promise;
    cancelling.abort();
    const { outputs } = await main;
    expect(outputs).toMatchObject({ conclusion: "cancelled", reason: "user_stop" });
    const run = (await fixture.runs()).find(({ id }) => id === outputs["run-id"]);
    expect(run).toMatchObject({ status: "cancelled", cause: "user_stop" });
    never.resolve();
  });
});
