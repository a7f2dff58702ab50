// Our Markdown as Bitbucket reads it, and back.

import { describe, expect, it } from "vitest";
import { fromBitbucket, toBitbucket } from "../../src/bitbucket/bitbucket-markdown.ts";
import { markersOf } from "../../src/job/findings/marker.ts";

const HASH = "0123456789abcdef0123456789abcdef";
const FINDING = `<!-- agent-service:finding ${HASH} -->`;
const HEAD = `<!-- agent-service:head ${"a".repeat(40)} -->`;

describe("toBitbucket", () => {
  it("writes hidden lines as definitions after a blank line, which come back as they were", () => {
    const text = `A finding.\n${FINDING}\n${HEAD}`;
    const sent = toBitbucket(text);
    expect(sent).toBe(
      `A finding.\n\n[//]: # (agent-service:finding ${HASH})\n[//]: # (agent-service:head ${"a".repeat(40)})`,
    );
    expect(markersOf(fromBitbucket(sent))).toEqual([FINDING, HEAD]);
    expect(toBitbucket(fromBitbucket(sent))).toBe(sent);
    expect(toBitbucket(fromBitbucket(sent.replaceAll("\n", "\r\n")))).toBe(sent);
  });

  it("has no elements, but for those that code shows", () => {
    const text = [
      "<sub>Made by an agent</sub>",
      "<details><summary>Two findings</summary>",
      "",
      "| <code>src/a.ts:3</code> | <code>a&#124;b</code> | <code>x&#96;y</code> |",
      "Thanks, <code>@octocat</code> &lt;b&gt;.",
      "```html",
      "<sub>kept</sub>",
      "```",
      "</details>",
    ].join("\n");
    expect(toBitbucket(text).split("\n")).toEqual([
      "Made by an agent",
      "**Two findings**",
      "",
      "| `src/a.ts:3` | a&#124;b | x&#96;y |",
      "Thanks, `@octocat` &lt;b&gt;.",
      "```html",
      "<sub>kept</sub>",
      "```",
      "",
    ]);
  });

  it("keeps a definition apart from the text after it", () => {
    expect(toBitbucket("<!-- agent-service:begin -->\nHello")).toBe("[//]: # (agent-service:begin)\n\nHello");
  });

  it("takes nothing else for a hidden line of ours", () => {
    for (const line of [
      "<!-- other -->",
      "[//]: # (other)",
      `> ${FINDING}`,
      `[//]: # (agent-service:finding "x")`,
    ])
      expect([toBitbucket(line), fromBitbucket(line)]).toEqual([line, line]);
  });
});
