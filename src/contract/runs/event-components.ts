// What the fields of a run's events mean. Pure.

import { type Components, component } from "../component.ts";
import { fileChangeSchema, heldBackFileSchema, runEventSchema, storedRunEventSchema } from "./run-event.ts";

export const runEventComponents: Components = {
  RunEvent: component(runEventSchema, "An event that this service writes: AG-UI 1.0.", {
    type: "What happened.",
    threadId: "The run's session.",
    runId: "The run.",
    outcome: ["How the run ended.", { type: "`success` or `cancelled`." }],
    message: "Why the run failed, for people.",
    code: "The run's cause.",
    stepName: "The step.",
    messageId: "The message that the event belongs to.",
    role: "Who says it.",
    delta: "The next part of the text, or of the arguments as JSON.",
    toolCallId: "The tool call.",
    toolCallName: "The tool.",
    content: "What the tool gave.",
    name: "Which event of this service's own it is.",
    value: [
      "What the event says; for `output` the reply as data.",
      {
        base_sha: "The commit that the changes are against.",
        files: "The files that were changed.",
        patch: "The changes as a git patch, binary files included.",
        held_back: "Files that the patch leaves out.",
        unreadable: "Why the changes cannot be read. There are no files then.",
        credits_remaining: "What is left of the billing account's credits.",
        withheld: "What the run asked for of the network and does not have.",
        allowed: [
          "The hosts that the run has reached.",
          {
            host: "Its name, with the port where it is not 443.",
            connections: "Connections to it.",
            bytes: "Bytes sent and received.",
          },
        ],
        blocked: [
          "The hosts that the run asked for and did not reach.",
          {
            host: "Its name, with the port where it is not 443.",
            times: "How often.",
            reason: "Why it was blocked the last time.",
          },
        ],
        text: "What the service says of the run's work, in one line, for people.",
        steps: [
          "The agent's plan, whole each time.",
          { text: "What the step does.", status: "How far it is: `pending`, `in_progress` or `completed`." },
        ],
        question: "What the run ended with instead of a guess. The next message of the session answers it.",
        choices: "Answers to choose from; any other is one, too.",
        server: "The MCP server by which the run would have written.",
        tool: "The tool that was called first.",
        approve_url: "Where the agent's owner allows it; null where it has none.",
        claim_url: "Where an account claims the repository's agent; null where credits are left.",
        model_billing:
          "Who paid for the model's tokens, where it is not the service: `repository`, by the access that the job brought.",
      },
    ],
  }),
  StoredRunEvent: component(storedRunEventSchema, "An event with its place in the run.", {
    seq: "Its number: 1, 2, 3 … without a gap.",
    at: "When it was stored.",
    event: "The event.",
  }),
  FileChange: component(fileChangeSchema, "A file that was changed.", {
    path: "Its path in the repository.",
    status: "How it was changed.",
    additions: "Lines added.",
    deletions: "Lines removed.",
  }),
  HeldBackFile: component(heldBackFileSchema, "A file that was changed and is not in the patch.", {
    path: "Its path in the repository.",
    reason: "Why it was left out.",
  }),
};
