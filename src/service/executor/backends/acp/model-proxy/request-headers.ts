// The headers of a request of an agent that are passed on: lists, because others choose an organisation, a project, another
// key, or features that reach further than the run may. Pure.

import type { IncomingHttpHeaders } from "node:http";
import type { CodingAgentWire } from "../../../../../contract/models/protocols.ts";

const passed =
  /^(accept|user-agent|anthropic-version|originator|session_id|conversation_id|x-goog-api-client|x-stainless-[a-z-]+)$/;

/** Those of Copilot CLI 1.0.102 (looked at on 2026-11-28). Left out: the id of the machine and the name of the repository. */
const passedToCopilot =
  /^(openai-intent|x-initiator|x-interaction-(id|type)|x-github-api-version|x-agent-task-id|x-client-session-id|editor-version|copilot-(integration-id|harness-id|vision-request))$/;

/**
 * Beta features of Anthropic's API by their names without their dates, as its SDK 1.12.0 and Claude Code 2.1.318 write them
 * (looked up on 2026-11-23): those that change how a model thinks, writes and is told of the agent's tools. Others, such as
 * hosted MCP servers, files, skills, code execution and a faster tier, stay behind.
 */
const betas: ReadonlySet<string> = new Set([
  "advanced-tool-use",
  "claude-code",
  "context-1m",
  "context-management",
  "dev-full-thinking",
  "effort",
  "fine-grained-tool-streaming",
  "interleaved-thinking",
  "mid-conversation-output-config",
  "mid-conversation-system-clear-at",
  "mid-conversation-tool-changes",
  "model-context-window-exceeded",
  "output-128k",
  "output-300k",
  "pdfs",
  "prompt-caching",
  "structured-outputs",
  "task-budgets",
  "thinking-binding-controls",
  "thinking-display-updates",
  "thinking-token-count",
  "token-counting",
  "token-efficient-tools",
]);

export function passedHeaders(headers: IncomingHttpHeaders, wire: CodingAgentWire): Headers {
  const isPassed = (name: string) => passed.test(name) || (wire === "copilot" && passedToCopilot.test(name));
  const kept = new Headers({ "accept-encoding": "identity" });
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string" && isPassed(name)) kept.set(name, value);
  }
  const asked = [headers["anthropic-beta"] ?? []].flat().join(",").split(",");
  const features = asked.map((name) => name.trim()).filter((name) => betas.has(withoutDate(name)));
  if (features.length > 0) kept.set("anthropic-beta", features.join(","));
  return kept;
}

function withoutDate(name: string): string {
  return name.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8})$/, "");
}
