// Warnings for readers of a run: parts that it was to have and worked without, its setup, its MCP servers, and checks that
// fail. One sentence each, of untrusted text. Pure.

import { singleLine } from "../base/untrusted-text.ts";
import { failedChecksNote } from "./check-notes.ts";
import type { RunReport, ToolCall } from "./run-report.ts";

const MAX_NOTES = 10;
const MAX_NOTE_CHARS = 300;
/** As the service records them, like calls of tools. */
const SETUP = "setup";
const MCP_SERVERS = "mcp_servers";
const REFUSED = "error: ";
const ABSENT = "not available: ";

export function runWarnings(report: Pick<RunReport, "calls" | "checks">): readonly string[] {
  const missing = report.calls.flatMap((call) => {
    if (call.name === SETUP) return setupNotes(call);
    return call.name === MCP_SERVERS ? serverNotes(call) : [];
  });
  const failed = failedChecksNote(report);
  return [...(failed === null ? [] : [failed]), ...missing]
    .slice(0, MAX_NOTES)
    .map((note) => singleLine(note, MAX_NOTE_CHARS));
}

/** A test that did not run for want of a package is no test that passed. */
function setupNotes({ hasFailed, result }: ToolCall): string[] {
  if (!hasFailed) return [];
  const [first = ""] = (result?.text ?? "").split("\n", 1);
  const why = first.startsWith(REFUSED) ? first.slice(REFUSED.length) : undefined;
  return [
    why === undefined
      ? "The setup script failed: the agent worked without what it installs."
      : `No setup was executed, and the agent worked without what it installs: ${why}`,
  ];
}

/** A line of a server begins with its name. */
function serverNotes({ result }: ToolCall): string[] {
  return (result?.text ?? "").split("\n").flatMap((line) => {
    const at = line.indexOf(ABSENT);
    const why = line.slice(at + ABSENT.length);
    if (at === 0) return [`An MCP server was not available: ${why}`];
    const name = line.slice(0, Math.max(0, at - 2));
    const isNamed = at > 2 && line.slice(at - 2, at) === ": " && !name.includes(" ");
    return isNamed ? [`The MCP server ${name} was not available: ${why}`] : [];
  });
}
