// Our events are AG-UI events: by AG-UI's own schemas, and by its types.

import type { AGUIEventByType, EventType } from "@ag-ui/core";
import { EventSchema } from "@ag-ui/core/schemas";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  asRunEvent,
  type RunEvent,
  runEventSchema,
  storedRunEventSchema,
} from "../../../src/contract/runs/run-event.ts";
import { takenUp } from "../../render/streams.ts";
import { expectValidStream } from "../../support/service-streams.ts";

const samples: { readonly [Type in RunEvent["type"]]: readonly Extract<RunEvent, { type: Type }>[] } = {
  RUN_STARTED: [{ type: "RUN_STARTED", threadId: "t", runId: "r" }],
  RUN_FINISHED: [
    { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "success" } },
    { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "cancelled" } },
  ],
  RUN_ERROR: [{ type: "RUN_ERROR", message: "It failed.", code: "backend_error" }],
  STEP_STARTED: [{ type: "STEP_STARTED", stepName: "look" }],
  STEP_FINISHED: [{ type: "STEP_FINISHED", stepName: "look" }],
  TEXT_MESSAGE_START: [{ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" }],
  TEXT_MESSAGE_CONTENT: [{ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Hello" }],
  TEXT_MESSAGE_END: [{ type: "TEXT_MESSAGE_END", messageId: "m" }],
  REASONING_START: [{ type: "REASONING_START", messageId: "t" }],
  REASONING_MESSAGE_START: [{ type: "REASONING_MESSAGE_START", messageId: "t", role: "reasoning" }],
  REASONING_MESSAGE_CONTENT: [{ type: "REASONING_MESSAGE_CONTENT", messageId: "t", delta: "Hm" }],
  REASONING_MESSAGE_END: [{ type: "REASONING_MESSAGE_END", messageId: "t" }],
  REASONING_END: [{ type: "REASONING_END", messageId: "t" }],
  TOOL_CALL_START: [{ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "glob" }],
  TOOL_CALL_ARGS: [{ type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "{}" }],
  TOOL_CALL_END: [{ type: "TOOL_CALL_END", toolCallId: "c" }],
  TOOL_CALL_RESULT: [
    { type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "c", content: "README.md", role: "tool" },
  ],
  CUSTOM: [
    {
      type: "CUSTOM",
      name: "repository.changes",
      value: {
        base_sha: "a".repeat(40),
        files: [{ path: "a", status: "added", additions: 1, deletions: 0 }],
        patch: "diff",
        held_back: [{ path: ".github/workflows/ci.yml", reason: "protected" }],
      },
    },
    { type: "CUSTOM", name: "output", value: { verdict: "fine" } },
    { type: "CUSTOM", name: "plan", value: { steps: [{ text: "Look", status: "in_progress" }] } },
    { type: "CUSTOM", name: "question", value: { question: "Which one?", choices: ["a", "b"] } },
    { type: "CUSTOM", name: "quota", value: { credits_remaining: 1, claim_url: null } },
    { type: "CUSTOM", name: "notice", value: { text: "Waits 70 s." } },
    {
      type: "CUSTOM",
      name: "resumed",
      value: { turn: 7, after: "lost_worker", unknown_calls: ["run_command"] },
    },
    { type: "CUSTOM", name: "resumed", value: { turn: 1, after: "handover", unknown_calls: [] } },
  ],
};

describe("a run's event", () => {
  for (const [type, events] of Object.entries(samples)) {
    it(`${type} is ours and AG-UI's`, () => {
      for (const event of events) {
        expect(runEventSchema.parse(event)).toEqual(event);
        expect(EventSchema.parse(event)).toMatchObject(event);
        expect(asRunEvent(event)).toEqual(event);
      }
    });
  }

  it("has the fields of AG-UI's type of the same name", () => {
    type ByName = { [Type in EventType as `${Type}`]: AGUIEventByType[Type] };
    type Theirs<Type extends RunEvent["type"]> = Omit<ByName[Type], "type">;
    type Ours<Type extends RunEvent["type"]> = Omit<Extract<RunEvent, { type: Type }>, "type">;
    type Misfits = {
      [Type in RunEvent["type"]]: Ours<Type> extends Theirs<Type> ? never : Type;
    }[RunEvent["type"]];
    expectTypeOf<Misfits>().toEqualTypeOf<never>();
    expectTypeOf<RunEvent["type"]>().toExtend<`${EventType}`>();
  });

  it("of a kind that a newer service writes is kept, and not taken for one of ours", () => {
    const stored = {
      seq: 1,
      at: "2026-01-15T10:00:00.000Z",
      event: { type: "STATE_SNAPSHOT", messageId: "m" },
    };
    expect(storedRunEventSchema.parse(stored)).toEqual(stored);
    expect(asRunEvent(stored.event)).toBeNull();
    const custom = { type: "CUSTOM", name: "else", value: 1 };
    expect(asRunEvent(custom)).toBeNull();
  });

  it.each([
    { turn: 0 },
    { turn: 1.5 },
    { after: "crash" },
    { unknown_calls: ["x".repeat(201)] },
    { unknown_calls: Array.from({ length: 51 }, () => "x") },
  ])("that a run was taken up again is not one of ours with %j", (changed) => {
    const value = {
      turn: 7,
      after: "handover",
      unknown_calls: Array.from({ length: 50 }, () => "x".repeat(200)),
    };
    const resumed = { type: "CUSTOM", name: "resumed", value };
    expect(asRunEvent(resumed)).toEqual(resumed);
    const other = { ...resumed, value: { ...value, ...changed } };
    expect(asRunEvent(other)).toBeNull();
  });

  it("leaves a stream valid in which an answer is cut off and written anew, with the same id", async () => {
    await expectValidStream(takenUp);
  });

  it("has a number from 1", () => {
    const stored = { seq: 0, at: "2026-01-15T10:00:00.000Z", event: { type: "RUN_STARTED" } };
    expect(storedRunEventSchema.safeParse(stored).success).toBe(false);
  });
});
