// Wrong inputs: all named at once, with what is allowed and what came, before anything is sent.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";

describe("wrong inputs", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario" });
  });
  afterAll(async () => await fixture.close());

  it("are named together, and nothing is sent", async () => {
    const inputs = {
      prompt: "Do this.",
      "prompt-file": "../prompt.md",
      "base-url": "agents.example.com",
      "max-turn-tokens": "-1",
      egress: "https://docs.example.com",
      "timeout-minutes": "2h",
      wait: "maybe",
      "on-cancel": "explode",
      "fail-on": "failure,sometimes",
      summary: "yes",
      account: "one\ntwo",
    };
    const job = await fixture.job();
    const mints = fixture.codeHost.requests.length;
    const step = await fixture.main(job, { inputs });
    expect(step).toMatchObject({ exitCode: 1, requests: [], summary: "", state: { phase: "concluded" } });
    expect(step.outputs).toMatchObject({ conclusion: "failure", reason: "invalid_input", "run-id": "" });
    expect(step.annotations).toHaveLength(1);
    expect(step.annotations[0]?.level).toBe("error");
    expect(step.annotations[0]?.message.split("\n")).toEqual([
      'Input "prompt-file" must be a path inside the repository, like ".github/prompts/review.md", got "../prompt.md".',
      'Input "max-turn-tokens" must be an integer from 0 to 5000000, got "-1".',
      'Input "egress" must be none, or a list of host names (*.example.com for all below, :port where it is not 443), registries and setup, got "https://docs.example.com".',
      'Input "base-url" must be "embedded", or the address of the service, like "https://agents.example.com", got "agents.example.com".',
      'Input "timeout-minutes" must be an integer from 1 to 360, got "2h".',
      'Input "wait" must be true or false, got "maybe".',
      'Input "on-cancel" must be cancel or detach, got "explode".',
      'Input "fail-on" must be "none" or a comma-separated list of failure, quota, incomplete, cancelled, skipped, detached, checks-failed, got "failure,sometimes".',
      'Input "summary" must be true or false, got "yes".',
      'Input "account" must be one line of at most 255 characters, got "one\\ntwo".',
      'Inputs "prompt" and "prompt-file" exclude each other: give one of them.',
    ]);
    expect(fixture.codeHost.requests).toHaveLength(mints);

    const post = await fixture.post(job, step, { inputs });
    expect(post).toMatchObject({ exitCode: 0, annotations: [], requests: [] });
  });

  it("are an empty base-url and a misspelled name: no service starts inside the job in their place", async () => {
    const job = await fixture.job();
    const inputs = { "base-url": "", prompt: "Do this." };
    const env = { INPUT_BASE_URL: "https://agents.example.com", INPUT_ENVIRONMENT: "production" };
    const step = await fixture.main(job, { inputs, env });
    expect(step).toMatchObject({
      exitCode: 1,
      requests: [],
      outputs: { reason: "invalid_input", "run-id": "" },
    });
    expect(step.annotations[0]?.message.split("\n")).toEqual([
      'Input "base_url" does not exist. Did you mean "base-url"?',
      expect.stringMatching(/^Input "base-url" is set and empty, as "\$\{\{ vars\.… \}\}" is/),
    ]);
  });

  it("fail the step whatever fail-on says", async () => {
    const step = await fixture.main(await fixture.job(), { inputs: { "fail-on": "none", wait: "maybe" } });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason: "invalid_input" } });
  });

  it.each(["../secrets.md", "/etc/passwd", "C:\\prompt.md", "a/../../b.md"])(
    "are refused as a prompt file: %s",
    async (path) => {
      const step = await fixture.main(await fixture.job(), { inputs: { "prompt-file": path } });
      expect(step).toMatchObject({ exitCode: 1, requests: [] });
      expect(step.annotations[0]?.message).toBe(
        `Input "prompt-file" must be a path inside the repository, like ".github/prompts/review.md", got ${JSON.stringify(path)}.`,
      );
    },
  );
});

describe("inputs without an effect", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({
      level: "scenario",
      backend: scriptedBackend((task) => say(task, "Done.")),
    });
  });
  afterAll(async () => await fixture.close());

  it("are warned of once for each reason, and the run goes on", async () => {
    const inputs = { prompt: "Do this.", model: "m-1", effort: "high", account: "nobody" };
    const step = await fixture.main(await fixture.job(), { inputs });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(step.annotations.map(({ level, message }) => [level, message])).toEqual([
      [
        "warning",
        '"model", "effort" have no effect with this "base-url": the service has models of its own.',
      ],
      [
        "warning",
        '"account" has no effect: this account has made no claim of this repository. It opens the claim link first, which "doctor" prints.',
      ],
    ]);
  });
});
