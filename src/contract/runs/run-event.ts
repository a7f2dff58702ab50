// The events of a run: AG-UI 1.0 (https://docs.ag-ui.com), the part of it that we send. A reader also accepts
// what a newer service may send, so that an old client survives it. Pure.
// Why: docs/decisions/009-events-are-our-own-schemas.md

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import { field, object } from "../field.ts";
import { attemptsEventSchema } from "./attempts.ts";
import { changesEventSchema, fileChangeSchema, heldBackFileSchema } from "./changes.ts";
import { checksEventSchema } from "./checks.ts";
import { modelBillings, parkedSchema } from "./run.ts";
import { turnUsageEventSchema } from "./turn-usage.ts";
import { typedOutputEventSchema } from "./typed-outputs.ts";

export const QUOTA_EVENT = "quota";
export const OUTPUT_EVENT = "output";
export const EGRESS_EVENT = "egress";
export const NOTICE_EVENT = "notice";
export const RESUMED_EVENT = "resumed";
export const PARKED_EVENT = "parked";
export const PLAN_EVENT = "plan";
export const QUESTION_EVENT = "question";
export const APPROVAL_EVENT = "approval";

const kind = <Name extends string>(name: Name) => field(z.literal(name), "What happened.");

const runStartedSchema = object({
  type: kind("RUN_STARTED"),
  threadId: field(z.string(), "The run's session."),
  runId: field(z.string(), "The run."),
});

const runFinishedSchema = object({
  type: kind("RUN_FINISHED"),
  threadId: field(z.string(), "The run's session."),
  runId: field(z.string(), "The run."),
  outcome: field(
    z.discriminatedUnion("type", [
      object({ type: field(z.literal("success"), "`success` or `cancelled`.") }),
      object({ type: field(z.literal("cancelled"), "`success` or `cancelled`.") }),
    ]),
    "How the run ended.",
  ),
});

/** `code` is the run's cause. */
const runErrorSchema = object({
  type: kind("RUN_ERROR"),
  message: field(z.string(), "Why the run failed, for people."),
  code: field(z.string(), "The run's cause."),
});

const stepStartedSchema = object({ type: kind("STEP_STARTED"), stepName: field(z.string(), "The step.") });
const stepFinishedSchema = object({ type: kind("STEP_FINISHED"), stepName: field(z.string(), "The step.") });

const messageId = field(z.string(), "The message that the event belongs to, unique in its run.");

const role = <Name extends string>(name: Name) => field(z.literal(name), "Who says it.");

const textStartSchema = object({
  type: kind("TEXT_MESSAGE_START"),
  messageId,
  role: role("assistant"),
});
const delta = field(z.string(), "The next part of the text, or of the arguments as JSON.");

const textContentSchema = object({
  type: kind("TEXT_MESSAGE_CONTENT"),
  messageId,
  delta,
});
const textEndSchema = object({ type: kind("TEXT_MESSAGE_END"), messageId });

/** The thoughts of the model before it spoke, as far as its maker shows them: one or more messages between START and END. */
const reasoningStartSchema = object({ type: kind("REASONING_START"), messageId });
const reasoningMessageStartSchema = object({
  type: kind("REASONING_MESSAGE_START"),
  messageId,
  role: role("reasoning"),
});
const reasoningMessageContentSchema = object({
  type: kind("REASONING_MESSAGE_CONTENT"),
  messageId,
  delta,
});
const reasoningMessageEndSchema = object({
  type: kind("REASONING_MESSAGE_END"),
  messageId,
});
const reasoningEndSchema = object({ type: kind("REASONING_END"), messageId });

const toolCallId = field(z.string(), "The tool call, unique in its run.");

const toolStartSchema = object({
  type: kind("TOOL_CALL_START"),
  toolCallId,
  toolCallName: field(z.string(), "The tool."),
});
/** The deltas of one call, joined, are its arguments as JSON. */
const toolArgsSchema = object({
  type: kind("TOOL_CALL_ARGS"),
  toolCallId,
  delta,
});
const toolEndSchema = object({ type: kind("TOOL_CALL_END"), toolCallId });
const toolResultSchema = object({
  type: kind("TOOL_CALL_RESULT"),
  messageId,
  toolCallId,
  content: field(z.string(), "What the tool gave."),
  role: role("tool"),
});

/**
 * What is left of the billing account's credits after the run; a claim URL when nothing is. `model_billing` says who paid for
 * the model's tokens, where it is not the service.
 */
const quotaEventSchema = object({
  type: kind("CUSTOM"),
  name: field(z.literal(QUOTA_EVENT), "Which event of this service's own it is."),
  value: field(
    object({
      credits_remaining: field(z.int(), "What is left of the billing account's credits."),
      claim_url: field(
        z.nullable(z.string()),
        "Where an account claims the repository's agent; null where credits are left.",
      ),
      model_billing: field(
        z.optional(z.enum(modelBillings)),
        "Who paid for the model's tokens, where it is not the service: `repository`, by the access that the job brought.",
      ),
    }),
    "What the event says; for `output` the reply as data.",
  ),
});

/** The reply as data, of the form that the request's `output_schema` asked for. */
const outputEventSchema = object({
  type: kind("CUSTOM"),
  name: field(z.literal(OUTPUT_EVENT), "Which event of this service's own it is."),
  value: field(z.json(), "What the event says; for `output` the reply as data."),
});

/**
 * What the run may reach of the network, and what it has reached. Written when the run begins, where something that was
 * asked for is withheld, and at its end, where anything was reached or blocked. Hosts have a port where it is not 443.
 */
const egressEventSchema = object({
  type: kind("CUSTOM"),
  name: field(z.literal(EGRESS_EVENT), "Which event of this service's own it is."),
  value: field(
    object({
      withheld: field(z.array(z.string()), "What the run asked for of the network and does not have."),
      allowed: field(
        z.array(
          object({
            host: field(z.string(), "Its name, with the port where it is not 443."),
            connections: field(z.int(), "Connections to it."),
            bytes: field(z.int(), "Bytes sent and received."),
          }),
        ),
        "The hosts that the run has reached.",
      ),
      blocked: field(
        z.array(
          object({
            host: field(z.string(), "Its name, with the port where it is not 443."),
            times: field(z.int(), "How often."),
            reason: field(z.string(), "Why it was blocked the last time."),
          }),
        ),
        "The hosts that the run asked for and did not reach.",
      ),
    }),
    "What the event says; for `output` the reply as data.",
  ),
});

/** A line for readers about the work itself, in the service's words: that it waits, that the conversation was summarised. */
const noticeSchema = object({
  type: kind("CUSTOM"),
  name: field(z.literal(NOTICE_EVENT), "Which event of this service's own it is."),
  value: field(
    object({ text: field(z.string(), "What the service says of the run's work, in one line, for people.") }),
    "What the event says; for `output` the reply as data.",
  ),
});

const takeUpReasons = ["lost_worker", "handover", "parked", "fork"] as const;
export type TakeUpReason = (typeof takeUpReasons)[number];

/**
 * The first event that a worker writes to a run which it goes on with, or that is forked from another. What was open before is closed. The answer that was cut off may be
 * in the stream before this event, and is written anew after it.
 */
const resumedEventSchema = object({
  type: kind("CUSTOM"),
  name: field(z.literal(RESUMED_EVENT), "Which event of this service's own it is."),
  value: field(
    object({
      turn: field(z.int().check(z.minimum(1)), "The turn that the run goes on with."),
      after: field(
        z.enum(takeUpReasons),
        "Why a worker goes on: `lost_worker` (the one before was lost), `handover` (it was stopped and gave the run back), `parked` (the run was parked, and somebody continued it or it goes on by itself) or `fork` (the run begins at a turn of another one).",
      ),
      unknown_calls: field(
        z.array(z.string().check(z.maxLength(200))).check(z.maxLength(50)),
        "Tools whose calls were begun and whose results nobody knows. These calls are not repeated.",
      ),
      message: field(
        z.optional(z.string()),
        "What the run was told when somebody continued or forked it: the answer to its question. Absent where nothing was said.",
      ),
      forked_from: field(z.optional(z.string()), "With `fork`: the run at whose turn it begins."),
    }),
    "What the event says; for `output` the reply as data.",
  ),
});

/** Nobody works on the run until it goes on. The stream stays open. It is parked still where the run's `parked` has the same `since`. */
const parkedEventSchema = object({
  type: kind("CUSTOM"),
  name: field(z.literal(PARKED_EVENT), "Which event of this service's own it is."),
  value: field(parkedSchema, "What the event says; for `output` the reply as data."),
});

export const planStepStatuses = ["pending", "in_progress", "completed"] as const;

const planStepSchema = object({
  text: field(z.string(), "What the step does."),
  status: field(z.enum(planStepStatuses), "How far it is: `pending`, `in_progress` or `completed`."),
});
export type PlanStep = z.infer<typeof planStepSchema>;

/** The agent's plan, whole each time: the last one counts. */
const planEventSchema = object({
  type: kind("CUSTOM"),
  name: field(z.literal(PLAN_EVENT), "Which event of this service's own it is."),
  value: field(
    object({ steps: field(z.array(planStepSchema), "The agent's plan, whole each time.") }),
    "What the event says; for `output` the reply as data.",
  ),
});

/** The question that the run ended with instead of a guess. The reply says the same as text. */
const questionEventSchema = object({
  type: kind("CUSTOM"),
  name: field(z.literal(QUESTION_EVENT), "Which event of this service's own it is."),
  value: field(
    object({
      question: field(
        z.string(),
        "What the run ended with instead of a guess. The next message of the session answers it.",
      ),
      choices: field(z.array(z.string()), "Answers to choose from; any other is one, too."),
    }),
    "What the event says; for `output` the reply as data.",
  ),
});

/** A call by which the run would have written, and which the agent's owner has not allowed. Null: it has no owner. */
const approvalEventSchema = object({
  type: kind("CUSTOM"),
  name: field(z.literal(APPROVAL_EVENT), "Which event of this service's own it is."),
  value: field(
    object({
      server: field(z.string(), "The MCP server by which the run would have written."),
      tool: field(z.string(), "The tool that was called first."),
      approve_url: field(
        z.nullable(z.string()),
        "Where the agent's owner allows it; null where it has none.",
      ),
    }),
    "What the event says; for `output` the reply as data.",
  ),
});

/** Every event that a job, a log or a report reads. */
export const runEventSchema = z.discriminatedUnion("type", [
  runStartedSchema,
  runFinishedSchema,
  runErrorSchema,
  stepStartedSchema,
  stepFinishedSchema,
  textStartSchema,
  textContentSchema,
  textEndSchema,
  reasoningStartSchema,
  reasoningMessageStartSchema,
  reasoningMessageContentSchema,
  reasoningMessageEndSchema,
  reasoningEndSchema,
  toolStartSchema,
  toolArgsSchema,
  toolEndSchema,
  toolResultSchema,
  z.discriminatedUnion("name", [
    changesEventSchema,
    quotaEventSchema,
    outputEventSchema,
    egressEventSchema,
    noticeSchema,
    resumedEventSchema,
    parkedEventSchema,
    planEventSchema,
    checksEventSchema,
    attemptsEventSchema,
    questionEventSchema,
    approvalEventSchema,
    typedOutputEventSchema,
  ]),
]);

/** An event of AG-UI 1.0 that this version knows. A union on `type`, and for `CUSTOM` on `name`. */
export type RunEvent = z.infer<typeof runEventSchema>;

/** Every event that this service writes: with those that only pages and clients read. */
export const writtenEventSchema = z.union([runEventSchema, turnUsageEventSchema]);
export type WrittenEvent = z.infer<typeof writtenEventSchema>;
export type OutputEvent = z.infer<typeof outputEventSchema>;
export type EgressEvent = z.infer<typeof egressEventSchema>;
export type QuotaEvent = z.infer<typeof quotaEventSchema>;
export type ApprovalEvent = z.infer<typeof approvalEventSchema>;
export type QuestionEvent = z.infer<typeof questionEventSchema>;
export type ResumedEvent = z.infer<typeof resumedEventSchema>;
export type ParkedEvent = z.infer<typeof parkedEventSchema>;

declare const noKnownType: unique symbol;

/**
 * An event of a type that this version does not know. It is kept, not understood. Its `type` is a string that is none
 * of RunEvent's: TypeScript has no type for that, and with `string` a comparison of `type` would narrow nothing.
 */
export type ForeignEvent = {
  /** A string at run time. */
  readonly type: { readonly [noKnownType]: true };
  readonly [field: string]: unknown;
};

/** Read by its type alone: within /v1 an event of a type that RunEvent has also has RunEvent's fields. */
export const anyEventSchema = z.looseObject({ type: z.string() }) as unknown as z.ZodMiniType<
  RunEvent | ForeignEvent
>;

/** One stored event. `seq` counts 1, 2, 3 … without a gap within a run. */
export type StoredRunEvent = {
  readonly seq: number;
  readonly at: string;
  readonly event: RunEvent | ForeignEvent;
};

export const storedRunEventSchema = object({
  seq: field(z.int().check(z.minimum(1)), "Its number: 1, 2, 3 … without a gap."),
  at: field(z.iso.datetime(), "When it was stored."),
  event: field(anyEventSchema, "The event."),
});

/** The event as one of ours, or null when a newer service wrote it. */
export function asRunEvent(event: { readonly type: unknown }): RunEvent | null {
  const parsed = runEventSchema.safeParse(event);
  return parsed.success ? parsed.data : null;
}

export const runEventComponents: Components = {
  RunEvent: component(writtenEventSchema, "An event that this service writes: AG-UI 1.0."),
  StoredRunEvent: component(storedRunEventSchema, "An event with its place in the run."),
  FileChange: component(fileChangeSchema, "A file that was changed."),
  HeldBackFile: component(heldBackFileSchema, "A file that was changed and is not in the patch."),
};
