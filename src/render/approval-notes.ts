// Writes by MCP servers that a run was not allowed: a line for the log, a paragraph for the summary. Pure.

import type { ApprovalEvent } from "../contract/runs/run-event.ts";
import { inlineCode, link } from "./markdown.ts";

type Approval = ApprovalEvent["value"];

export function approvalNote({ server, tool, approve_url: url }: Approval): string {
  const who =
    url === null ? "The agent has no owner who could allow it." : `The agent's owner can allow it: ${url}`;
  return `not allowed: ${tool} of the MCP server ${server} may change something. ${who}`;
}

/** A paragraph for each server, or "". */
export function approvalSection(approvals: readonly Approval[]): string {
  return approvals
    .map(({ server, tool, approve_url: url }) => {
      const who =
        url === null
          ? "The agent has no owner who could allow it."
          : `${link("Allow it", url)} as its owner.`;
      return `✋ Not allowed: ${inlineCode(tool)} of the MCP server ${inlineCode(server)} may change something. ${who}`;
    })
    .join("\n\n");
}
