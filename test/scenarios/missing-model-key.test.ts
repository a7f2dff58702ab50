// Jobs without a server whose model needs a key that they do not have: told so before anything is sent, and skipped where GitHub
// gives no secrets.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import { EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";

describe("a job without a server and without the key of its model", () => {
  let fixture: EmbeddedFixture;
  beforeAll(async () => {
    fixture = await EmbeddedFixture.open({ "a.txt": "one\n" });
  });
  afterAll(async () => await fixture.close());

  const play = async (inputs: Readonly<Record<string, string>>, options: JobOptions = {}) => {
    const job = await fixture.job(options);
    fixture.checkOut(job);
    const step = await fixture.main(job, { inputs: { prompt: "Do it.", "model-api-key": "", ...inputs } });
    expect(await fixture.leftOvers(job)).toEqual([]);
    expect(step.outputs["run-id"]).toBe("");
    return step;
  };

  it.each<Record<string, string>>([
    { model: "claude-sonnet-5", "model-provider": "anthropic" },
    { model: "claude-sonnet-5", "model-base-url": "https://api.anthropic.com/v1" },
    { model: "gemini-3-flash", "model-provider": "google" },
    { model: "some/model", "model-provider": "openrouter" },
    { model: "claude-sonnet-5", agent: "claude" },
  ])("fails at once, naming the input and why it may be empty: %o", async (inputs) => {
    const step = await play(inputs);
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "invalid_settings" },
    });
    expect(step.annotations).toEqual([
      {
        level: "error",
        title: "The step failed",
        message: expect.stringMatching(
          /^Input "model-api-key" is empty, and the model's API takes no request without a key\. The secret .* is not set/,
        ),
      },
    ]);
    expect(step.log).not.toContain("Trying again");
  });

  it.each([
    ["fork_pull_request", "fork"],
    ["dependabot", "dependabot"],
  ] as const)("is skipped with a notice as %s, which gets no secrets", async (reason, origin) => {
    for (const address of ["https://api.openai.com/v1", "https://models.example.com/v1"]) {
      const inputs = { model: "some-model", "model-base-url": address };
      const step = await play(inputs, { event: "pull_request", pullRequest: { origin } });
      expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "skipped", reason } });
      expect(step.annotations).toEqual([
        {
          level: "notice",
          title: "Skipped: no agent ran",
          message: expect.stringMatching(/^Nothing ran: .*get no secrets.*"model-api-key" is empty/),
        },
      ]);
    }
  });
});
