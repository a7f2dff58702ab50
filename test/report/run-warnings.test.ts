import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../src/report/run-report.ts";
import { runWarnings } from "../../src/report/run-warnings.ts";

const callOf = (name: string, text: string, hasFailed = false): ToolCall => ({
  seq: 1,
  id: "c",
  name,
  title: name,
  args: { text: "", omittedChars: 0 },
  result: { text, omittedChars: 0 },
  hasFailed,
  ending: null,
  resultEnd: null,
  isCutOff: false,
  startedAtMs: 0,
  endedAtMs: 1,
});

describe("what a run worked without", () => {
  it("is each MCP server that was not there, by its name where it has one", () => {
    const text = "own: 2 tools\ndead: not available: it ended with 3\nnot available: no file .mcp.json";
    expect(runWarnings({ checks: null, calls: [callOf("mcp_servers", text)] })).toEqual([
      "The MCP server dead was not available: it ended with 3",
      "An MCP server was not available: no file .mcp.json",
    ]);
    expect(runWarnings({ checks: null, calls: [callOf("run_command", text, true)] })).toEqual([]);
  });

  it("is the setup that failed, or that was not executed", () => {
    const calls = [callOf("setup", "error: There is no file x.\nmore", true), callOf("setup", "[3]", true)];
    expect(runWarnings({ checks: null, calls })).toEqual([
      "No setup was executed, and the agent worked without what it installs: There is no file x.",
      "The setup script failed: the agent worked without what it installs.",
    ]);
    expect(runWarnings({ checks: null, calls: [callOf("setup", "done")] })).toEqual([]);
  });

  it("is each check that fails since the last edit, whatever the reply says", () => {
    const results = [
      { command: "npm test", kind: "test", exit_code: 1 },
      { command: "npm run lint", kind: "lint", exit_code: 0 },
      { command: "tsc", kind: "types", exit_code: null },
    ] as const;
    const warned = (state: "passed" | "failed" | "none") =>
      runWarnings({ calls: [], checks: { state, results: [...results] } });
    expect(warned("failed")).toEqual([
      "Checks since the last edit failed, whatever the reply says: npm test (exit code 1), tsc (ended at a limit).",
    ]);
    expect([warned("passed"), warned("none")]).toEqual([[], []]);
  });
});
