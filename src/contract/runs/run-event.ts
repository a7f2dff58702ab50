// The events of a run: AG-UI 1.0 (https://docs.ag-ui.com), the part of it that we send. A reader also accepts
// what a newer service may send, so that an old client survives it. Pure.
// Why: docs/decisions/009-events-are-our-own-schemas.md

import * as z from "zod/mini";
import { modelBillings } from "./run.ts";

export const CHANGES_EVENT = "repository.changes";
export const QUOTA_EVENT = "quota";
export const OUTPUT_EVENT = "output";
export const EGRESS_EVENT = "egress";
export const NOTICE_EVENT = "notice";
export const PLAN_EVENT = "plan";
export const QUESTION_EVENT = "question";
export const APPROVAL_EVENT = "approval";

const runStartedSchema = z.object({
  type: z.literal("RUN_STARTED"),
  threadId: z.string(),
  runId: z.string(),
});

const runFinishedSchema = z.object({
  type: z.literal("RUN_FINISHED"),
  threadId: z.string(),
  runId: z.string(),
  outcome: z.discriminatedUnion("type", [
    z.object({ type: z.literal("success") }),
    z.object({ type: z.literal("cancelled") }),
  ]),
});

/** `code` is the run's cause. */
const runErrorSchema = z.object({ type: z.literal("RUN_ERROR"), message: z.string(), code: z.string() });

const stepStartedSchema = z.object({ type: z.literal("STEP_STARTED"), stepName: z.string() });
const stepFinishedSchema = z.object({ type: z.literal("STEP_FINISHED"), stepName: z.string() });

const textStartSchema = z.object({
  type: z.literal("TEXT_MESSAGE_START"),
  messageId: z.string(),
  role: z.literal("assistant"),
});
const textContentSchema = z.object({
  type: z.literal("TEXT_MESSAGE_CONTENT"),
  messageId: z.string(),
  delta: z.string(),
});
const textEndSchema = z.object({ type: z.literal("TEXT_MESSAGE_END"), messageId: z.string() });

/** What the model thought before it spoke, as far as its maker shows that: one or more messages between START and END. */
const reasoningStartSchema = z.object({ type: z.literal("REASONING_START"), messageId: z.string() });
const reasoningMessageStartSchema = z.object({
  type: z.literal("REASONING_MESSAGE_START"),
  messageId: z.string(),
  role: z.literal("reasoning"),
});
const reasoningMessageContentSchema = z.object({
  type: z.literal("REASONING_MESSAGE_CONTENT"),
  messageId: z.string(),
  delta: z.string(),
});
const reasoningMessageEndSchema = z.object({
  type: z.literal("REASONING_MESSAGE_END"),
  messageId: z.string(),
});
const reasoningEndSchema = z.object({ type: z.literal("REASONING_END"), messageId: z.string() });

const toolStartSchema = z.object({
  type: z.literal("TOOL_CALL_START"),
  toolCallId: z.string(),
  toolCallName: z.string(),
});
/** The deltas of one call, joined, are its arguments as JSON. */
const toolArgsSchema = z.object({
  type: z.literal("TOOL_CALL_ARGS"),
  toolCallId: z.string(),
  delta: z.string(),
});
const toolEndSchema = z.object({ type: z.literal("TOOL_CALL_END"), toolCallId: z.string() });
const toolResultSchema = z.object({
  type: z.literal("TOOL_CALL_RESULT"),
  messageId: z.string(),
  toolCallId: z.string(),
  content: z.string(),
  role: z.literal("tool"),
});

export const fileChangeStatuses = ["added", "modified", "deleted", "renamed"] as const;

export const fileChangeSchema = z.object({
  path: z.string(),
  status: z.enum(fileChangeStatuses),
  additions: z.int(),
  deletions: z.int(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

/** A file that the run changed and that was left out of the patch. */
export const heldBackFileSchema = z.object({ path: z.string(), reason: z.enum(["protected", "too_large"]) });
export type HeldBackFile = z.infer<typeof heldBackFileSchema>;

/**
 * What the run changed in the repository: a git patch against `base_sha`, binary files included. `held_back` names what
 * the patch leaves out, and why. `unreadable` says why nobody can tell what was changed: there are no files then.
 */
const changesSchema = z.object({
  type: z.literal("CUSTOM"),
  name: z.literal(CHANGES_EVENT),
  value: z.object({
    base_sha: z.string(),
    files: z.array(fileChangeSchema),
    patch: z.string(),
    held_back: z.optional(z.array(heldBackFileSchema)),
    unreadable: z.optional(z.string()),
  }),
});

/**
 * What is left of the billing account's credits after the run; a claim URL when nothing is. `model_billing` says who paid for
 * the model's tokens, where it is not the service.
 */
const quotaEventSchema = z.object({
  type: z.literal("CUSTOM"),
  name: z.literal(QUOTA_EVENT),
  value: z.object({
    credits_remaining: z.int(),
    claim_url: z.nullable(z.string()),
    model_billing: z.optional(z.enum(modelBillings)),
  }),
});

/** The reply as data, of the form that the request's `output_schema` asked for. */
const outputEventSchema = z.object({
  type: z.literal("CUSTOM"),
  name: z.literal(OUTPUT_EVENT),
  value: z.json(),
});

/**
 * What the run may reach of the network, and what it has reached. Written when the run begins, where something that was
 * asked for is withheld, and at its end, where anything was reached or blocked. Hosts have a port where it is not 443.
 */
const egressEventSchema = z.object({
  type: z.literal("CUSTOM"),
  name: z.literal(EGRESS_EVENT),
  value: z.object({
    withheld: z.array(z.string()),
    allowed: z.array(z.object({ host: z.string(), connections: z.int(), bytes: z.int() })),
    /** A newer service may know other reasons. */
    blocked: z.array(z.object({ host: z.string(), times: z.int(), reason: z.string() })),
  }),
});

/** A line for readers about the work itself, in the service's words: that it waits, that the conversation was summarised. */
const noticeSchema = z.object({
  type: z.literal("CUSTOM"),
  name: z.literal(NOTICE_EVENT),
  value: z.object({ text: z.string() }),
});

export const planStepStatuses = ["pending", "in_progress", "completed"] as const;

const planStepSchema = z.object({ text: z.string(), status: z.enum(planStepStatuses) });
export type PlanStep = z.infer<typeof planStepSchema>;

/** The agent's plan, whole each time: the last one counts. */
const planEventSchema = z.object({
  type: z.literal("CUSTOM"),
  name: z.literal(PLAN_EVENT),
  value: z.object({ steps: z.array(planStepSchema) }),
});

/** What the run ended with instead of a guess. The reply says the same as text. */
const questionEventSchema = z.object({
  type: z.literal("CUSTOM"),
  name: z.literal(QUESTION_EVENT),
  value: z.object({ question: z.string(), choices: z.array(z.string()) }),
});

/** A call by which the run would have written, and which the agent's owner has not allowed. Null: it has no owner. */
const approvalEventSchema = z.object({
  type: z.literal("CUSTOM"),
  name: z.literal(APPROVAL_EVENT),
  value: z.object({ server: z.string(), tool: z.string(), approve_url: z.nullable(z.string()) }),
});

/** Every event that this service writes. */
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
    changesSchema,
    quotaEventSchema,
    outputEventSchema,
    egressEventSchema,
    noticeSchema,
    planEventSchema,
    questionEventSchema,
    approvalEventSchema,
  ]),
]);

export type RunEvent = z.infer<typeof runEventSchema>;
export type ChangesEvent = z.infer<typeof changesSchema>;
export type OutputEvent = z.infer<typeof outputEventSchema>;
export type EgressEvent = z.infer<typeof egressEventSchema>;
export type QuotaEvent = z.infer<typeof quotaEventSchema>;
export type NoticeEvent = z.infer<typeof noticeSchema>;
export type PlanEvent = z.infer<typeof planEventSchema>;
export type ApprovalEvent = z.infer<typeof approvalEventSchema>;
export type QuestionEvent = z.infer<typeof questionEventSchema>;

declare const noKnownType: unique symbol;

/**
 * An event of a type that this version does not know. It is kept, not understood. Its `type` is a string that is none
 * of RunEvent's: TypeScript has no type for that, and with `string` a comparison of `type` would narrow nothing.
 */
export type ForeignEvent = {
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

export const storedRunEventSchema = z.object({
  seq: z.int().check(z.minimum(1)),
  at: z.iso.datetime(),
  event: anyEventSchema,
});

/** The event as one of ours, or null when a newer service wrote it. */
export function asRunEvent(event: { readonly type: unknown }): RunEvent | null {
  const parsed = runEventSchema.safeParse(event);
  return parsed.success ? parsed.data : null;
}
