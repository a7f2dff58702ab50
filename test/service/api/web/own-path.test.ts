// Where somebody is led after signing in: to this service, whatever the address says.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownPathOf } from "../../../../src/service/api/web/own-path.ts";

describe("the page after signing in", () => {
  it.each([
    ["/", "/"],
    ["/settings/keys", "/settings/keys"],
    ["/agent/1?workflow=2&x=%2F%2Fevil.example", "/agent/1?workflow=2&x=%2F%2Fevil.example"],
    ["/claim/abc#steps", "/claim/abc"],
    ["/a/../b", "/b"],
    ["/%2F%2Fevil.example", "/%2F%2Fevil.example"],
  ])("is the path %j", (text, path) => {
    expect(ownPathOf(text)).toBe(path);
  });

  it.each([
    undefined,
    "",
    "settings",
    "https://evil.example/",
    "https:evil.example",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "\u0000//evil.example",
    " //evil.example",
    "/.//evil.example",
    "/..//evil.example",
    "/%2e//evil.example",
    "/a/..//evil.example",
    "%2F%2Fevil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    `/${"a".repeat(2_000)}`,
    "/\u0085/evil.example",
  ])("is the first page for %j", (text) => {
    expect(ownPathOf(text)).toBe("/");
  });

  it("is of this origin for every text, as a browser reads it", () => {
    const part = fc.constantFrom(
      "/",
      "\\",
      ".",
      "..",
      "%2e",
      "%2f",
      "%5c",
      "\t",
      "\n",
      ":",
      "@",
      "evil.example",
      "?",
      "#",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const path = ownPathOf(`/${parts.join("")}`);
        expect(new URL(path, "https://own.example").origin).toBe("https://own.example");
        expect(path).not.toMatch(/^\/[/\\]|[\\\p{Cc}]/u);
      }),
      { numRuns: 2_000 },
    );
  });
});
