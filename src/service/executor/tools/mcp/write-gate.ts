// The gate of a server's tools that change something. What is refused is told to the model, and once for each server to the
// run's readers; the run goes on.
// Why: docs/decisions/068-approvals.md

import { APPROVAL_EVENT } from "../../../../contract/runs/run-event.ts";
import type { BackendTask } from "../../backend.ts";
import { ToolError } from "../tool.ts";
import { type OfferedTool, plainText } from "./offered-tools.ts";
import type { McpServer } from "./server-definition.ts";

const MAX_TOOL_CHARS = 128;

type WriteCall = Pick<OfferedTool, "ownName" | "isReadOnly"> & {
  readonly input: Readonly<Record<string, unknown>>;
};

export class WriteGate {
  readonly #task: Pick<BackendTask, "emit" | "mcp">;
  readonly #told = new Set<string>();

  constructor(task: Pick<BackendTask, "emit" | "mcp">) {
    this.#task = task;
  }

  /** Rejects with a ToolError where the owner has not allowed it. */
  async pass(
    { name: server, origin, tools }: Pick<McpServer, "name" | "origin" | "tools">,
    { ownName, isReadOnly, input }: WriteCall,
  ): Promise<void> {
    if (isReadOnly) return;
    const tool = plainText(ownName).slice(0, MAX_TOOL_CHARS);
    const isNamed = tools?.includes(ownName) === true;
    const verdict = await this.#task.mcp.authorizeWrite({ server, tool, origin, isNamed, input });
    if (verdict.isAllowed) return;
    if (verdict.isAttempt === true) throw new ToolError("refused", attemptText({ server, tool }));
    const { approveUrl } = verdict;
    if (!this.#told.has(server)) {
      this.#told.add(server);
      const value = { server, tool, approve_url: approveUrl };
      await this.#task.emit({ type: "CUSTOM", name: APPROVAL_EVENT, value });
    }
    throw new ToolError("refused", refusalText({ server, tool, approveUrl }));
  }
}

type Refused = { readonly server: string; readonly tool: string; readonly approveUrl: string | null };

function attemptText({ server, tool }: Omit<Refused, "approveUrl">): string {
  return `The tool ${tool} of the MCP server ${server} may change something, and this run is one of several attempts at the same task, which change nothing outside of their files. Go on without it, and say in your answer what is left to do. Tools that only read work as before.`;
}

function refusalText({ server, tool, approveUrl }: Refused): string {
  const why = `The tool ${tool} may change something, and nobody has allowed this agent to write by the MCP server ${server}.`;
  const who =
    approveUrl === null
      ? "It has no owner who could allow it."
      : `Its owner can allow it at ${approveUrl}; calls after that are made.`;
  return `${why} ${who} Go on without it, and say in your answer what is left to do. Tools that only read work as before.`;
}
