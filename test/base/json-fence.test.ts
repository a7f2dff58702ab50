import { describe, expect, it } from "vitest";
import { withoutJsonFence } from "../../src/base/json-fence.ts";

describe("withoutJsonFence", () => {
  it.each([
    ['{"a":1}', '{"a":1}'],
    ['```json\n{"a":1}\n```', '{"a":1}'],
    ['\n```\n{"a":1}\n```\n', '{"a":1}'],
    ['```JSON  \n\n{"a":1}```', '{"a":1}'],
    ["```json\n```", ""],
    ["```ts\nx\n```", "```ts\nx\n```"],
    ["```", "```"],
    ["`````", "`````"],
    ["```json", "```json"],
    ["```\n{}", "```\n{}"],
  ])("reads %j", (reply, json) => {
    expect(withoutJsonFence(reply)).toBe(json);
  });

  it("is linear: a reply of many newlines is read at once", () => {
    const reply = `\`\`\`json${"\n".repeat(1_000_000)}x`;
    expect(withoutJsonFence(reply)).toBe(reply);
  });
});
