// The addresses of MCP resources. Pure.

/** `after` is the number of the last event that the reader has. */
export type ResourceAddress =
  | { readonly kind: "report" | "patch"; readonly runId: string }
  | { readonly kind: "events"; readonly runId: string; readonly after: number }
  | { readonly kind: "agent"; readonly agentId: string };

const RUN = /^run:\/\/([0-9A-Za-z-]{1,64})(?:\/(patch|events(?:\?after=(\d{1,15}))?))?$/;
const AGENT = /^agent:\/\/([0-9A-Za-z-]{1,64})$/;

/** Null for an address that is none of ours. */
export function parseResourceUri(uri: string): ResourceAddress | null {
  const agentId = AGENT.exec(uri)?.[1];
  if (agentId !== undefined) return { kind: "agent", agentId };
  const [, runId, part, after = "0"] = RUN.exec(uri) ?? [];
  if (runId === undefined) return null;
  if (part === undefined) return { kind: "report", runId };
  return part === "patch" ? { kind: "patch", runId } : { kind: "events", runId, after: Number(after) };
}

export function agentUri(agentId: string): string {
  return `agent://${agentId}`;
}

export function runUri(runId: string): string {
  return `run://${runId}`;
}

export function patchUri(runId: string): string {
  return `run://${runId}/patch`;
}
