import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  checkFolder,
  checkPath,
  type PathRule,
} from "../../../../../src/service/core/workspaces/paths/workspace-path.ts";
import { openGitRepository } from "../../../../support/git-repository.ts";

const repository = openGitRepository();
afterAll(() => repository[Symbol.dispose]());

/** Whether git takes the path into its index, with what protects NTFS and HFS+ on. */
function isGits(path: string, mode = "100644"): boolean {
  const protections = ["-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"];
  const entry = `${mode},${"1".repeat(40)},${path}`;
  try {
    repository.git([...protections, "update-index", "--add", "--replace", "--cacheinfo", entry]);
    return true;
  } catch {
    return false;
  }
}

function ruleOf(path: string, mode?: string): PathRule | null {
  const checked = checkPath(path, mode);
  return checked.ok ? null : checked.refusal.rule;
}

describe("a path", () => {
  it.each([
    "a",
    "src/main.ts",
    ".github/workflows/ci.yml",
    ".gitignore",
    ".gitmodules",
    "a/.gitattributes",
    "...",
    "git",
    "git~2",
    "git~10",
    "a\\b",
    "new\nline",
    "-",
    " leading and trailing ",
    "CON",
    "é/\u{1F600}/日本語.txt",
    `${"a".repeat(255)}/${"b".repeat(255)}`,
    ".g\u0131t/x",
    ".git x",
  ])("may be %j", (path) => {
    expect(checkPath(path)).toEqual({ ok: true, value: path });
    expect(isGits(path)).toBe(true);
  });

  it.each<[PathRule, string]>([
    ["absolute", "/etc/passwd"],
    ["empty_segment", "a//b"],
    ["empty_segment", "a/"],
    ["dot_segment", "."],
    ["dot_segment", "a/../b"],
    ["dot_segment", "a/./b"],
    ["git_folder", ".git"],
    ["git_folder", ".GIT/config"],
    ["git_folder", "a/.gIt/hooks/pre-commit"],
    ["git_folder", ".git./config"],
    ["git_folder", ".git . . /config"],
    ["git_folder", "git~1/config"],
    ["git_folder", "a/GIT~1"],
    ["git_folder", ".git::$INDEX_ALLOCATION/config"],
    ["git_folder", ".git:stream"],
    ["git_folder", "a\\.git\\config"],
    ["git_folder", "a\\git~1"],
    ["git_folder", ".g\u200cit/config"],
    ["git_folder", "\ufeff.git"],
    ["git_folder", ".gi\u202et"],
  ])("breaks %s: %j", (rule, path) => {
    expect(ruleOf(path)).toBe(rule);
    expect(isGits(path)).toBe(false);
  });

  it.each<[PathRule, string]>([
    ["empty", ""],
    ["nul", "a\0b"],
    ["not_unicode", "a/\uD800"],
    ["too_long", `${"a/".repeat(2_048)}a`],
    ["segment_too_long", "a".repeat(256)],
    ["segment_too_long", "é".repeat(128)],
  ])("breaks %s, which git leaves to the file system: %#", (rule, path) => {
    expect(ruleOf(path)).toBe(rule);
  });

  it.each([
    ".gitmodules",
    "a/.GITMODULES",
    ".gitmodules .",
    ".gitmodules:x",
    "GITMOD~1",
    "gitmod~4",
    "gi7eba~1",
    "GI7EB~10",
    "gi7eba~9",
    "gi7e~191",
    "a\\.gitmodules",
    ".git\u200dmodules",
  ])("of a symbolic link is not %j", (path) => {
    expect(ruleOf(path, "120000")).toBe("submodules_link");
    expect(isGits(path, "120000")).toBe(false);
    expect(ruleOf(path, "100644")).toBe(null);
    expect(isGits(path)).toBe(true);
  });

  it("names the segment that breaks the rule", () => {
    expect(checkPath("src/../x")).toEqual({
      ok: false,
      refusal: { reason: "path_invalid", rule: "dot_segment", path: "src/../x", segment: ".." },
    });
  });

  it("is taken where git takes it, and refused where git refuses it", () => {
    const piece = fc.constantFrom(
      "/",
      "\\",
      ".",
      "..",
      ".git",
      "GIT~1",
      "git",
      "~1",
      ":",
      " ",
      "a",
      "\u200c",
      "\ufeff",
      "K",
      "ſ",
      "i",
      ".gitmodules",
      "gitmod",
      "gi7eba",
      "~4",
      "~9",
      "0",
      "modules",
      "\u{1F600}",
    );
    const path = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(path, fc.constantFrom("100644", "120000"), (tried, mode) => {
        expect(checkPath(tried, mode).ok).toBe(isGits(tried, mode));
      }),
      { numRuns: 150 },
    );
  });
});

describe("a folder", () => {
  it("may be the root", () => {
    expect(checkFolder("")).toEqual({ ok: true, value: "" });
    expect(checkFolder("src")).toEqual({ ok: true, value: "src" });
    expect(checkFolder("src/").ok).toBe(false);
  });
});
