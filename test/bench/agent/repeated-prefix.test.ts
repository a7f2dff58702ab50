import { describe, expect, it } from "vitest";
import { SentRequests } from "../../../bench/agent/repeated-prefix.ts";

const tools = [{ name: "read_file" }];
const hello = { role: "user", content: "Hello" };
const hi = { role: "assistant", content: "Hi" };
const bytes = (...values: readonly unknown[]) =>
  values.reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value)), 0);

describe("the part of a request that was sent before", () => {
  it.each([
    ["messages", { model: "m", tools }],
    ["input", { model: "m", instructions: "Be brief.", tools }],
    ["contents", { systemInstruction: { parts: [{ text: "Be brief." }] }, tools }],
  ])("is all that comes first, and the messages in %s that an earlier one begins with", (list, fixed) => {
    const sent = new SentRequests();
    const body = (...messages: readonly unknown[]) =>
      JSON.stringify({ ...fixed, max_tokens: messages.length, [list]: messages });
    expect(sent.next(body(hello))).toBe(0);
    expect(sent.next(body(hello, hi))).toBe(bytes(Object.entries(fixed), hello));
    expect(sent.next(body(hello, hi, hello))).toBe(bytes(Object.entries(fixed), hello, hi));
    expect(sent.next(body({ role: "user", content: "Hullo" }, hi))).toBe(bytes(Object.entries(fixed)));
  });

  it("is none where tools or instructions are others, and whatever a cache's mark is at", () => {
    const sent = new SentRequests();
    const marked = {
      role: "user",
      content: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }],
    };
    const plain = { role: "user", content: [{ type: "text", text: "a" }] };
    sent.next(JSON.stringify({ system: "One.", tools, messages: [marked] }));
    expect(sent.next(JSON.stringify({ system: "Two.", tools, messages: [marked] }))).toBe(0);
    const fixed = Object.entries({ system: "One.", tools });
    expect(sent.next(JSON.stringify({ system: "One.", tools, messages: [plain, marked] }))).toBe(
      bytes(fixed, plain),
    );
    expect(sent.next("no JSON")).toBe(0);
  });
});
