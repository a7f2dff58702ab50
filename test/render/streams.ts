// Event streams that the renderers are tested with.

import type { ResumedEvent, RunEvent, StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import { RunReportFold } from "../../src/report/fold-run.ts";
import type { RunReport } from "../../src/report/run-report.ts";

const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Numbers the events and puts `stepMs` between each two. */
export function stored(events: readonly RunEvent[], stepMs = 250): StoredRunEvent[] {
  return events.map((event, index) => ({
    seq: index + 1,
    at: new Date(START_MS + index * stepMs).toISOString(),
    event,
  }));
}

export function reportOf(events: readonly StoredRunEvent[]): RunReport {
  const fold = new RunReportFold();
  for (const event of events) fold.add(event);
  return fold.report;
}

export const started: RunEvent = { type: "RUN_STARTED", threadId: "thread-1", runId: "run-1" };

export const succeeded: RunEvent = {
  type: "RUN_FINISHED",
  threadId: "thread-1",
  runId: "run-1",
  outcome: { type: "success" },
};

export const cancelled: RunEvent = { ...succeeded, outcome: { type: "cancelled" } };

export function failed(code: string, message: string): RunEvent {
  return { type: "RUN_ERROR", code, message };
}

export function message(id: string, ...deltas: string[]): RunEvent[] {
  return [
    { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
    ...deltas.map((delta): RunEvent => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta })),
    { type: "TEXT_MESSAGE_END", messageId: id },
  ];
}

/** A call up to the point where it runs. */
export function callStart(id: string, name: string, args: object): RunEvent[] {
  const json = JSON.stringify(args);
  const middle = Math.floor(json.length / 2);
  return [
    { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name },
    { type: "TOOL_CALL_ARGS", toolCallId: id, delta: json.slice(0, middle) },
    { type: "TOOL_CALL_ARGS", toolCallId: id, delta: json.slice(middle) },
    { type: "TOOL_CALL_END", toolCallId: id },
  ];
}

export function callResult(id: string, content: string): RunEvent {
  return { type: "TOOL_CALL_RESULT", messageId: `result-${id}`, toolCallId: id, content, role: "tool" };
}

export function call(id: string, name: string, options: { args: object; result: string }): RunEvent[] {
  return [...callStart(id, name, options.args), callResult(id, options.result)];
}

function step(name: string, events: readonly RunEvent[]): RunEvent[] {
  return [{ type: "STEP_STARTED", stepName: name }, ...events, { type: "STEP_FINISHED", stepName: name }];
}

/** A line of the service about the run's work. */
export function notice(text: string): RunEvent {
  return { type: "CUSTOM", name: "notice", value: { text } };
}

/** Another worker goes on with the run. */
export function resumed(
  turn: number,
  after: ResumedEvent["value"]["after"],
  ...unknownCalls: string[]
): RunEvent {
  return { type: "CUSTOM", name: "resumed", value: { turn, after, unknown_calls: unknownCalls } };
}

export function quota(creditsRemaining: number, claimUrl: string | null): RunEvent {
  return {
    type: "CUSTOM",
    name: "quota",
    value: { credits_remaining: creditsRemaining, claim_url: claimUrl },
  };
}

/** Of a run whose tokens the repository's own model account paid. */
export const quotaOfRepository: RunEvent = {
  type: "CUSTOM",
  name: "quota",
  value: { credits_remaining: 7, claim_url: null, model_billing: "repository" },
};

/** Its worker was lost in the middle of an answer and of two calls; the service closed what was open. Later a worker was stopped. */
export const takenUp = stored([
  started,
  { type: "STEP_STARTED", stepName: "Look around" },
  ...message("m1", "I look at the code.\n"),
  ...callStart("c1", "run_command", { command: "make deploy" }),
  ...callStart("c2", "read_file", { path: "a" }),
  ...message("m2", "The dep"),
  { type: "STEP_FINISHED", stepName: "Look around" },
  resumed(7, "lost_worker", "run_command"),
  ...message("m2", "The deployment is not known ", "to have ended.\n"),
  ...call("c3", "run_command", { args: { command: "make status" }, result: "up\n[exit code 0]" }),
  resumed(8, "handover"),
  ...message("m3", "It is deployed."),
  succeeded,
]);

const changes: RunEvent = {
  type: "CUSTOM",
  name: "repository.changes",
  value: {
    base_sha: "0123456789abcdef0123456789abcdef01234567",
    files: [
      { path: "src/greeting.ts", status: "modified", additions: 12, deletions: 3 },
      { path: "test/greeting_test.ts", status: "added", additions: 40, deletions: 0 },
      { path: "docs/old|name.md", status: "deleted", additions: 0, deletions: 7 },
    ],
    patch: "diff --git a/src/greeting.ts b/src/greeting.ts\n",
  },
};

const briefingReply = `# Briefing

The greeting ignored the locale. Fixed in \`src/greeting.ts\`, with a test.

1. Read the callers
2. Changed \`greet(name: string)\`:

   \`\`\`ts
   export const greet = (name: string) => \`Hello, \${name}\`;
   \`\`\`

| File | Why |
|---|---|
| \`a \\| b\` | a **table** |

See <https://example.com/guide> and [the issue](https://example.com/issues/7).
`;

export const briefing = stored([
  started,
  ...step("Look around", [
    ...message("m1", "I look at the ", "code first.\nThen I", " change it."),
    ...call("c1", "list_files", { args: { path: "." }, result: "src\ntest\nREADME.md\n" }),
    ...callStart("c2", "read_file", { path: "src/greeting.ts" }),
    ...callStart("c3", "search", { pattern: "greet\\(", limit: 20 }),
    callResult("c3", "src/main.ts:4: greet(user)\n"),
    callResult("c2", "export const greet = () => 'Hello';\n"),
  ]),
  ...step("Change", [
    ...call("c4", "write_file", {
      args: { path: "src/greeting.ts", content: "export const greet = …\n".repeat(40) },
      result: "",
    }),
    ...call("c5", "run", {
      args: { command: "npm test" },
      result: Array.from({ length: 230 }, (_, index) => `ok ${index + 1} - greets`).join("\n"),
    }),
  ]),
  ...message("m2", ...(briefingReply.match(/.{1,37}/gs) ?? [])),
  changes,
  quota(488, null),
  succeeded,
]);

export const failure = stored([
  started,
  ...call("c1", "run", { args: { command: "make" }, result: "make: *** No targets.  Stop." }),
  ...message("m1", "The build has no targets.\n"),
  failed("backend_error", "The model's server answered 529: overloaded."),
]);

export const cancellation = stored([
  started,
  { type: "STEP_STARTED", stepName: "Build" },
  ...message("m1", "Building now."),
  ...callStart("c1", "run", { command: "sleep 600" }),
  ...callStart("c2", "read_file", { path: "README.md" }),
  cancelled,
]);

export const quotaEnd = stored([
  started,
  ...message("m1", "I had time for one thought."),
  quota(0, "https://app.example.com/claim/abc_123"),
  failed("user_stop", "The free credits of this repository's owner are used up."),
]);

/** Nobody works on it: it waits for a higher limit. */
export const parked = stored([
  started,
  ...call("c1", "read_file", { args: { path: "src/main.ts" }, result: "main();\n" }),
  ...message("m1", "I have read the half of it.\n"),
  {
    type: "CUSTOM",
    name: "parked",
    value: {
      reason: "max_cost",
      since: "2026-01-15T10:00:00.000Z",
      until: "2026-01-29T10:00:00.000Z",
      how_to_continue: "Raise the run's limit of cost (max_cost_usd): it goes on with what it has done.",
    },
  },
]);

export const hostileText = [
  "::set-output name=sha::evil",
  "  ::add-mask::x",
  "::error file=a.js,line=1::fake",
  "##[error]fake and ##[group]deep",
  "::endgroup::",
  "EOF",
  "ghadelimiter_1234",
  "a ``` b ~~~ `<!--` `@code`",
  "\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u0000 back\rover \u009b31m",
  "bidi \u202Eevil\u202C \u2066x\u2069 \u200E\u200F\u061C zero\u200Bwidth\u2060\uFEFF",
  "tags \u{E0001}\u{E0048}\u{E0049}\u{E007F} vs\uFE0F\u{E0100} soft\u00AD \u2028\u2029 lone \uD800",
  "fine 👩‍💻 ❤️ 1️⃣",
  "</details><details open><summary>x</summary>",
  "<img src=https://evil.example/p.png> ![p](https://evil.example/p.png) ![](x)",
  "@everyone \\@org/team &#64;someone a_@b_ #123 GH-4",
  "| a | b | c",
  "[//]: # (hidden)",
  "[x]: https://evil.example 'hidden title'",
  "[^1]: hidden footnote",
  "# Big",
  "Under\n=====",
  "<!-- closed --> after <!--",
  "```html\n<!-- kept --> @kept\n```",
  "unterminated <script>alert(1)</script>",
  "~~~",
  ...Array.from({ length: 10 }, (_, index) => `${"`".repeat(index + 3)}js`),
].join("\n");

export const hostile = stored([
  started,
  ...call("c1", "x\n::error::title\u202E##[group]%0A", {
    args: { path: "a\r\n::set-output name=a::b", q: "\u001b[31m##[error]" },
    result: hostileText,
  }),
  { type: "STEP_STARTED", stepName: 'section: a;b#c,"d"\n%%{init}%% click x' },
  ...message("m1", hostileText.slice(0, 100), hostileText.slice(100)),
  failed("stalled", "::error::no\n##[error]progress @everyone"),
]);

export const streams = {
  briefing,
  failure,
  cancellation,
  "quota-end": quotaEnd,
  hostile,
  "taken-up": takenUp,
  parked,
};
