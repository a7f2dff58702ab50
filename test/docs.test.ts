import { describe, expect, it } from "vitest";
import { generatedPages, readPage } from "../scripts/docs.ts";

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
