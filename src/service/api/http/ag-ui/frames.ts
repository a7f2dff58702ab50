// Server-sent events of a run for one AG-UI client: our stored events are AG-UI's already. What differs is whose ids the run and
// its thread have, and how it ends. Pure.

import { AG_UI_VERSION } from "../../../../contract/ag-ui/routes.ts";
import type { RunEvent } from "../../../../contract/runs/run-event.ts";
import type { Interrupt } from "../../../core/ag-ui/interrupts.ts";
import type { PublicProblem } from "../../../core/ports/problem.ts";

/** Whom the events are for. */
export type AgUiClient = {
  readonly threadId: string;
  readonly runId: string;
  /** As the client says it. Null: it says none, and knows nothing of what came with 1.0. */
  readonly protocolVersion: string | null;
};

type End =
  | Extract<RunEvent, { type: "RUN_FINISHED" }>["outcome"]
  | { type: "interrupt"; interrupts: readonly Interrupt[] };

/** A comment, which readers pass over. */
export const KEEP_ALIVE = ": \n\n";

/** One event. Without `seq` it has no number: reading goes on at the one before it. */
export function frameOf(event: object | string, seq: number | null = null): string {
  const id = seq === null ? "" : `id: ${seq}\n`;
  return `${id}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`;
}

/**
 * A stored event whose ids name its run, too: those of messages and calls count from 1 in each run, and a client keeps all runs of its
 * thread in one list, where an id that comes again is the same message.
 */
export function withIdsOfRun(json: string, runId: string): string {
  if (!json.includes('"messageId"') && !json.includes('"toolCallId"')) return json;
  const event: Readonly<Record<string, unknown>> = JSON.parse(json);
  const named = Object.entries(event).map(([name, value]) =>
    ID_FIELDS.has(name) && typeof value === "string" ? [name, `${runId}/${value}`] : [name, value],
  );
  return JSON.stringify(Object.fromEntries(named));
}

const ID_FIELDS: ReadonlySet<string> = new Set(["messageId", "toolCallId"]);

/** `ours` is absent where the request has begun no run. */
export function startedEvent(
  client: AgUiClient,
  ours?: { readonly runId: string; readonly sessionId: string },
) {
  return {
    type: "RUN_STARTED",
    threadId: client.threadId,
    runId: client.runId,
    ...(knowsOne(client) ? { protocolVersion: AG_UI_VERSION } : {}),
    ...(ours === undefined
      ? {}
      : { metadata: { "agent-service": { run_id: ours.runId, session_id: ours.sessionId } } }),
  };
}

/** Clients before 1.0 throw at the outcome `cancelled`. */
export function finishedEvent(client: AgUiClient, outcome: End) {
  if (outcome.type === "cancelled" && !knowsOne(client))
    return { type: "RUN_ERROR", message: "The run was cancelled.", code: "cancelled" };
  const { threadId, runId } = client;
  return { type: "RUN_FINISHED", threadId, runId, outcome };
}

/** The stream ends here, whatever becomes of the run. */
export function problemEvent({ message, code }: Pick<PublicProblem, "message" | "code">) {
  return { type: "RUN_ERROR", message, code };
}

/** `run` is its JSON, as the API has it. */
export function snapshotEvent(run: string): string {
  return `{"type":"STATE_SNAPSHOT","snapshot":{"run":${run}}}`;
}

function knowsOne({ protocolVersion }: AgUiClient): boolean {
  return protocolVersion !== null && Number.parseFloat(protocolVersion) >= 1;
}
