import { describe, expect, it } from "vitest";
import { matchesGlob } from "../../src/base/glob.ts";
import { expandBraces, pathMatcher } from "../../src/base/path-pattern.ts";

describe("matchesGlob", () => {
  it.each([
    ["a/b/c.ts", "**", true],
    ["a/b/c.ts", "a/**/c.ts", true],
    ["a/c.ts", "a/**/c.ts", true],
    ["a/b/c.ts", "a/*.ts", false],
    ["a/b/c.ts", "*/?/c.*", true],
    ["a.ts", "a.t?", true],
    ["a.ts", "a.ts?", false],
    ["a(b)+.ts", "a(b)+.ts", true],
    ["", "*", true],
  ])("%j against %j: %s", (path, pattern, expected) => {
    expect(matchesGlob(path, pattern)).toBe(expected);
  });

  it("is not slowed down by stars upon stars", () => {
    expect(matchesGlob("a".repeat(4000), `${"*a".repeat(120)}b`)).toBe(false);
    expect(matchesGlob("a/".repeat(2000), `${"**/a/".repeat(50)}b`)).toBe(false);
    expect(matchesGlob("a".repeat(200_000), "a".repeat(200_000))).toBe(true);
  });

  it("takes signs of other languages of patterns as they are", () => {
    for (const pattern of ["+(a|aa)b", "!a", "@(a|b)", "{1..10000000}", "[a-z]", "a\\*"]) {
      expect(matchesGlob(pattern, pattern)).toBe(true);
      expect(matchesGlob("a", pattern)).toBe(false);
    }
  });
});

describe("pathMatcher", () => {
  it.each([
    ["a/b.java", "**/*.{java,scala}", true],
    ["b.scala", "**/*.{java,scala}", true],
    ["b.kt", "**/*.{java,scala}", false],
    ["Build.gradle", "[Bb]uild*", true],
    ["build", "[Bb]uild*", true],
    ["rebuild", "[Bb]uild*", false],
    ["a1", "a[0-9]", true],
    ["ax", "a[!0-9]", true],
    ["a1", "a[^0-9]", false],
    ["a-", "a[a-]", true],
    ["a]", "a[]x]", true],
    ["app/[id]/page.tsx", "app/[id]/*.tsx", true],
    ["app/i/page.tsx", "app/[id]/*.tsx", true],
    ["a[b", "a[b", true],
    ["src/x/y/z.ts", "src/{a,x/**}/z.ts", true],
    ["a{b}", "a{b}", true],
    ["a{b", "a{b", true],
    ["xac", "{x,y{a,b}}{a,}c", true],
    ["ybc", "{x,y{a,b}}{a,}c", true],
  ])("%j against %j: %s", (path, pattern, expected) => {
    expect(pathMatcher(expandBraces(pattern))(path)).toBe(expected);
  });

  it("does without capitals if told", () => {
    expect(pathMatcher(["*.MD"], { ignoreCase: true })("readme.md")).toBe(true);
  });

  it("takes braces as they are where they stand for very many patterns", () => {
    expect(expandBraces("{a,b}".repeat(10))).toEqual(["{a,b}".repeat(10)]);
    expect(expandBraces("{a,b}".repeat(3))).toHaveLength(8);
    expect(expandBraces("{1..10000000}")).toEqual(["{1..10000000}"]);
    expect(expandBraces("{a,".repeat(5_000))).toEqual(["{a,".repeat(5_000)]);
  });
});
