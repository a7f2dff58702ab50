// Refusals of the AG-UI endpoint, and their problems. Pure.

import { invalidRequest, notFound, type ProblemTable, type RefusalOf } from "../ports/problem.ts";

export const agUiProblems = {
  ag_ui_message_missing: () =>
    invalidRequest(
      '"messages" has no message of the role "user" with text in it: the agent is asked nothing.',
    ),
  ag_ui_content_refused: () =>
    invalidRequest(
      'The last message of "user" must be text of at most 1,000,000 characters, or a list of parts of the types "text" and "image", an image with a source of the type "data". Leave other parts out.',
    ),
  ag_ui_context_too_long: ({ chars, allowed }: { chars: number; allowed: number }) =>
    invalidRequest(
      `"context" has ${chars} characters together, ${allowed} are allowed. Send what the agent needs for this message.`,
    ),
  ag_ui_run_in_flight: ({ clientRunId }: { clientRunId: string }) => ({
    status: 409,
    code: "idempotency_key_in_flight",
    message: `A request with runId "${clientRunId}" is still being answered. Send it again in a moment.`,
    retryAfterSeconds: 2,
  }),
  ag_ui_run_reused: ({ clientRunId }: { clientRunId: string }) => ({
    status: 422,
    code: "idempotency_key_reused",
    message: `runId "${clientRunId}" was used for another message or thread within 24 hours. Send a runId of its own for each run.`,
  }),
  interrupt_not_found: ({ interruptId }: { interruptId: string }) =>
    notFound(`There is no interrupt "${interruptId}" in this thread.`),
  interrupt_payload_refused: ({ interruptId, expected }: { interruptId: string; expected: string }) =>
    invalidRequest(`The payload for interrupt "${interruptId}" must be ${expected}.`),
  interrupt_left_open: ({ runId }: { runId: string }) =>
    invalidRequest(
      `Run ${runId} of this thread waits for an answer, too: "resume" must have an entry for each interrupt that the last run ended with.`,
    ),
  interrupts_of_runs: () =>
    invalidRequest(
      '"resume" has more than one entry about what a run waits for. A thread has one such run at a time.',
    ),
} satisfies ProblemTable;

export type AgUiRefusal = RefusalOf<typeof agUiProblems>;
