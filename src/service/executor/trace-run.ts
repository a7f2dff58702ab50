// The spans of a run: children of the request, or of the schedule, that submitted it, on whichever node it executes.

import type { Span, SpanStart } from "../core/ports/tracer.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { RunEnding } from "../core/runs/run-machine.ts";
import type { Backend } from "./backend.ts";

export function runSpan({ run, input }: TakenRun): SpanStart {
  return {
    name: "run",
    kind: "consumer",
    parent: input.traceparent ?? null,
    attributes: {
      "agent_service.run.id": run.id,
      "agent_service.run.origin": run.origin,
      "agent_service.run.waited_ms": Math.max((run.startedAt ?? run.submittedAt) - run.submittedAt, 0),
      "agent_service.agent.id": run.agentId,
    },
  };
}

/** Null when another worker has the run, or it has ended meanwhile. */
export function showEnding(span: Span, ending: RunEnding | null): void {
  span.set({ "agent_service.run.status": ending?.status ?? "lost" });
  if (ending?.status === "failed") span.fail(ending.cause);
}

export function backendSpan(backend: Backend): SpanStart {
  return { name: "run backend", attributes: { "agent_service.backend": backend.name } };
}
