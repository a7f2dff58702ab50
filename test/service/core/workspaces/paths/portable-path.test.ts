import { describe, expect, it } from "vitest";
import { checkPortable, foldedName } from "../../../../../src/service/core/workspaces/paths/portable-path.ts";

describe("a portable path", () => {
  it.each([
    "src/main.ts",
    ".github/workflows/ci.yml",
    "...a",
    "console.ts",
    "com",
    "com10.txt",
    "auxiliary",
    "nul-device.md",
    "a b/c d",
    "é/\u{1F600}/日本語.txt",
  ])("may be %j", (path) => {
    expect(checkPortable(path)).toEqual({ ok: true, value: path });
  });

  it.each([
    ["reserved_character", "a\\b", "a\\b"],
    ["reserved_character", "docs/x:y", "x:y"],
    ["reserved_character", "why?", "why?"],
    ["reserved_character", "new\nline", "new\nline"],
    ["reserved_character", "a/<b>/c", "<b>"],
    ["dot_or_space_at_end", "trail./x", "trail."],
    ["dot_or_space_at_end", "a/space ", "space "],
    ["device_name", "CON", "CON"],
    ["device_name", "src/aux.c", "aux.c"],
    ["device_name", "Nul .txt", "Nul .txt"],
    ["device_name", "com1", "com1"],
    ["device_name", "LPT\u00b9.x", "LPT\u00b9.x"],
    ["device_name", "conin$", "conin$"],
  ])("breaks the rule %s as %j", (rule, path, segment) => {
    expect(checkPortable(path)).toEqual({
      ok: false,
      refusal: { reason: "path_invalid", rule, path, segment },
    });
  });

  it.each([
    ["README.md", "readme.MD"],
    ["É", "é"],
    ["e\u0301", "\u00e9"],
    ["stra\u00dfe", "STRASSE"],
  ])("has one name for %j and %j", (one, other) => {
    expect(foldedName(one)).toBe(foldedName(other));
  });

  it("has two names for what is spelled differently", () => {
    expect(foldedName("a")).not.toBe(foldedName("b"));
    expect(foldedName("a-b")).not.toBe(foldedName("a_b"));
  });
});
