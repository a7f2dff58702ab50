// Agents by AG-UI: both lines of its client against the endpoint, on a real socket.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ClientEvent,
  type ClientThread,
  clientLines,
  saidBy,
} from "../../../../support/ag-ui/clients.ts";
import { ScriptedRuns } from "../../../../support/ag-ui/scripted-runs.ts";
import { call } from "../../../../support/service-client.ts";
import { sqliteStore } from "../../../../support/stores/stores.ts";

describe.each(clientLines)("AG-UI by $name", (line) => {
  let runs: ScriptedRuns;
  beforeAll(async () => {
    runs = await ScriptedRuns.start(sqliteStore);
  });
  afterAll(() => runs.close());

  const open = (bearer = runs.account.owner): ClientThread =>
    line.open({ url: runs.url, bearer, threadId: crypto.randomUUID() });
  const ourRunOf = (events: readonly { readonly [field: string]: unknown }[]) => {
    const { metadata } = events.find(({ type }) => type === "RUN_STARTED") as {
      metadata: { "agent-service": { run_id: string; session_id: string } };
    };
    return metadata["agent-service"];
  };

  it("runs, with the ids of the client in its events and ours beside", async () => {
    const thread = open();
    const { events, error } = await thread.ask({ runId: "run-1", message: "hello" });
    expect(error).toBeNull();
    expect(events.map(({ type }) => type)).toEqual([
      "RUN_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "CUSTOM",
      "STATE_SNAPSHOT",
      "RUN_FINISHED",
    ]);
    expect(events.at(0)).toMatchObject({ runId: "run-1", threadId: thread.threadId });
    expect(events.at(-1)).toMatchObject({
      runId: "run-1",
      threadId: thread.threadId,
      outcome: { type: "success" },
    });
    const { run_id, session_id } = ourRunOf(events);
    expect(events.at(-2)).toMatchObject({ snapshot: { run: { id: run_id, status: "completed" } } });
    expect(await runs.fixture.run(run_id)).toMatchObject({ sessionId: session_id, status: "completed" });
    expect(thread.messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "hello"],
      ["assistant", "Heard hello"],
    ]);
  });

  it("takes thoughts, calls of tools, steps and events of our own", async () => {
    const thread = open();
    const { events, error } = await thread.ask({ message: "work" });
    expect(error).toBeNull();
    const stored = await runs.fixture.stream(ourRunOf(events).run_id);
    const types = events.map(({ type }) => type).filter((type) => type !== "STATE_SNAPSHOT");
    expect(types).toEqual(stored.map(({ event }) => event.type));
    expect(thread.messages.some(({ role, content }) => role === "tool" && content === "a.txt")).toBe(true);
    expect((await thread.ask({ message: "hello" })).error).toBeNull();
  });

  it("continues the thread's session, and no other's", async () => {
    const [one, other] = [open(), open()];
    const first = await one.ask({ message: "hello" });
    const second = await one.ask({ message: "and again" });
    const third = await other.ask({ message: "hello" });
    expect([second.error, saidBy(second.events)]).toEqual([null, "Heard and again"]);
    const [a, b, c] = [first, second, third].map(({ events }) => ourRunOf(events));
    expect(b?.session_id).toBe(a?.session_id);
    expect(b?.run_id).not.toBe(a?.run_id);
    expect(c?.session_id).not.toBe(a?.session_id);
  });

  it("keeps messages and calls of a thread's runs apart", async () => {
    const thread = open();
    const asked = ["hello", "work", "and again", "work"];
    for (const message of asked) expect((await thread.ask({ message })).error).toBeNull();
    const said = thread.messages.filter(({ role, content }) => role === "assistant" && content);
    expect(said.map(({ content }) => content)).toEqual(["Heard hello", "Heard and again"]);
    const results = thread.messages.filter(({ role }) => role === "tool");
    expect(results.map(({ content }) => content)).toEqual(["a.txt", "a.txt"]);
    const ids = thread.messages.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("ends at a question, and goes on in the same run with the answer", async () => {
    const thread = open();
    const asked = await thread.ask({ message: "question" });
    expect(asked.error).toBeNull();
    const { run_id } = ourRunOf(asked.events);
    const [interrupt] = interruptsOf(asked.events);
    expect(asked.events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "interrupt" } });
    expect(interrupt).toMatchObject({
      reason: "question",
      message: "Which one?",
      responseSchema: { properties: { answer: { examples: ["the first", "the second"] } } },
      metadata: { run_id, choices: ["the first", "the second"] },
    });
    expect(Date.parse(String(interrupt?.expiresAt))).toBeGreaterThan(runs.fixture.clock.now());
    expect(thread.pendingInterrupts.map(({ id }) => id)).toEqual([interrupt?.id]);

    const answer = {
      interruptId: String(interrupt?.id),
      status: "resolved",
      payload: { answer: "the first" },
    } as const;
    const runId = crypto.randomUUID();
    const answered = await thread.ask({ runId, resume: [answer] });
    expect(answered.error).toBeNull();
    expect(saidBy(answered.events)).toBe("Went on with: the first");
    expect(ourRunOf(answered.events).run_id).toBe(run_id);
    expect(answered.events.at(-1)).toMatchObject({ runId, outcome: { type: "success" } });
    expect(thread.pendingInterrupts).toEqual([]);

    // The client's run is that part of ours, however often it is asked for.
    const again = await line
      .open({ url: runs.url, bearer: runs.account.owner, threadId: thread.threadId })
      .ask({
        runId,
        resume: [answer],
      });
    expect(again.events.map(typeAndDelta)).toEqual(answered.events.map(typeAndDelta));
    const late = await thread.ask({ resume: [{ ...answer, payload: "the second" }] });
    expect(late.error).toMatchObject({ status: 409, payload: { code: "question_answered" } });
  });

  it("takes a plain message as the answer, too", async () => {
    const thread = open();
    const { events } = await thread.ask({ message: "question" });
    const other = line.open({ url: runs.url, bearer: runs.account.owner, threadId: thread.threadId });
    const answered = await other.ask({ message: "the second" });
    expect([answered.error, saidBy(answered.events)]).toEqual([null, "Went on with: the second"]);
    expect(ourRunOf(answered.events)).toEqual(ourRunOf(events));
  });

  it("ends at a limit, and goes on once it is raised", async () => {
    const thread = open();
    const { events } = await thread.ask({ message: "limit" });
    const [pending] = thread.pendingInterrupts;
    expect(events.at(-1)).toMatchObject({
      outcome: { interrupts: [{ id: pending?.id, reason: "max_cost" }] },
    });
    const resume = (payload: unknown) => ({
      resume: [{ interruptId: pending?.id ?? "", status: "resolved" as const, payload }],
    });
    const missing = await thread.ask(resume({ message: "go" }));
    expect(missing.error).toMatchObject({ status: 409, payload: { code: "run_needs_more" } });
    const refused = await thread.ask(resume({ max_cost_usd: "5" }));
    expect(refused.error).toMatchObject({ status: 400 });
    const raised = await thread.ask(resume({ max_cost_usd: 5, message: "be brief" }));
    expect([raised.error, saidBy(raised.events)]).toEqual([null, "Went on with: be brief"]);
  });

  it("cancels what nobody answers, and takes another message", async () => {
    const thread = open();
    const { events } = await thread.ask({ message: "question" });
    const { run_id } = ourRunOf(events);
    const [pending] = thread.pendingInterrupts;
    const resume = [{ interruptId: pending?.id ?? "", status: "cancelled" as const }];
    const next = await thread.ask({ message: "something else", resume });
    expect([next.error, saidBy(next.events)]).toEqual([null, "Heard something else"]);
    expect(await runs.fixture.run(run_id)).toMatchObject({ status: "cancelled" });
  });

  it("ends a cancelled run in the words that the client knows", async () => {
    const thread = open();
    const cancel = async (runId: string) => {
      const path = `${runs.api.url}/v1/agents/${runs.account.agent.id}/runs/${runId}/cancel`;
      expect((await call(path, { method: "POST", bearer: runs.account.owner })).status).toBe(202);
    };
    const cancelled = await thread.ask({
      message: "wait",
      onEvent: ({ type, metadata }) => {
        if (type === "RUN_STARTED") void cancel(ourRunOf([{ type, metadata }]).run_id);
      },
    });
    const end = cancelled.events.at(-1);
    if (line.knowsCancelled)
      expect(end).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
    else expect(end).toMatchObject({ type: "RUN_ERROR", code: "cancelled" });
    const failed = await open().ask({ message: "fail" });
    expect(failed.events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "backend_error" });
  });

  it("is read on after the connection was cut, without a lost event and without one twice", async () => {
    const thread = open();
    const runId = crypto.randomUUID();
    const cut = await thread.ask({
      runId,
      message: "hold",
      onEvent: ({ type }) => {
        if (type === "TEXT_MESSAGE_CONTENT") thread.abort();
      },
    });
    expect(saidBy(cut.events)).toBe("first ");
    const { run_id } = ourRunOf(cut.events);
    expect((await runs.fixture.run(run_id)).status).toBe("running");
    runs.release();
    const again = await line
      .open({ url: runs.url, bearer: runs.account.owner, threadId: thread.threadId })
      .ask({
        runId,
        message: "hold",
      });
    expect(again.error).toBeNull();
    expect(ourRunOf(again.events).run_id).toBe(run_id);
    const stored = await runs.fixture.stream(run_id);
    const deltas = stored.flatMap(({ event }) => ("delta" in event ? [event.delta] : []));
    expect(saidBy(again.events)).toBe(deltas.join(""));
    expect(runs.heard.filter((asked) => asked === "hold")).toHaveLength(1);
  });

  it("asks whoever may approve a write, and goes on once it is approved", async () => {
    const thread = open();
    const asked = await thread.ask({ message: "write" });
    const [pending] = thread.pendingInterrupts;
    expect(asked.events.at(-1)).toMatchObject({
      outcome: {
        type: "interrupt",
        interrupts: [
          {
            reason: "approval",
            message: expect.stringContaining("issues"),
            metadata: { server: "issues", tool: "create_issue", approval_id: pending?.id },
          },
        ],
      },
    });
    // An assistant is told where, as text: it may not approve.
    const assistant = open(runs.account.aiClient);
    const unasked = await assistant.ask({ message: "write" });
    expect(unasked.events.at(-1)).toMatchObject({ outcome: { type: "success" } });
    const byAssistant = await assistant.ask({
      resume: [{ interruptId: pending?.id ?? "", status: "resolved", payload: { approved: true } }],
    });
    expect(byAssistant.error).toMatchObject({
      status: 403,
      payload: { code: "owner_needed", error: expect.stringContaining(`/approve/${pending?.id}`) },
    });
    const answer = (payload: unknown) =>
      thread.ask({ resume: [{ interruptId: pending?.id ?? "", status: "resolved", payload }] });
    expect((await answer("yes")).error).toMatchObject({ status: 400 });
    const approved = await answer({ approved: true });
    expect([approved.error, saidBy(approved.events)]).toEqual([
      null,
      "Heard What you asked for is approved. Go on.",
    ]);
    const { agent } = runs.account;
    expect(await runs.fixture.store.committed.writeGrants.list(agent.id)).toMatchObject([
      { server: "issues" },
    ]);
    await runs.fixture.store.transact((tx) => tx.writeGrants.delete({ agentId: agent.id, server: "issues" }));
  });

  it("denies a write without another run", async () => {
    const thread = open();
    await thread.ask({ message: "write" });
    const [pending] = thread.pendingInterrupts;
    const resume = [
      { interruptId: pending?.id ?? "", status: "resolved" as const, payload: { approved: false } },
    ];
    const denied = await thread.ask({ resume });
    expect([denied.error, denied.events.map(({ type }) => type)]).toEqual([
      null,
      ["RUN_STARTED", "RUN_FINISHED"],
    ]);
    expect(await runs.fixture.store.committed.approvals.find(pending?.id ?? "")).toMatchObject({
      status: "denied",
    });
  });
});

function typeAndDelta({ type, delta }: { readonly type: string; readonly [field: string]: unknown }) {
  return [type, delta];
}

function interruptsOf(events: readonly ClientEvent[]): readonly Readonly<Record<string, unknown>>[] {
  const { outcome } = events.at(-1) as unknown as { outcome: { interrupts: Record<string, unknown>[] } };
  return outcome.interrupts;
}
