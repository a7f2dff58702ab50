// The outcome of a turn that its agent has ended, by the reason that it gives.

import type { BackendOutcome } from "../../backend.ts";
import { AgentError } from "./agent-connection.ts";
import { faultSaid } from "./agent-fault.ts";
import type { ModelProxy } from "./model-proxy/model-proxy.ts";
import type { RunStream } from "./run-stream.ts";
import type { AcpSettings } from "./settings.ts";
import type { PromptAnswer } from "./updates.ts";

type EndedTurn = {
  readonly settings: Pick<AcpSettings, "answersWithErrors">;
  readonly proxy: Pick<ModelProxy, "refusedWith"> | null;
  readonly stream: Pick<RunStream, "hasSpoken" | "hasRejected" | "lastChunk">;
};

/** Throws an AgentError for an end that is none. */
export function outcomeOf(
  { stopReason }: PromptAnswer,
  { settings, proxy, stream }: EndedTurn,
): BackendOutcome {
  switch (stopReason) {
    case "end_turn": {
      if (!stream.hasSpoken) throw new AgentError({ type: "silent" });
      const isRefused = settings.answersWithErrors && (proxy?.refusedWith ?? null) !== null;
      const fault = isRefused ? faultSaid(stream.lastChunk) : null;
      if (fault !== null) throw new AgentError(fault);
      return { stopReason: "end_turn" };
    }
    // The limit of one answer: the run's own limit of tokens is compared with the usage.
    case "max_tokens":
      return { stopReason: "length" };
    case "max_turn_requests":
      return { stopReason: "max_turns" };
    case "refusal":
      return { stopReason: "content_filter" };
    case "cancelled":
      // Some agents end their turn after a refused permission.
      if (stream.hasRejected) return { stopReason: "end_turn" };
      throw new AgentError({ type: "cancelled" });
    default:
      throw new AgentError({ type: "unknown_stop", stopReason });
  }
}
