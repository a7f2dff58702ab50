// Calls one tool: decodes its arguments, runs it, and writes its answer as a result.

import { inputRequired, ProtocolError, type ServerContext } from "@modelcontextprotocol/server";
import { needRole } from "../../core/accounts/caller.ts";
import { decode } from "../shared/decode.ts";
import { problemOfThrown } from "../shared/problems/thrown-problem.ts";
import { type CallParts, mayUse } from "./call-parts.ts";
import { problemResult } from "./problem-result.ts";
import { taskCreated } from "./run-tasks.ts";
import type { ToolOutcome } from "./surface.ts";
import { clientCapabilities, takesTasks } from "./tasks-extension.ts";
import type { McpTool, McpToolAnswer, McpToolContext } from "./tool.ts";
import { resultOf } from "./tool-content.ts";

export async function callTool(
  parts: CallParts,
  { tool, args }: { readonly tool: McpTool; readonly args: unknown },
  context: ServerContext,
): Promise<ToolOutcome> {
  if (!mayUse(parts, tool.scopes))
    return problemResult({ reason: "scope_needed", needed: tool.scopes }, parts);
  const held = needRole(parts.caller, tool.role);
  if (!held.ok) return problemResult(held.refusal, parts);
  const decoded = decode(tool.input, args, "The arguments");
  if (!decoded.ok) return problemResult(decoded.refusal, parts);
  try {
    const result = await tool.run(decoded.value, toolContext(parts, context));
    return result.ok ? outcomeOf(parts, result.value) : problemResult(result.refusal, parts);
  } catch (cause) {
    if (ProtocolError.isInstance(cause)) throw cause;
    parts.core.log.error(
      { err: cause, request_id: parts.requestId, tool: tool.listing.name },
      "internal error",
    );
    return problemResult(problemOfThrown(cause), parts);
  }
}

function toolContext(
  { core, submitter, caller, requestId, waits, gone }: CallParts,
  context: ServerContext,
): McpToolContext {
  const { mcpReq } = context;
  const token = mcpReq._meta?.progressToken;
  return {
    core,
    submitter,
    caller,
    requestId,
    waits,
    signal: AbortSignal.any([mcpReq.signal, gone]),
    progress: async (progress, message) => {
      if (token === undefined) return;
      const params = { progressToken: token, progress, message };
      // A client that is gone learns it by the call's own signal.
      await mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    },
    opensPages: opensPages(context),
    takesTasks: takesTasks(context),
    broughtBack: broughtBack(context),
  };
}

function opensPages(context: ServerContext): boolean {
  const { elicitation } = clientCapabilities(context);
  return typeof elicitation === "object" && elicitation !== null && "url" in elicitation;
}

function broughtBack({ mcpReq }: ServerContext): string | null {
  const state = mcpReq.requestState<unknown>();
  return typeof state === "string" ? state : null;
}

function outcomeOf(parts: CallParts, answer: McpToolAnswer<object>): ToolOutcome {
  switch (answer.type) {
    case "answer":
      return resultOf(answer);
    case "task":
      return taskCreated(answer.run, parts.core.policy);
    case "open_page": {
      const { url, message, bringBack } = answer;
      return inputRequired({
        inputRequests: { page: inputRequired.elicitUrl({ url, message }) },
        requestState: bringBack,
      });
    }
  }
}
