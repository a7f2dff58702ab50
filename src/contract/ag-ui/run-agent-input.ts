// The input of a run by AG-UI, as its clients send it: versions 0.0.59 and 1.0 (https://docs.ag-ui.com). Fields of newer versions
// are ignored, as the protocol wants it. Pure.
// Why: docs/decisions/165-ag-ui-is-an-endpoint.md

import * as z from "zod/mini";
import { field, object } from "../field.ts";
import { hasNoNul, isWellFormed, text } from "../fields.ts";
import { MAX_ANSWER_CHARS } from "../questions.ts";
import { MAX_PART_DATA_CHARS } from "../runs/run-requests.ts";

/** A session's key has 255 characters, with a prefix of ours. */
const MAX_ID_CHARS = 200;
/** Clients send the whole conversation each time. */
export const MAX_AG_UI_MESSAGES = 10_000;
const MAX_CONTEXT_ITEMS = 100;
const MAX_CONTEXT_NAME_CHARS = 1_000;
const MAX_CONTEXT_CHARS = 50_000;
const MAX_TOOLS = 1_000;
const MAX_ANSWERS = 100;
const MAX_INTERRUPT_ID_CHARS = 255;

/** What becomes of a run whose client goes away. */
const onDisconnect = ["detach", "cancel"] as const;
export type OnDisconnect = (typeof onDisconnect)[number];

export const agUiMessageSchema = object({
  role: field(text(50), "Who says it. Of all messages, the last one of `user` is read."),
  content: field(z.optional(z.unknown()), "What is said: text, or a list of parts."),
});
export type AgUiMessage = z.infer<typeof agUiMessageSchema>;

export const agUiContextSchema = object({
  description: field(z.string().check(z.maxLength(MAX_CONTEXT_NAME_CHARS)), "What it is."),
  value: field(z.string().check(z.maxLength(MAX_CONTEXT_CHARS)), "The text."),
});
export type AgUiContext = z.infer<typeof agUiContextSchema>;

export const agUiToolSchema = object({ name: field(z.string(), "Its name.") });

export const resumeEntrySchema = object({
  interruptId: field(text(MAX_INTERRUPT_ID_CHARS), "The `id` of the interrupt."),
  status: field(
    z.enum(["resolved", "cancelled"]),
    "`resolved`: `payload` answers it. `cancelled`: nobody does; a run that waits for the answer is cancelled, an approval stays pending.",
  ),
  payload: field(z.optional(z.unknown()), "The answer, of the form of the interrupt's `responseSchema`."),
});
export type ResumeEntry = z.infer<typeof resumeEntrySchema>;

const forwardedPropsSchema = object({
  on_disconnect: field(
    z.optional(z.enum(onDisconnect)),
    "What becomes of the run when this request's connection closes before its end. `detach`, the default: it goes on. `cancel`: it is cancelled.",
  ),
});

export const runAgentInputSchema = object({
  protocolVersion: field(
    z.optional(text(20)),
    "The version of AG-UI that the client speaks. Without it a cancelled run ends with RUN_ERROR: clients before 1.0 know no outcome `cancelled`.",
  ),
  threadId: field(
    text(MAX_ID_CHARS),
    "The conversation. Its first run begins a session, later ones continue it.",
  ),
  runId: field(
    text(MAX_ID_CHARS),
    "The client's id of the run. A second request with it within 24 hours starts nothing, and is answered with the events of the first.",
  ),
  parentRunId: field(z.optional(z.nullable(z.string().check(z.maxLength(MAX_ID_CHARS)))), "Not read."),
  messages: field(
    z.array(agUiMessageSchema).check(z.maxLength(MAX_AG_UI_MESSAGES)),
    "The conversation. The last message of `user` is what the agent is asked; the service has the earlier ones itself, and trusts nobody else's.",
  ),
  context: field(
    z.optional(z.nullable(z.array(agUiContextSchema).check(z.maxLength(MAX_CONTEXT_ITEMS)))),
    "Texts that are added to what the agent is asked: 100,000 characters at most together.",
  ),
  tools: field(
    z.optional(z.nullable(z.array(agUiToolSchema).check(z.maxLength(MAX_TOOLS)))),
    "Not read: the agent is not offered tools of its client.",
  ),
  state: field(z.optional(z.unknown()), "Not read."),
  forwardedProps: field(
    z.optional(z.nullable(forwardedPropsSchema)),
    "Settings of this service. Others are ignored.",
  ),
  resume: field(
    z.optional(z.nullable(z.array(resumeEntrySchema).check(z.maxLength(MAX_ANSWERS)))),
    "Answers to the interrupts that the thread's last run ended with.",
  ),
});
/** What an AG-UI client posts. */
export type RunAgentInput = z.infer<typeof runAgentInputSchema>;

const MAX_PROMPT_CHARS = 1_000_000;
const MAX_PARTS = 100;
const MAX_TYPE_CHARS = 100;
/** Of all context together. */
export const MAX_CONTEXT_TOTAL_CHARS = 100_000;

const plainText = z.string().check(z.maxLength(MAX_PROMPT_CHARS), hasNoNul, isWellFormed);

const partType = <Name extends string>(name: Name) => field(z.literal(name), "What it is.");

/** The content of the message that is read. Parts of other types are refused: they would be left out without a word. */
export const userContentSchema = z.union([
  plainText,
  z
    .array(
      z.union([
        object({ type: partType("text"), text: field(plainText, "The text.") }),
        object({
          type: partType("image"),
          source: field(
            object({
              type: partType("data"),
              value: field(z.string().check(z.maxLength(MAX_PART_DATA_CHARS)), "The image, in base 64."),
              mimeType: field(text(MAX_TYPE_CHARS), "Its media type."),
            }),
            "Where it is.",
          ),
        }),
      ]),
    )
    .check(z.maxLength(MAX_PARTS)),
]);

const answerText = text(MAX_ANSWER_CHARS);

/** The payload that answers a question. */
export const answerPayloadSchema = z.union([
  answerText,
  object({ answer: field(answerText, "The answer.") }),
]);

/** The payload that decides an approval. */
export const approvalPayloadSchema = z.union([
  z.boolean(),
  object({ approved: field(z.boolean(), "Whether it is approved.") }),
]);
