import { describe, expect, it } from "vitest";
import { readFrontMatter } from "../../../../src/service/executor/memory/front-matter.ts";

const fieldsOf = (text: string) => Object.fromEntries(readFrontMatter(text).fields);

describe("the head of a Markdown file", () => {
  it("has names and values, quoted or folded, before the body", () => {
    const text = [
      '---\r\nname: "migrate"',
      "description: >",
      "  How to write",
      "  a migration.",
      "applyTo: 'src/**,test/**'",
      "---",
      "# Body\n---\nmore\n",
    ].join("\n");
    expect(fieldsOf(text)).toEqual({
      name: "migrate",
      description: "How to write a migration.",
      applyTo: "src/**,test/**",
    });
    expect(readFrontMatter(text).body).toBe("# Body\n---\nmore\n");
  });

  it.each([
    ["no head", "# Title\n---\na: b\n---\n"],
    ["a head that never ends", "---\nname: a\n"],
    ["nothing", ""],
  ])("with %s is all body", (_what, text) => {
    expect(readFrontMatter(text)).toEqual({ fields: new Map(), body: text });
  });

  it.each([
    ["a pattern", "**/*.ts, *.{js,jsx}"],
    ["a colon", "Use when: a test fails"],
    ["a sign at the front", "@team asks, `code` answers"],
    ["a number that is a name", "010"],
    ["brackets that are not closed", "[".repeat(4_000)],
  ])("has as a value without quotes %s", (_what, value) => {
    expect(fieldsOf(`---\nname: ${value}\n---\nbody`)).toEqual({ name: value });
  });

  it("that is far too long is all body", () => {
    const text = `---\n${"a: b\n".repeat(5_000)}---\nbody`;
    expect(readFrontMatter(text)).toEqual({ fields: new Map(), body: text });
  });
});
