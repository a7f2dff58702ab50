import { describe, expect, it } from "vitest";
import { InputError } from "../../src/action/inputs.ts";
import { IdentityError } from "../../src/ci/provider.ts";
import { ApiError, ConnectionError, DecodeError, EventGapError } from "../../src/client/errors.ts";
import type { Run } from "../../src/contract/runs/run.ts";
import { PromptFileError } from "../../src/github/trigger/prompt-file.ts";
import { concludeOutcome, type Outcome } from "../../src/job/conclusion.ts";
import type { PassedLimit } from "../../src/job/watch-run.ts";
import { failsStep } from "../../src/report/conclusion.ts";
import { cancelledRun, completedRun } from "../client/run-fixtures.ts";

const failedRun: Run = {
  ...cancelledRun,
  status: "failed",
  cause: "backend_error",
  retryable: true,
};

function refusal(status: number, code: string, more: Partial<ApiError> = {}): ApiError {
  return new ApiError({ status, code, message: "said the service", requestId: "r-1", ...more });
}

function ended(run: Run, passed: PassedLimit = null): Outcome {
  return { type: "ended", run, passed, detail: "the model left" };
}

describe("concludeOutcome", () => {
  const cases: readonly [string, Outcome, { conclusion: string; reason: string }][] = [
    ["a completed run", ended(completedRun), { conclusion: "success", reason: "completed" }],
    ["a failed run", ended(failedRun), { conclusion: "failure", reason: "backend_error" }],
    ["a cancelled run", ended(cancelledRun), { conclusion: "cancelled", reason: "user_stop" }],
    ["a run past the time limit", ended(cancelledRun, "time"), { conclusion: "failure", reason: "timeout" }],
    [
      "a run that completed at the time limit",
      ended(completedRun, "time"),
      { conclusion: "success", reason: "completed" },
    ],
    [
      "a run that was silent",
      ended(cancelledRun, "silence"),
      { conclusion: "failure", reason: "idle_timeout" },
    ],
    [
      "a silent run that does not stop",
      { type: "stopping", passed: "silence" },
      { conclusion: "failure", reason: "idle_timeout" },
    ],
    [
      "runs that were to be cancelled",
      { type: "cancelled_runs", runIds: ["r-1"] },
      { conclusion: "success", reason: "run_cancelled" },
    ],
    [
      "no runs to cancel",
      { type: "cancelled_runs", runIds: [] },
      { conclusion: "success", reason: "nothing_to_cancel" },
    ],
    [
      "a question about the commands",
      { type: "answered", reason: "help", message: "Begin a line" },
      { conclusion: "skipped", reason: "help" },
    ],
    ["a run left alone", detached(), { conclusion: "detached", reason: "detached" }],
    [
      "a run asked to stop",
      { type: "stopping", passed: null },
      { conclusion: "cancelled", reason: "user_stop" },
    ],
    [
      "a run stuck past the limit",
      { type: "stopping", passed: "time" },
      { conclusion: "failure", reason: "timeout" },
    ],
    [
      "an early cancel",
      { type: "interrupted", submitting: false },
      { conclusion: "cancelled", reason: "user_stop" },
    ],
    ["wrong inputs", error(new InputError(["x"])), { conclusion: "failure", reason: "invalid_input" }],
    [
      "a missing prompt file",
      error(new PromptFileError("prompt_file_missing", "x")),
      { conclusion: "failure", reason: "prompt_file_missing" },
    ],
    [
      "a fork",
      error(new IdentityError("fork_pull_request", "x")),
      { conclusion: "skipped", reason: "fork_pull_request" },
    ],
    [
      "Dependabot",
      error(new IdentityError("dependabot", "x")),
      { conclusion: "skipped", reason: "dependabot" },
    ],
    [
      "no permission",
      error(new IdentityError("id_token_unavailable", "x")),
      { conclusion: "failure", reason: "id_token_unavailable" },
    ],
    ["a reset", error(new ConnectionError("x")), { conclusion: "failure", reason: "service_unavailable" }],
    ["a 503", error(refusal(503, "unavailable")), { conclusion: "failure", reason: "service_unavailable" }],
    [
      "an HTML page",
      error(new DecodeError({ message: "x", status: 404, contentType: "text/html" })),
      { conclusion: "failure", reason: "service_unavailable" },
    ],
    ["a lost event", error(new EventGapError("r", 1)), { conclusion: "failure", reason: "events_missing" }],
    ["a 404", error(refusal(404, "not_found")), { conclusion: "failure", reason: "not_found" }],
    [
      "full capacity",
      error(refusal(429, "capacity_reached")),
      { conclusion: "failure", reason: "capacity_reached" },
    ],
    [
      "a replayed token",
      error(exchange("token_replayed")),
      { conclusion: "failure", reason: "token_replayed" },
    ],
    ["a bug", error(new TypeError("x")), { conclusion: "failure", reason: "internal_error" }],
  ];
  it.each(cases)("%s", (_name, outcome, expected) => {
    expect(concludeOutcome(outcome)).toMatchObject(expected);
  });

  it("says what to set when the audience is wrong", () => {
    const verdict = concludeOutcome(
      error(exchange("audience_mismatch", { expected: "agents.example.com", got: "x" })),
    );
    expect(verdict.message).toBe(
      'The ID token was made for another audience, got "x". Set "audience: agents.example.com" on this step. (request r-1)',
    );
  });

  it("gives a private repository and ended credits their own reason, and the claim URL", () => {
    const url = "https://agents.example.com/claim/1";
    const spent = refusal(402, "insufficient_credits", { reason: "credits_ended", claimUrl: url });
    expect(concludeOutcome(error(spent))).toMatchObject({
      conclusion: "quota",
      reason: "credits_ended",
      claimUrl: url,
    });
    const hidden = refusal(402, "insufficient_credits", { reason: "repository_private", claimUrl: url });
    expect(concludeOutcome(error(hidden))).toMatchObject({ reason: "repository_private", claimUrl: url });
  });

  it("repeats a failed run's message, and says that a retry may help", () => {
    expect(concludeOutcome(ended(failedRun)).message).toBe(
      "The run failed (backend_error): the model left. Re-run the job to try again.",
    );
  });
});

describe("failsStep", () => {
  it("follows fail-on, except for wrong inputs", () => {
    const quota = concludeOutcome(error(refusal(402, "insufficient_credits")));
    expect(failsStep(quota, new Set(["quota"]))).toBe(true);
    expect(failsStep(quota, new Set(["failure"]))).toBe(false);
    expect(failsStep(concludeOutcome(error(new InputError(["x"]))), new Set())).toBe(true);
  });
});

function detached(): Outcome {
  return { type: "detached", runUrl: "https://x", interrupted: true };
}

function error(cause: unknown): Outcome {
  return { type: "error", error: cause };
}

function exchange(reason: string, more: { expected?: string; got?: string } = {}): ApiError {
  return refusal(401, "invalid_grant", { reason, ...more });
}
