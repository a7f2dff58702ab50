import { describe, expect, it } from "vitest";
import { InputError } from "../../src/action/input-error.ts";
import { IdentityError } from "../../src/ci/provider.ts";
import { ApiError, ConnectionError, DecodeError, EventGapError } from "../../src/client/errors.ts";
import { parkReasons, type Run } from "../../src/contract/runs/run.ts";
import { PromptFileError } from "../../src/github/trigger/prompt-file.ts";
import { commandWords } from "../../src/job/command-words.ts";
import { concludeOutcome, type Outcome } from "../../src/job/conclusion.ts";
import { faultOf } from "../../src/job/fault.ts";
import { actionWords } from "../../src/job/job-words.ts";
import { resumingOfRun } from "../../src/job/resume-advice.ts";
import type { Surroundings } from "../../src/job/run-verdict.ts";
import type { PassedLimit } from "../../src/job/watch-run.ts";
import { failsStep, type Verdict } from "../../src/report/conclusion.ts";
import { cancelledRun, completedRun, runningRun } from "../client/run-fixtures.ts";

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

const surroundings: Surroundings = {
  words: actionWords,
  isEmbedded: false,
  modelAdvice: null,
  claimUrl: null,
  claimObstacle: null,
  resuming: resumingOfRun("run-1"),
};

function conclude(outcome: Outcome, more: Partial<Surroundings> = {}): Verdict {
  return concludeOutcome(outcome, { ...surroundings, ...more });
}

describe("a parked run", () => {
  const parkedFor = (reason: string, more: { readonly next_try_at?: string } = {}): Outcome =>
    ended({
      ...runningRun,
      parked: {
        reason,
        since: "2026-01-15T10:00:00.000Z",
        until: "2026-01-29T10:00:00.000Z",
        how_to_continue: "Go on.",
        ...more,
      },
    });
  const endedFor = (reason: string): Outcome => ended({ ...completedRun, stop_reason: reason } as Run);
  const thread: Surroundings["resuming"] = {
    threadPhrase: "/agent",
    runId: "run-1",
    pageUrl: "https://service.example.com/runs/run-1",
    maxCostUsd: 2,
    maxTurnTokens: 70_000,
  };
  const rest = "until 2026-01-29, and it goes on with what it has done.";

  it.each([...parkReasons, "of_a_newer_service"])("concludes as one that ended for %s", (reason) => {
    const { message: _, ...parked } = conclude(parkedFor(reason));
    const { message: __, ...endedVerdict } = conclude(endedFor(reason));
    expect(parked).toEqual(endedVerdict);
  });

  it.each([
    [
      "question",
      'Reply with "/agent <your answer>"',
      "agent-service runs resume run-1 --message '<your answer>'",
    ],
    ["max_cost", 'Reply with "/agent continue max-cost 4"', "agent-service runs resume run-1 --max-cost 4"],
    [
      "max_tokens",
      'Reply with "/agent continue max-turn-tokens 140000"',
      "agent-service runs resume run-1 --max-turn-tokens 140000",
    ],
    ["max_turns", 'Reply with "/agent continue"', "agent-service runs resume run-1"],
    ["time_limit", 'Reply with "/agent continue"', "agent-service runs resume run-1"],
    ["credits", 'Reply with "/agent continue"', "agent-service runs resume run-1"],
    ["day_cap", 'Reply with "/agent continue"', "agent-service runs resume run-1"],
    ["provider_unavailable", 'Reply with "/agent continue"', "agent-service runs resume run-1"],
    ["of_a_newer_service", 'Reply with "/agent continue"', "agent-service runs resume run-1"],
  ])("says how it goes on after %s, in its thread and elsewhere", (reason, reply, command) => {
    expect(conclude(parkedFor(reason), { resuming: thread }).message).toMatch(
      new RegExp(`\\. ${escaped(reply)} ${escaped(rest)}$`),
    );
    const elsewhere = conclude(parkedFor(reason), { resuming: { ...thread, threadPhrase: null } });
    expect(elsewhere.message).toContain(`Execute "${command}" or continue it on its page ${rest}`);
  });

  it("says when it goes on by itself, and what publishes its result then", () => {
    const waits = parkedFor("day_cap", { next_try_at: "2026-01-16T00:00:00.000Z" });
    expect(conclude(waits, { resuming: thread }).message).toContain(
      `. It goes on by itself from 2026-01-16 00:00 UTC on: run this job again after that to publish its result. Reply with "/agent continue" ${rest}`,
    );
  });

  it("names no number where the limit is not known", () => {
    const unknown = { ...thread, maxCostUsd: null, pageUrl: null };
    expect(conclude(parkedFor("max_cost"), { resuming: unknown }).message).toContain(
      '"/agent continue max-cost N"',
    );
  });
});

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
}

describe("concludeOutcome", () => {
  const cases: readonly [string, Outcome, { conclusion: string; reason: string }][] = [
    ["a completed run", ended(completedRun), { conclusion: "success", reason: "completed" }],
    ["a failed run", ended(failedRun), { conclusion: "failure", reason: "backend_error" }],
    ["a cancelled run", ended(cancelledRun), { conclusion: "cancelled", reason: "user_stop" }],
    [
      "a run past the time limit",
      ended(cancelledRun, "time"),
      { conclusion: "incomplete", reason: "timeout" },
    ],
    [
      "a run that completed at the time limit",
      ended(completedRun, "time"),
      { conclusion: "success", reason: "completed" },
    ],
    [
      "a run that was silent",
      ended(cancelledRun, "silence"),
      { conclusion: "incomplete", reason: "idle_timeout" },
    ],
    [
      "a silent run that does not stop",
      { type: "stopping", passed: "silence" },
      { conclusion: "incomplete", reason: "idle_timeout" },
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
      { conclusion: "incomplete", reason: "timeout" },
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
    expect(conclude(outcome)).toMatchObject(expected);
  });

  it("says what to set when the audience is wrong", () => {
    const verdict = conclude(
      error(exchange("audience_mismatch", { expected: "agents.example.com", got: "x" })),
    );
    expect(verdict.message).toBe(
      'The ID token was made for another audience, got "x". Set "audience: agents.example.com" on this step. (request r-1)',
    );
  });

  it("says what the service said of any other refusal", () => {
    expect(conclude(error(refusal(404, "not_found"))).message).toBe(
      "The service refused (not_found): said the service (request r-1)",
    );
  });

  it("names the setting of an older service as its face has it", () => {
    const fields = [{ field: "max_cost_usd", allowed: "no such field", reason: "unknown_field" }];
    const older = error(refusal(400, "invalid_request", { fields }));
    expect(conclude(older)).toMatchObject({
      conclusion: "failure",
      reason: "invalid_request",
      message:
        'The service is older than this version of the Action: it does not know "max_cost_usd". Leave out the input "max-cost", or let its operator update it. (request r-1)',
    });
    expect(conclude(older, { words: commandWords(null) }).message).toContain("Leave out --max-cost, or");
  });

  it("gives a private repository and ended credits their own reason, and the claim URL", () => {
    const url = "https://agents.example.com/claim/1";
    const spent = refusal(402, "insufficient_credits", { reason: "credits_ended", claimUrl: url });
    expect(conclude(error(spent))).toMatchObject({
      conclusion: "quota",
      reason: "credits_ended",
      claimUrl: url,
    });
    const hidden = refusal(402, "insufficient_credits", { reason: "repository_private", claimUrl: url });
    expect(conclude(error(hidden))).toMatchObject({ reason: "repository_private", claimUrl: url });
  });

  it.each([
    ["max_tokens", /Raise "max-turn-tokens"/],
    ["max_turns", /MAX_TURNS/],
    ["repeated_calls", /other words/],
    ["empty_answer", /without an answer/],
    ["length", /MODEL_MAX_OUTPUT_TOKENS/],
    ["content_filter", /other words/],
    ["credits", /Add credits to its account/],
    ["a_later_reason", /before it was done \(a_later_reason\)/],
  ])("calls a run that stopped by %s incomplete, and says what to do", (stop_reason, message) => {
    expect(conclude(ended({ ...completedRun, stop_reason }))).toMatchObject({
      conclusion: "incomplete",
      reason: stop_reason,
      message: expect.stringMatching(message),
    });
  });

  it("calls a run at the service's time limit incomplete", () => {
    const cut: Run = { ...failedRun, cause: "time_limit", retryable: false };
    expect(conclude(ended(cut))).toMatchObject({ conclusion: "incomplete", reason: "time_limit" });
  });

  it.each([["The run ended after five lost workers in a row; what it had changed is kept."], [null]])(
    "calls a run that lost too many workers incomplete, and says whether its changes are kept: %s",
    (detail) => {
      const run: Run = { ...failedRun, cause: "stalled", stop_reason: "poison", retryable: false };
      expect(conclude({ type: "ended", run, passed: null, detail })).toMatchObject({
        conclusion: "incomplete",
        reason: "poison",
        message: detail ?? "The run ended after five lost workers in a row. Tell the service's operator.",
      });
    },
  );

  it("calls a run that ended with a question a success of its own kind, and says how to answer", () => {
    expect(conclude(ended({ ...completedRun, stop_reason: "question" }))).toMatchObject({
      conclusion: "success",
      reason: "question",
      message: expect.stringContaining("Answer it where you asked"),
    });
  });

  it("names the setting in the words of who can change it", () => {
    const cut = ended({ ...completedRun, stop_reason: "max_turns" });
    expect(conclude(cut).message).toContain("The service's operator can raise it (MAX_TURNS)");
    expect(conclude(cut, { modelAdvice: "Set MODEL." }).message).toContain(
      "Raise it by the environment variable MAX_TURNS",
    );
  });

  it.each([
    ["of now", { ...failedRun, cause: "spawn_failed", retryable: false }],
    ["of an older service", completedRun],
  ] as const)(
    "calls a run without a first answer, %s, a quota, with the claim or why there is none",
    (_, run) => {
      const claimUrl = "https://agents.example.com/claim/1";
      const poor = ended({ ...run, stop_reason: "insufficient_credits" });
      expect(conclude(poor, { claimUrl })).toMatchObject({
        conclusion: "quota",
        reason: "credits_ended",
        claimUrl,
        message: expect.stringMatching(/nothing is charged\. Claim this repository's agent/),
      });
      expect(conclude(poor, { claimObstacle: "Nobody can claim it." }).message).toMatch(
        /nothing is charged\. Nobody can claim it\.$/,
      );
    },
  );

  it("speaks of the command and its flags outside a job", () => {
    const words = commandWords(null);
    const local = { words, isEmbedded: true, modelAdvice: "Set MODEL." };
    const said = [
      ended(failedRun),
      ended(cancelledRun, "time"),
      ended(cancelledRun, "silence"),
      ended({ ...completedRun, stop_reason: "max_tokens" }),
      { type: "stopping", passed: null } as const,
      { type: "interrupted", submitting: true } as const,
      { type: "interrupted", submitting: false } as const,
      error(refusal(503, "service_unavailable")),
      error(new ConnectionError("No answer.")),
    ].map((outcome) => conclude(outcome, local).message);
    expect(said).toEqual([
      "The run failed (backend_error): the model left. Run the command again.",
      "The run did not end within --timeout-minutes. It was cancelled. Raise the limit or ask for less.",
      "The run was silent for --idle-minutes. It was cancelled. Raise the limit, or look at what its last event waits for.",
      "The run reached its limit of tokens. Raise --max-turn-tokens, or ask for less in one run.",
      "The command was interrupted. The run was asked to stop.",
      "The command was interrupted while the run was being submitted.",
      "The command was interrupted before a run was started.",
      "The service is unavailable: it answered 503 (request r-1). Run the command again.",
      "The service is unavailable: No answer. Run the command again.",
    ]);
  });

  it("skips a run without a model, and says how to configure one", () => {
    const briefed = ended({ ...completedRun, stop_reason: "no_model" });
    expect(conclude(briefed)).toMatchObject({ conclusion: "skipped", reason: "no_model" });
    expect(conclude(briefed).message).toContain("MODEL and MODEL_BASE_URL");
    expect(conclude(briefed, { modelAdvice: "Give the step a model." }).message).toMatch(
      /Give the step a model\.$/,
    );
  });

  it("repeats a failed run's message, and says that a retry may help", () => {
    expect(conclude(ended(failedRun)).message).toBe(
      "The run failed (backend_error): the model left. Re-run the job.",
    );
  });
});

describe("failsStep", () => {
  it("follows fail-on, except for wrong inputs", () => {
    const quota = conclude(error(refusal(402, "insufficient_credits")));
    expect(failsStep(quota, new Set(["quota"]))).toBe(true);
    expect(failsStep(quota, new Set(["failure"]))).toBe(false);
    expect(failsStep(conclude(error(new InputError(["x"]))), new Set())).toBe(true);
  });
});

function detached(): Outcome {
  return { type: "detached", runUrl: "https://x", interrupted: true };
}

function error(cause: unknown): Outcome {
  return { type: "fault", fault: faultOf(cause) };
}

function exchange(reason: string, more: { expected?: string; got?: string } = {}): ApiError {
  return refusal(401, "invalid_grant", { reason, ...more });
}
