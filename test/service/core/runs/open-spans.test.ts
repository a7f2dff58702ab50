import fc from "fast-check";
import { it } from "vitest";
import type { RunEvent } from "../../../../src/contract/runs/run-event.ts";
import { OpenSpans } from "../../../../src/service/core/runs/open-spans.ts";
import { expectValidStream } from "../../../support/service-streams.ts";

const name = fc.constantFrom("a", "b", "c");
const intent = fc.record({ kind: fc.constantFrom("message", "call", "step"), name });

/** Opens what is closed and closes what is open: any walk through a legal stream. */
function walk(intents: readonly { kind: string; name: string }[]): RunEvent[] {
  const open = new Set<string>();
  return intents.map(({ kind, name: id }): RunEvent => {
    const span = `${kind} ${id}`;
    const isOpen = open.delete(span);
    if (!isOpen) open.add(span);
    switch (kind) {
      case "message":
        return isOpen
          ? { type: "TEXT_MESSAGE_END", messageId: id }
          : { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" };
      case "call":
        return isOpen
          ? { type: "TOOL_CALL_END", toolCallId: id }
          : { type: "TOOL_CALL_START", toolCallId: id, toolCallName: "look" };
      default:
        return { type: isOpen ? "STEP_FINISHED" : "STEP_STARTED", stepName: id };
    }
  });
}

it("closes whatever is open, wherever a stream is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(intent, { maxLength: 40 }), async (intents) => {
      const spans = new OpenSpans();
      const written = walk(intents);
      for (const event of written) spans.add(event);
      const whole: RunEvent[] = [
        { type: "RUN_STARTED", threadId: "t", runId: "r" },
        ...written,
        ...spans.closers(),
        { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "success" } },
      ];
      await expectValidStream(
        whole.map((event, index) => ({ seq: index + 1, at: "2026-01-15T10:00:00Z", event })),
      );
    }),
    { numRuns: 60 },
  );
});
