import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/contract/runs/run-event.ts";
import { EventMask } from "../../../src/service/executor/event-mask.ts";
import { SecretMask } from "../../../src/service/executor/secret-mask.ts";

const SECRET = 'sk-"quoted"/0123456789+abc';
const mask = new SecretMask([SECRET, "ollama", "dummy-key"]);

describe("the mask of secrets", () => {
  it.each([
    ["plain", SECRET],
    ["in JSON", JSON.stringify({ key: SECRET })],
    ["in a URL", `https://a.example/?key=${encodeURIComponent(SECRET)}`],
    ["in hexadecimal", Buffer.from(SECRET).toString("hex")],
    ["in capital hexadecimal", Buffer.from(SECRET).toString("hex").toUpperCase()],
    ...["", "x", "xy", "xyz"].flatMap((before) => [
      [`in base 64 after ${before.length} bytes`, Buffer.from(`${before}${SECRET}\n`).toString("base64")],
      [`in base64url after ${before.length} bytes`, Buffer.from(`${before}${SECRET}`).toString("base64url")],
    ]),
  ])("covers a secret %s", (_, text) => {
    const masked = mask.apply(text);
    expect(masked).toContain("***");
    // What is left of it in base 64 are the characters that it shares with its neighbours.
    expect(masked.replaceAll("***", "").length).toBeLessThan(text.length - SECRET.length + 8);
    expect(Buffer.from(masked, "base64").toString("latin1")).not.toContain("0123456789");
  });

  it("leaves words alone that are too short to be secrets", () => {
    expect(mask.apply("uses ollama with a dummy-key")).toBe("uses ollama with a dummy-key");
  });

  it("covers texts and names at any depth of a value", () => {
    expect(mask.applyWithin({ [SECRET]: [{ a: SECRET, b: 1, c: null }] })).toEqual({
      "***": [{ a: "***", b: 1, c: null }],
    });
  });

  it("has copies that learn by themselves", () => {
    const copy = mask.copy();
    copy.add("token-of-one-run");
    expect(copy.apply(`${SECRET} token-of-one-run`)).toBe("*** ***");
    expect(mask.apply("token-of-one-run")).toBe("token-of-one-run");
  });
});

describe("the events of a run", () => {
  it("show no secret that is split between deltas, wherever it is cut", () => {
    for (let cut = 1; cut < SECRET.length; cut += 1) {
      const masked = new EventMask(mask);
      const delta = (text: string): RunEvent => ({
        type: "TEXT_MESSAGE_CONTENT",
        messageId: "m",
        delta: text,
      });
      const written = [
        delta(`key: ${SECRET.slice(0, cut)}`),
        delta(`${SECRET.slice(cut)}, done, sk`),
        { type: "TEXT_MESSAGE_END", messageId: "m" } as const,
      ].flatMap((event) => masked.apply(event));
      expect(written.at(-1)).toEqual({ type: "TEXT_MESSAGE_END", messageId: "m" });
      const text = written.map((event) => ("delta" in event ? event.delta : "")).join("");
      expect(text).toBe("key: ***, done, sk");
      expect(written.every((event) => !("delta" in event) || event.delta !== "")).toBe(true);
    }
  });

  it("keep the deltas of messages apart that are written at the same time", () => {
    const masked = new EventMask(mask);
    const written = [
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: SECRET.slice(0, 8) } as const,
      { type: "TOOL_CALL_ARGS", toolCallId: "m", delta: SECRET.slice(8) } as const,
      { type: "TOOL_CALL_END", toolCallId: "m" } as const,
      { type: "TEXT_MESSAGE_END", messageId: "m" } as const,
    ].flatMap((event) => masked.apply(event));
    const textOf = (type: RunEvent["type"]) =>
      written.map((event) => (event.type === type && "delta" in event ? event.delta : "")).join("");
    expect(textOf("TEXT_MESSAGE_CONTENT")).toBe(SECRET.slice(0, 8));
    expect(textOf("TOOL_CALL_ARGS")).toBe(SECRET.slice(8));
    expect(written.at(-1)).toEqual({ type: "TEXT_MESSAGE_END", messageId: "m" });
  });

  it("show no secret in a tool's result, a custom event or an error", () => {
    const masked = new EventMask(mask);
    const result = { type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "c", role: "tool" } as const;
    expect(masked.apply({ ...result, content: `KEY=${SECRET}` })).toEqual([
      { ...result, content: "KEY=***" },
    ]);
    const value = { base_sha: "0", files: [], patch: `+${SECRET}\n` };
    expect(masked.apply({ type: "CUSTOM", name: "repository.changes", value })).toEqual([
      { type: "CUSTOM", name: "repository.changes", value: { ...value, patch: "+***\n" } },
    ]);
  });
});
