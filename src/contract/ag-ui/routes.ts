// The AG-UI endpoint of an agent: its routes, their examples, and their schemas by the names that the document gives them. Pure.
// Why: docs/decisions/165-ag-ui-is-an-endpoint.md

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { field, object, strictObject } from "../field.ts";
import { text, wholeNumber } from "../fields.ts";
import { submittedHeaders } from "../headers.ts";
import { accounts, defineRoute, foreignBody, nounRoutes, query } from "../route.ts";
import { AGENT_ID, APPROVAL_ID } from "../story.ts";
import {
  agUiContextSchema,
  agUiMessageSchema,
  agUiToolSchema,
  resumeEntrySchema,
  runAgentInputSchema,
} from "./run-agent-input.ts";

/** The version of the protocol that is spoken. */
export const AG_UI_VERSION = "1.0";
export const EVENT_STREAM_TYPE = "text/event-stream";

const yes = (what: string) => field(z.literal(true), what);
const no = (what: string) => field(z.literal(false), what);

export const agentCapabilitiesSchema = object({
  identity: field(
    object({
      name: field(z.string(), "The agent's name."),
      provider: field(z.literal("agent-service"), "Who offers it."),
      metadata: field(
        object({ agent_id: field(z.uuid(), "The agent's id.") }),
        "What AG-UI has no field for.",
      ),
    }),
    "Who the agent is.",
  ),
  transport: field(
    object({
      streaming: yes("Events come as server-sent events."),
      httpBinary: no("There is no binary form."),
      resumable: yes("A stream that was cut off is read on from any event."),
    }),
    "How it is reached.",
  ),
  tools: field(
    object({
      supported: yes("It has tools of its own."),
      clientProvided: no("It is not offered tools of its client."),
    }),
    "Which tools it has.",
  ),
  state: field(
    object({
      snapshots: yes("A stream has STATE_SNAPSHOT before its end: `run`, as `GET …/runs/{runID}` has it."),
      deltas: no("There is no STATE_DELTA."),
      persistentState: yes("A thread goes on with its conversation and its files."),
    }),
    "What it says of its state.",
  ),
  reasoning: field(
    object({ supported: yes("Thoughts are shown as far as the model's maker shows them.") }),
    "What it shows of its thoughts.",
  ),
  multimodal: field(
    object({ input: field(object({ image: yes("Images are read, as data.") }), "What it reads.") }),
    "What it reads beside text.",
  ),
  execution: field(object({ codeExecution: yes("It executes commands.") }), "What it executes."),
  humanInTheLoop: field(
    object({
      supported: yes("It asks people."),
      approvals: yes("Writes by MCP servers wait for an owner or an admin."),
      interrupts: yes("Questions and approvals are interrupts."),
    }),
    "What it asks people.",
  ),
});
/** What an agent can do, in the words of AG-UI. */
export type AgentCapabilities = z.infer<typeof agentCapabilitiesSchema>;

export const followAgUiQuerySchema = strictObject({
  after: field(
    wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }),
    "The `id` of the last event that was read. A header Last-Event-ID wins over it.",
  ),
  thread_id: field(z.optional(text(200)), "The `threadId` that the events have. Left out: the session's id."),
  protocol_version: field(
    z.optional(text(20)),
    "As `protocolVersion` of the request that started it: `1.0` for a client that knows the outcome `cancelled`.",
  ),
});

export const agUiComponents: Components = {
  RunAgentInput: component(runAgentInputSchema, "What an AG-UI client posts."),
  AgUiMessage: component(agUiMessageSchema, "A message as its client sends it."),
  AgUiTool: component(agUiToolSchema, "A tool of the page."),
  AgUiContext: component(agUiContextSchema, "A text that the page adds."),
  ResumeEntry: component(resumeEntrySchema, "The answer to an interrupt."),
  AgentCapabilities: component(agentCapabilitiesSchema, "What an agent can do, in the words of AG-UI."),
};

/** As of a submission: six megabytes of images in base 64, and the words. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

const streamed = {
  description:
    "The events, as they happen: `data:` has one AG-UI event, `id:` its number. A comment every 15 seconds.",
  headers: [...submittedHeaders, "X-Svc-Idempotent-Replay", "X-Accel-Buffering"],
  type: EVENT_STREAM_TYPE,
} as const;

/** A proxy that compresses would hold events back. */
const CACHE_CONTROL = "no-cache, no-transform";

export const agUiRoutes = nounRoutes("agUi", "AG-UI", {
  run: defineRoute("POST /v1/agents/{agentID}/ag-ui", {
    callers: accounts,
    role: "member",
    repeat: "safe",
    answer: "bytes",
    scopes: ["runs:write"],
    summary: "Run an agent for an AG-UI client, and stream its events",
    description:
      "Takes AG-UI's RunAgentInput. `threadId` names a session of the agent, `runId` makes the request one: a second one with it within 24 hours is answered with the events of the first, from its start. The run may be parked: a question, or a limit that was reached, ends the stream with the outcome `interrupt`, and `resume` of the next request goes on. So does a write that waits for an approval, where the credential may approve it. When the connection closes, the run goes on, unless `forwardedProps.on_disconnect` is `cancel`.",
    body: foreignBody(runAgentInputSchema, MAX_BODY_BYTES),
    cacheControl: CACHE_CONTROL,
    answers: { 200: streamed },
    refusals: [402, 409, 410, 422],
  }),
  capabilities: defineRoute("GET /v1/agents/{agentID}/ag-ui", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: agentCapabilitiesSchema,
    scopes: ["runs:read"],
    summary: "Read what an agent can do, in the words of AG-UI",
    answers: { 200: "Its capabilities. What is not in them is not said." },
  }),
  follow: defineRoute("GET /v1/agents/{agentID}/ag-ui/{runID}", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: "bytes",
    scopes: ["runs:read"],
    summary: "Stream the events of a run to an AG-UI client, from any event on",
    description:
      "`runID` is the client's own id of the run, within 24 hours of its request, or the service's. Close the stream at RUN_FINISHED or RUN_ERROR: an EventSource opens it again otherwise.",
    query: query(followAgUiQuerySchema),
    headers: ["Last-Event-ID"],
    cacheControl: CACHE_CONTROL,
    answers: { 200: streamed },
    refusals: [410],
  }),
});

export const agUiExamples: ExamplesOf<typeof agUiRoutes> = {
  run: {
    body: {
      agUiRun: {
        summary: "A message",
        value: {
          protocolVersion: AG_UI_VERSION,
          threadId: "thread-1",
          runId: "run-1",
          messages: [{ role: "user", content: "Is the fix covered by a test?" }],
        },
      },
      agUiResume: {
        summary: "An approval is given",
        value: {
          protocolVersion: AG_UI_VERSION,
          threadId: "thread-1",
          runId: "run-2",
          messages: [],
          resume: [{ interruptId: APPROVAL_ID, status: "resolved", payload: { approved: true } }],
        },
      },
    },
  },
  capabilities: {
    answers: {
      200: {
        agUiCapabilities: {
          summary: "What an agent can do",
          value: capabilitiesOf({ id: AGENT_ID, name: "helper" }),
        },
      },
    },
  },
  follow: {},
};

/** The capabilities of an agent: all have the same. */
export function capabilitiesOf({
  id,
  name,
}: {
  readonly id: string;
  readonly name: string;
}): AgentCapabilities {
  return {
    identity: { name, provider: "agent-service", metadata: { agent_id: id } },
    transport: { streaming: true, httpBinary: false, resumable: true },
    tools: { supported: true, clientProvided: false },
    state: { snapshots: true, deltas: false, persistentState: true },
    reasoning: { supported: true },
    multimodal: { input: { image: true } },
    execution: { codeExecution: true },
    humanInTheLoop: { supported: true, approvals: true, interrupts: true },
  };
}
