import { describe, expect, it } from "vitest";
import { missingParts } from "../../src/report/missing-parts.ts";
import type { ToolCall } from "../../src/report/run-report.ts";

const callOf = (name: string, text: string, hasFailed = false): ToolCall => ({
  seq: 1,
  id: "c",
  name,
  title: name,
  args: { text: "", omittedChars: 0 },
  result: { text, omittedChars: 0 },
  hasFailed,
  isCutOff: false,
  startedAtMs: 0,
  endedAtMs: 1,
});

describe("what a run worked without", () => {
  it("is each MCP server that was not there, by its name where it has one", () => {
    const text = "own: 2 tools\ndead: not available: it ended with 3\nnot available: no file .mcp.json";
    expect(missingParts({ calls: [callOf("mcp_servers", text)] })).toEqual([
      "The MCP server dead was not available: it ended with 3",
      "An MCP server was not available: no file .mcp.json",
    ]);
    expect(missingParts({ calls: [callOf("run_command", text, true)] })).toEqual([]);
  });

  it("is the setup that failed, or that was not executed", () => {
    const calls = [callOf("setup", "error: There is no file x.\nmore", true), callOf("setup", "[3]", true)];
    expect(missingParts({ calls })).toEqual([
      "No setup was executed, and the agent worked without what it installs: There is no file x.",
      "The setup script failed: the agent worked without what it installs.",
    ]);
    expect(missingParts({ calls: [callOf("setup", "done")] })).toEqual([]);
  });
});
