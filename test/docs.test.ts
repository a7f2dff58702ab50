import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { generatedPages, readPage } from "../scripts/docs.ts";
import { faultsOfIndex } from "./support/documents/decision-index.ts";

const pages = await generatedPages();

describe("the generated pages", () => {
  it.each(Object.keys(pages))("%s is what npm run docs writes", (path) => {
    expect(readPage(path)).toBe(pages[path]);
  });

  it("give the same tables on every machine", () => {
    expect(pages["docs/self-hosting/settings.md"]).toContain("| one a processor, at least 4 |");
  });

  it("say what each setting, input and flag means", () => {
    const rows = Object.values(pages).flatMap((page) =>
      page.split("\n").filter((line) => /^\| `/.test(line)),
    );
    expect(rows.length).toBeGreaterThan(90);
    expect(rows.filter((row) => !/^\| `[^`]+` \| [^|]{5}/.test(row))).toEqual([]);
  });
});

describe("the index of decisions", () => {
  const index = readPage("docs/decisions/README.md");
  const notes = new Map(
    readdirSync(join(import.meta.dirname, "../docs/decisions"))
      .filter((file) => file !== "README.md")
      .map((file) => [file, readPage(`docs/decisions/${file}`)]),
  );
  const rows = index.split("\n").filter((line) => line.startsWith("| ["));
  const [first = "", second = ""] = rows;

  it("has a row for each note, sorted in its group, with a date and whether it is still true", () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(faultsOfIndex(index, notes)).toEqual([]);
  });

  it.each([
    ["out of order", index.replace(`${first}\n${second}`, `${second}\n${first}`), "001 is out of order"],
    ["missing", index.replace(`${first}\n`, ""), "001-agents-by-issuer-and-repository-id.md has no row"],
    [
      "twice there",
      `${index}\n## More\n\n${first}\n`,
      "001-agents-by-issuer-and-repository-id.md has two rows",
    ],
    ["without a date", index.replace(first, first.replace("2026-11-21", "")), "no row of a decision: "],
    [
      "of a day that is none",
      index.replace(first, first.replace("2026-11-21", "2026-02-30")),
      "001 has the date ",
    ],
    ["without a state", index.replace(first, first.replace("still true", "old")), "001 has the state old"],
    ["of another title", index.replace(first, first.replace("An agent", "A run")), "001 has another title "],
    ["of another note", index.replace("[001](001-", "[002](001-"), "002 leads to 001-"],
    ["replaced by nothing", index.replace("replaced by 065", "replaced by 999"), "012 is replaced by 999, "],
    [
      "replaced as a whole",
      index.replace("still true, in part replaced by 065", "replaced by 065"),
      "012 does not begin ",
    ],
    [
      "not replaced any more",
      index.replace("still true, in part replaced by 065", "still true"),
      "012 is replaced by ",
    ],
  ])("shows a row that is %s", (_fault, text, said) => {
    expect(text).not.toBe(index);
    expect(faultsOfIndex(text, notes)).toContainEqual(expect.stringContaining(said));
  });

  it("shows a row whose note is not there", () => {
    const [lost = ""] = [...notes.keys()];
    const left = new Map([...notes].filter(([file]) => file !== lost));
    expect(faultsOfIndex(index, left)).toEqual([`001 leads to ${lost}`]);
  });
});
