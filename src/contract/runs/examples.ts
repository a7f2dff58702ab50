// Examples of runs, and of the events of one. Pure.

import type { ExamplesOf } from "../examples.ts";
import { AGENT_ID, RUN_ID, settled, THREAD_ID } from "../story.ts";
import type { runRoutes } from "./routes.ts";
import type { RunEvent } from "./run-event.ts";

const identity = { id: RUN_ID, agent_id: AGENT_ID, thread_id: THREAD_ID, origin: "user" as const };
const MESSAGE_ID = "0198d2c4-6a01-7d10-8b3e-2f4a6c8e0b12";

export const completedRun = {
  status: "completed" as const,
  ...identity,
  ...settled,
  started_at: "2026-03-09T10:00:01.000Z",
  last_heartbeat_at: "2026-03-09T10:00:41.000Z",
  ended_at: "2026-03-09T10:00:42.000Z",
  stop_reason: "end_turn",
  checks: "passed" as const,
  about: {
    request: "Find out why the parser drops the last line, and fix it.",
    actor: "octocat",
    event: "issue_comment",
    repository: "octo-org/hello-world",
    repository_url: "https://github.com/octo-org/hello-world",
    ref: "refs/heads/main",
    commit: "6dcb09b5b57875f334f61aebed695e2e4193db5e",
    commit_url: "https://github.com/octo-org/hello-world/commit/6dcb09b5b57875f334f61aebed695e2e4193db5e",
    subject: {
      type: "issue" as const,
      number: 128,
      url: "https://github.com/octo-org/hello-world/issues/128",
    },
  },
};

const laterEvents: RunEvent[] = [
  { type: "TEXT_MESSAGE_START", messageId: MESSAGE_ID, role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: MESSAGE_ID, delta: "The parser drops the last line. Fixed." },
  { type: "TEXT_MESSAGE_END", messageId: MESSAGE_ID },
  {
    type: "CUSTOM",
    name: "repository.changes",
    value: {
      base_sha: "6dcb09b5b57875f334f61aebed695e2e4193db5e",
      files: [{ path: "src/parse.ts", status: "modified", additions: 1, deletions: 1 }],
      patch:
        "diff --git a/src/parse.ts b/src/parse.ts\n--- a/src/parse.ts\n+++ b/src/parse.ts\n@@ -7 +7 @@\n-for (let at = 0; at < lines.length - 1; at += 1) {\n+for (let at = 0; at < lines.length; at += 1) {\n",
    },
  },
  { type: "CUSTOM", name: "quota", value: { credits_remaining: 47, claim_url: null } },
  { type: "RUN_FINISHED", threadId: THREAD_ID, runId: RUN_ID, outcome: { type: "success" } },
];

export const firstEvent = {
  seq: 1,
  at: "2026-03-09T10:00:01.000Z",
  event: { type: "RUN_STARTED" as const, threadId: THREAD_ID, runId: RUN_ID },
};

export const storedEvents = [
  firstEvent,
  ...laterEvents.map((event, index) => ({
    seq: index + 2,
    at: `2026-03-09T10:00:${36 + index}.000Z`,
    event,
  })),
];

export const runningRun = {
  status: "running" as const,
  ...identity,
  credits: null,
  tokens: null,
  started_at: "2026-03-09T10:00:01.000Z",
  last_heartbeat_at: "2026-03-09T10:00:31.000Z",
};

export const runExamples: ExamplesOf<typeof runRoutes> = {
  submit: {
    body: {
      submitMessage: {
        summary: "A message, in a new session",
        value: { message: "Find out why the parser drops the last line, and fix it." },
      },
      submitMessages: {
        summary: "Messages, in a session that is there",
        value: {
          messages: [
            { role: "system", content: "Answer in one sentence." },
            { role: "user", content: "Is the fix covered by a test?" },
          ],
          session_id: THREAD_ID,
          max_turn_tokens: 200_000,
          max_cost_usd: 2.5,
        },
      },
      submitKeyed: {
        summary: "A message, in the session of an issue",
        value: { message: "And for files that end without a line end?", session_key: "thread-128" },
      },
      submitModelAccess: {
        summary: "A job brings the access of its repository's own account to a model",
        value: {
          message: "Find out why the parser drops the last line, and fix it.",
          model_access: {
            provider: "anthropic",
            model: "claude-sonnet-4-5",
            access_token: "sk-ant-oat01-...",
            expires_at: "2026-03-09T10:45:00.000Z",
          },
        },
      },
      submitPullRequest: {
        summary: "A job of a comment requests the head of the pull request",
        value: {
          message: "Does this cover the last line?",
          session_key: "thread-131",
          about: {
            request: "Does this cover the last line?",
            actor: "octocat",
            subject: { type: "pull_request", number: 131 },
          },
          delivers: true,
          pull_request: {
            number: 131,
            head_sha: "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
            base_ref: "main",
          },
        },
      },
    },
    answers: {
      202: { runSubmitted: { summary: "Queued", value: { run_id: RUN_ID, session_id: THREAD_ID } } },
    },
  },
  list: { answers: { 200: { runList: { summary: "One run", value: [completedRun] } } } },
  get: {
    answers: {
      200: {
        runCompleted: { summary: "It has ended well", value: completedRun },
        runQueued: {
          summary: "It waits",
          value: { status: "queued", ...identity, credits: null, tokens: null },
        },
        runParked: {
          summary: "It waits for an answer",
          value: {
            ...runningRun,
            parked: {
              reason: "question",
              since: "2026-03-09T10:05:00.000Z",
              until: "2026-03-23T10:05:00.000Z",
              how_to_continue: "Answer the question: the run goes on with what it has done.",
            },
          },
        },
        runFailed: {
          summary: "It has failed, and nothing is charged",
          value: {
            status: "failed",
            ...identity,
            credits: 0,
            tokens: 18_240,
            gross_micro_usd: 24_000,
            refunded_micro_usd: 24_000,
            refund_reason: "backend_error",
            started_at: "2026-03-09T10:00:01.000Z",
            last_heartbeat_at: "2026-03-09T10:00:41.000Z",
            ended_at: "2026-03-09T10:00:42.000Z",
            cause: "backend_error",
            retryable: true,
          },
        },
        runUnpaid: {
          summary: "The credits did not pay for a first call of the model",
          value: {
            status: "failed",
            ...identity,
            credits: 0,
            tokens: 0,
            started_at: "2026-03-09T10:00:01.000Z",
            last_heartbeat_at: "2026-03-09T10:00:02.000Z",
            ended_at: "2026-03-09T10:00:02.000Z",
            cause: "spawn_failed",
            retryable: false,
            stop_reason: "insufficient_credits",
          },
        },
      },
    },
  },
  resume: {
    body: {
      resumeWithAnswer: { summary: "An answer", value: { message: "The new one" } },
      resumeWithLimit: { summary: "A higher limit", value: { max_cost_usd: 5 } },
    },
    answers: {
      202: {
        runResumed: {
          summary: "It goes on",
          value: { run_id: RUN_ID, session_id: THREAD_ID, continued_after: 41 },
        },
      },
    },
  },
  fork: {
    body: {
      forkRun: { summary: "A turn again", value: { turn: 4 } },
      forkRunOtherwise: {
        summary: "A turn again, by another model that is told something",
        value: { turn: 4, model: "claude-opus-5", message: "Leave the old parser as it is." },
      },
    },
    answers: {
      202: { runForked: { summary: "Queued", value: { run_id: RUN_ID, session_id: THREAD_ID } } },
    },
  },
  cancel: {
    answers: {
      202: {
        runCancelling: { summary: "It was asked to end", value: { runId: RUN_ID, status: "cancelling" } },
      },
    },
  },
};
