import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scanPatch } from "../../src/report/scan-patch.ts";
import { awsKeyId, awsSecret, samples } from "./secret-samples.ts";

const [token = ""] = samples["a GitHub token"] ?? [];
const [key = ""] = samples["a private key"] ?? [];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "scan-patch-"));
  execFileSync("git", ["init", "--quiet", folder]);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What git itself writes of a change. */
function patchOf(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    git("add", "--all");
  };
  write(before);
  const tree = git("write-tree").trim();
  write(after);
  return git("diff", "--cached", "--binary", "--full-index", "--no-renames", tree);
}

const ten = Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join("");

describe("scanPatch", () => {
  it("names the file and the line of each secret that is added", () => {
    const after = {
      "a.txt": ten.replace("line 8\n", `line 8\nTOKEN=${token}\n`),
      "deep/b c.txt": `first\n${key}\n${token}`,
      "aws.ini": `[default]\nid=${awsKeyId}\nsecret=${awsSecret}\n`,
    };
    expect(scanPatch(patchOf({ "a.txt": ten }, after)).secrets).toEqual([
      { title: "a GitHub token", path: "a.txt", line: 9 },
      { title: "an AWS secret key", path: "aws.ini", line: 3 },
      { title: "a private key", path: "deep/b c.txt", line: 2 },
      { title: "a GitHub token", path: "deep/b c.txt", line: 6 },
    ]);
  });

  it("says nothing of what is removed, or was there before", () => {
    const before = { "a.txt": `${token}\n${ten}`, "b.txt": `${token}\n` };
    expect(scanPatch(patchOf(before, { "a.txt": `${token}\n${ten}more\n`, "b.txt": "\n" })).secrets).toEqual(
      [],
    );
  });

  it("is not misled by lines that look like headers of a patch", () => {
    const text = `++ b/other.txt\n-- a/x\n@@ -1 +1 @@\ndiff --git a/x b/x\n${token}\n`;
    const found = scanPatch(
      patchOf({ "a.txt": "-- a/x\n" }, { "a.txt": text, "z.txt": `${token}\n` }),
    ).secrets;
    expect(found).toEqual([
      { title: "a GitHub token", path: "a.txt", line: 5 },
      { title: "a GitHub token", path: "z.txt", line: 1 },
    ]);
  });

  it.each([
    ["a bidi override", "if (x) {\u202E } // admin", "U+202E"],
    ["a bidi isolate", "a \u2066b", "U+2066"],
    ["tag characters", "x\u{E0041}\u{E0042}", "U+E0041"],
    ["a zero-width space", "pass\u200Bword", "U+200B"],
    ["a word joiner", "a\u2060b", "U+2060"],
    ["a byte order mark inside a line", "a\uFEFFb", "U+FEFF"],
    ["selectors in a row", "x\u{E0100}\u{E0101}\u{E0102}", "U+E0100"],
    ["more than a flag behind a flag", "\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}\u{E0041}", "U+E0041"],
  ])("names the line with %s", (_name, line, title) => {
    const [found] = scanPatch(patchOf({}, { "src/a.ts": `one\n${line}\n` })).hidden;
    expect(found).toEqual({ title, path: "src/a.ts", line: 2 });
  });

  it.each([
    ["emoji", "👩‍💻 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣"],
    ["joiners of languages", "می\u200Cخواهم क्\u200Dष"],
    ["marks of direction", "\u200Eabc\u200F"],
    ["a soft hyphen", "co\u00ADoperate"],
    ["a byte order mark at the beginning", "\uFEFF# Title"],
  ])("lets %s pass", (_name, line) => {
    expect(scanPatch(patchOf({}, { "a.txt": `${line}\n` })).hidden).toEqual([]);
  });

  it("lets a rewritten line keep what it had, and no more", () => {
    const before = { "fa.json": '"a": "\u2066one\u2069"\n' };
    expect(scanPatch(patchOf(before, { "fa.json": '"a": "\u2066two\u2069"\n' })).hidden).toEqual([]);
    const more = scanPatch(
      patchOf({ "b.json": '"a": "\u2066one\u2069"\n' }, { "b.json": '"a": "\u2066\u2066two"\n' }),
    );
    expect(more.hidden).toEqual([{ title: "U+2066", path: "b.json", line: 1 }]);
  });

  it("does not read what git packs as binary", () => {
    expect(scanPatch(patchOf({}, { "a.bin": `\0\u0001${token}` }))).toEqual({ secrets: [], hidden: [] });
  });
});
