// The parts of the loop that need no model to be shown.

import type { ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import {
  Conversation,
  openConversation,
  summarise,
} from "../../../../../src/service/executor/backends/model/conversation.ts";
import { ReadWriteLock } from "../../../../../src/service/executor/backends/model/read-write-lock.ts";
import { RepeatedCalls } from "../../../../../src/service/executor/backends/model/repeated-calls.ts";

const turn = (id: string, size: number): ModelMessage[] => [
  { role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "look", input: { id } }] },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: id,
        toolName: "look",
        output: { type: "text", value: "x".repeat(size) },
      },
    ],
  },
];

describe("a conversation without room", () => {
  const history: ModelMessage[] = [
    { role: "user", content: `old question ${"q".repeat(2_000)}` },
    { role: "assistant", content: `old answer ${"a".repeat(2_000)}` },
  ];
  const task: ModelMessage = { role: "user", content: "the task" };

  it("keeps everything as long as it fits", () => {
    const conversation = new Conversation([...history, task]);
    conversation.fit(100_000);
    expect(conversation.messages).toEqual([...history, task]);
  });

  it("gives up old results first, the latest last", () => {
    const conversation = new Conversation([task]);
    conversation.add(...turn("a", 5_000), ...turn("b", 5_000), ...turn("c", 5_000));
    conversation.fit(15_000);
    const text = JSON.stringify(conversation.messages);
    expect(text.match(/removed to save room/g)).toHaveLength(1);
    expect(conversation.messages).toHaveLength(7);
  });

  it("then drops old turns with their results, never the task or the last turn", () => {
    const conversation = new Conversation([...history, task]);
    for (let at = 0; at < 30; at += 1) conversation.add(...turn(`call-${at}`, 600));
    conversation.fit(3_000);
    const { messages } = conversation;
    expect(conversation.chars).toBeLessThanOrEqual(3_000);
    expect(messages[0]).toBe(task);
    const calls = messages.flatMap(({ role, content }) =>
      role === "assistant" && typeof content !== "string" ? content : [],
    );
    const results = messages.flatMap(({ role, content }) => (role === "tool" ? content : []));
    const idOf = (part: object) => ("toolCallId" in part ? part.toolCallId : null);
    expect(results.map(idOf)).toEqual(calls.map(idOf));
    expect(idOf(results.at(-1) ?? {})).toBe("call-29");
  });

  it("begins with the user, whatever was dropped", () => {
    const question: ModelMessage = { role: "user", content: "q".repeat(6_000) };
    const conversation = new Conversation([question, { role: "assistant", content: "short" }, task]);
    conversation.add(...turn("a", 10));
    conversation.fit(5_000);
    expect(conversation.messages[0]).toBe(task);
    expect(conversation.messages).toHaveLength(3);
  });

  it("cuts the last results where nothing else is left", () => {
    const conversation = new Conversation([task]);
    conversation.add(...turn("a", 60_000));
    conversation.fit(5_000);
    expect(conversation.chars).toBeLessThanOrEqual(5_000);
    expect(JSON.stringify(conversation.messages)).toContain("[cut to save room]");
  });

  it("is told to others from its end", () => {
    const told = summarise([...history, task, ...turn("a", 10)], 500);
    expect(told).toMatch(/^\[earlier parts left out\]\nuser: the task\nassistant calls look/);
  });
});

describe("the messages of a request", () => {
  it("become what every API takes: instructions apart, the user first and last", () => {
    const { system, messages } = openConversation([
      { role: "system", content: "Speak German." },
      { role: "assistant", content: "Earlier." },
      { role: "tool", content: "42", tool_call_id: "call-9" },
      { role: "user", content: "See", parts: [{ type: "image", path: "shot.png", mime: "image/png" }] },
      { role: "assistant", content: "" },
      { role: "assistant", content: " \n" },
    ]);
    expect(system).toEqual(["Speak German."]);
    expect(messages).toEqual([
      { role: "user", content: "Go on." },
      { role: "assistant", content: "Earlier." },
      { role: "user", content: "[Result of the tool call call-9]\n42" },
      { role: "user", content: "See\n[image: shot.png, image/png]" },
    ]);
  });
});

describe("the read and write lock", () => {
  it("lets reads run side by side, and a write alone, in the order of asking", async () => {
    const lock = new ReadWriteLock();
    const log: string[] = [];
    const gate = Promise.withResolvers<void>();
    const work = (name: string, until?: Promise<void>) => async () => {
      log.push(`${name} begins`);
      await until;
      log.push(`${name} ends`);
    };
    const done = [
      lock.hold("read", work("a", gate.promise)),
      lock.hold("read", async () => gate.resolve()),
      lock.hold("write", work("w")),
      lock.hold("write", async () => {
        throw new Error("no");
      }),
      lock.hold("read", work("b")),
    ];
    const settled = await Promise.allSettled(done);
    expect(log).toEqual(["a begins", "a ends", "w begins", "w ends", "b begins", "b ends"]);
    expect(settled.map(({ status }) => status).filter((status) => status === "rejected")).toHaveLength(1);
  });
});

describe("repeated calls", () => {
  it("are the same whatever the order of their keys, and only in a row", () => {
    const repeated = new RepeatedCalls();
    const first = { toolName: "look", input: { a: 1, b: { c: 2, d: 3 } }, result: "none" };
    const same = { toolName: "look", input: { b: { d: 3, c: 2 }, a: 1 }, result: "none" };
    expect([first, same].map((call) => repeated.note(call))).toEqual([null, null]);
    expect(repeated.note({ toolName: "look", input: {}, result: "none" })).toBeNull();
    const notes = Array.from({ length: 6 }, () => repeated.note(first));
    expect(notes.map((note) => note !== null)).toEqual([false, false, true, true, true, true]);
    expect(repeated.isStuck).toBe(true);
    expect(repeated.note({ ...first, result: "ready" })).toBeNull();
    expect(repeated.isStuck).toBe(false);
  });
});
