// A tool of an MCP server as a tool of the agent: one that does not say that it only reads counts as one that writes.

import * as z from "zod/mini";
import { isObject } from "../../../../base/json.ts";
import { type Tool, ToolError } from "../tool.ts";
import { answerOf } from "./call-result.ts";
import type { McpSession } from "./mcp-session.ts";
import type { OfferedTool } from "./offered-tools.ts";

const CALL_MS = 120_000;

type ServerToolParts = {
  readonly server: string;
  readonly tool: OfferedTool;
  readonly session: Pick<McpSession, "call">;
  /** Rejects with a ToolError where the call may not be made. */
  readonly pass: (input: Readonly<Record<string, unknown>>) => Promise<void>;
  /** The text about a failure: masked, with what is known of the server. */
  readonly explain: (why: string) => string;
  /** Added to the result of a call. */
  readonly note: () => string;
};

export function serverTool({ server, tool, session, pass, explain, note }: ServerToolParts): Tool<null> {
  return {
    name: tool.name,
    description: tool.description,
    // The server decodes it, by the schema that the model is shown.
    input: z.record(z.string(), z.unknown()),
    jsonSchema: tool.schema,
    access: tool.isReadOnly ? "read" : "write",
    isForeign: true,
    isOutside: !tool.isReadOnly,
    async run(input, { signal }) {
      if (!isObject(input))
        throw new ToolError("invalid_input", `The input of ${tool.name} must be an object.`);
      await pass(input);
      const called = await session.call({
        tool: tool.ownName,
        input: { ...input },
        timeoutMs: CALL_MS,
        signal,
      });
      const asked = note();
      if (!called.ok)
        throw new ToolError("failed", `The MCP server ${server} failed: ${explain(called.why)}${asked}`);
      const answer = answerOf(server, tool.name, called.result);
      const text = answer.text + asked;
      if (called.isError) throw new ToolError("failed", text);
      return { ...answer, text };
    },
  };
}
