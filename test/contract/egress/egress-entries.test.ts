import { describe, expect, it } from "vitest";
import {
  egressKind,
  egressPolicyRequestSchema,
  egressPolicySchema,
  egressText,
  entriesOf,
  MAX_EGRESS_ENTRIES,
  policyOf,
  readEgressEntries,
} from "../../../src/contract/egress.ts";

describe("a network policy as text", () => {
  it.each<[string, readonly string[]]>([
    ["none", []],
    ["NONE", []],
    ["setup", ["setup"]],
    ["Registries", ["registries"]],
    ["docs.example.com:8443, *.Example.org,", ["docs.example.com:8443", "*.example.org"]],
    ["registries\n  api.example.com\n  api.example.com:443\n", ["registries", "api.example.com"]],
    ["localhost", ["localhost"]],
    ["xn--bcher-kva.example", ["xn--bcher-kva.example"]],
    ["1.example", ["1.example"]],
  ])("%j is %j", (text, entries) => {
    expect(egressKind.decode(text)).toEqual({ ok: true, value: entries });
  });

  it.each([
    "none, setup",
    "https://example.com",
    "example.com/path",
    "user@example.com",
    "127.0.0.1",
    "0x7f.1",
    "2130706433",
    "[::1]",
    "::1",
    "*",
    "*.",
    "a.*.example",
    "*.*.example",
    "example.com.",
    "bücher.example",
    "example.com:0",
    "example.com:65536",
    "example.com:",
    "-a.example",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(130)}example`,
    Array.from({ length: MAX_EGRESS_ENTRIES + 1 }, (_, place) => `h${place}.example`).join(","),
  ])("%j is none", (text) => {
    expect(egressKind.decode(text).ok).toBe(false);
  });

  it("is written as it is read", () => {
    for (const entries of [[], ["setup"], ["registries", "a.example", "*.b.example:8443"]])
      expect(egressKind.decode(egressText(entries))).toEqual({ ok: true, value: entries });
  });
});

describe("a network policy on the wire", () => {
  it.each<[unknown, readonly string[]]>([
    ["none", []],
    ["setup", ["setup"]],
    ["registries", ["registries"]],
    [
      ["registries", "A.example"],
      ["registries", "a.example"],
    ],
    [["setup"], ["setup"]],
  ])("%j is taken for %j, and comes back as one policy", (policy, entries) => {
    const read = egressPolicyRequestSchema.safeParse(policy);
    expect(read.success && entriesOf(read.data)).toEqual(entries);
    expect(entriesOf(egressPolicySchema.parse(policyOf(entries)))).toEqual(entries);
  });

  it.each([
    { policy: [] },
    { policy: "all" },
    { policy: "a.example" },
    { policy: ["none"] },
    { policy: ["127.0.0.1"] },
    { policy: [1] },
    { policy: null },
    { policy: {} },
    { policy: ["https://a.example"] },
  ])("%j is refused", ({ policy }) => {
    const read = egressPolicyRequestSchema.safeParse(policy);
    expect(read.success).toBe(false);
    expect(read.error?.issues.map(({ message }) => message).join()).toContain("must be none, or a list of");
  });

  it("has no list that is empty once it is read", () => {
    expect(readEgressEntries([])).toEqual([]);
    expect(policyOf([])).toBe("none");
  });
});
