import { describe, expect, it } from "vitest";
import { approvalNote, approvalSection } from "../../src/render/approval-notes.ts";

const url = "https://service.example/approve/1";

describe("what a run was not allowed to write", () => {
  it("says which tool of which server, and where the owner allows it", () => {
    const approval = { server: "issues", tool: "create_issue", approve_url: url };
    expect(approvalNote(approval)).toBe(
      `not allowed: create_issue of the MCP server issues may change something. The agent's owner can allow it: ${url}`,
    );
    expect(approvalSection([approval, { ...approval, approve_url: null }])).toBe(
      `✋ Not allowed: <code>create&#95;issue</code> of the MCP server <code>issues</code> may change something. [Allow it](${url}) as its owner.

✋ Not allowed: <code>create&#95;issue</code> of the MCP server <code>issues</code> may change something. The agent has no owner who could allow it.`,
    );
    expect(approvalSection([])).toBe("");
  });

  it("links nothing but http, and shows names as they are", () => {
    const section = approvalSection([
      { server: "a", tool: "</code><img>", approve_url: "javascript:alert(1)" },
    ]);
    expect(section).not.toContain("javascript:");
    expect(section).not.toContain("<img>");
  });
});
