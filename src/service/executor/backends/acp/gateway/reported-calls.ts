// Calls of the gateway's tools that an agent reports, too: the gateway has recorded them, so they are not recorded a second time.
// A report without a recorded call is shown as the agent's own. Pure.
// Why: docs/decisions/185-coding-agents-have-the-runs-servers.md

import { isObject } from "../../../../../base/json.ts";
import type { AcpToolCall } from "../tool-calls.ts";
import { GATEWAY_NAME } from "./gateway-name.ts";

/** What agents write around the name of a tool: `mcp__run__<tool>`, `run_<tool>`, `run/<tool>`, `mcp.run.<tool>`, `<tool> (run MCP Server)`. */
const around = new RegExp(
  `^(?:(?:mcp(?:__|[_.]))?${GATEWAY_NAME}(?:__|[-_./:]))?(mcp__[A-Za-z0-9_-]+)(?: \\(${GATEWAY_NAME} MCP Server\\))?$`,
);
/** Fields of Codex's input for a call of a server's tool. A model cannot choose them: a command has others. */
const codexFields: ReadonlySet<string> = new Set(["server", "tool", "arguments"]);

/** Null: a call of the agent's own, by what it says. */
export function gatewayToolOf(
  { title, name, toolName, kind, input }: AcpToolCall,
  tools: ReadonlySet<string>,
): string | null {
  if (isObject(input) && input.server === GATEWAY_NAME && isOnlyOf(input, codexFields)) {
    const { tool } = input;
    return typeof tool === "string" && tools.has(tool) ? tool : null;
  }
  // The title of a command is what a model wrote.
  if (kind !== "other") return null;
  const found = [toolName, name, title].map((text) => around.exec(text ?? "")?.[1]);
  return found.find((tool) => tool !== undefined && tools.has(tool)) ?? null;
}

/** Counts calls at the gateway, each of which stands for one report. */
export class ReportedCalls {
  readonly #tools: ReadonlySet<string>;
  readonly #unreported = new Map<string, number>();

  constructor(tools: readonly string[]) {
    this.#tools = new Set(tools);
  }

  toolOf(call: AcpToolCall): string | null {
    return this.#tools.size === 0 ? null : gatewayToolOf(call, this.#tools);
  }

  /** A call at the gateway is in the stream. */
  recorded(tool: string): void {
    this.#unreported.set(tool, (this.#unreported.get(tool) ?? 0) + 1);
  }

  /** Whether a recorded call stands for this report. It stands for no other then. */
  takes(tool: string): boolean {
    const count = this.#unreported.get(tool) ?? 0;
    if (count > 0) this.#unreported.set(tool, count - 1);
    return count > 0;
  }
}

function isOnlyOf(input: object, fields: ReadonlySet<string>): boolean {
  return Object.keys(input).every((field) => fields.has(field));
}
