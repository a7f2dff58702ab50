// Jobs without a server: the service runs inside the step, on the job's own checkout, and ends with it.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allThatIsSeen, EmbeddedFixture, PERSISTED_TOKEN } from "../support/fixtures/embedded-fixture.ts";

const files = {
  "README.md": "# Octo repo\n\nGreets whoever asks.\n",
  "package.json": JSON.stringify({ name: "octo-repo", scripts: { test: "vitest run" } }),
};

let fixture: EmbeddedFixture;
beforeAll(async () => {
  fixture = await EmbeddedFixture.open(files);
});
afterAll(() => fixture.close());

describe("a job without a server and without a model", () => {
  it("is briefed on its checkout, needs no permission, and is told how to set a model", async () => {
    const job = await fixture.job();
    fixture.checkOut(job);
    const step = await fixture.main(job);
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: {
        conclusion: "skipped",
        reason: "no_model",
        "run-url": "",
        "run-api-url": "",
        "claim-url": "",
        credits: "",
        "changed-files": "[]",
      },
    });
    expect(step.outputs["run-id"]).not.toBe("");
    expect(step.outputs.reply).toContain("Briefing of `octo-org/octo-repo`");
    expect(step.outputs.reply).toContain("octo-repo");
    expect(step.annotations).toMatchObject([{ level: "notice", title: "No model configured" }]);
    expect(step.annotations[0]?.message).toMatch(
      /^No model is configured, .*model-provider: anthropic.*secrets\.ANTHROPIC_API_KEY/,
    );
    expect(step.summary).toMatch(/^## ⏭️ No model configured\n\nNo model is configured/);
    expect(step.summary).toContain("**Time**");
    const seen = await allThatIsSeen(step);
    expect(seen).not.toMatch(
      /credits remaining|Claim this agent|\*\*Credits\*\*|127\.0\.0\.1|ExperimentalWarning/i,
    );
    expect(seen).not.toContain(PERSISTED_TOKEN);
    expect(seen).not.toMatch(/svc_ci_|job_[\w-]{20}/);
    expect(step.state).not.toHaveProperty("capability");
    expect(await fixture.leftOvers(job)).toEqual([]);

    const post = await fixture.post(job, step);
    expect(post).toMatchObject({ exitCode: 0, log: "", annotations: [] });
  });

  it("runs on a fork's pull request too", async () => {
    const job = await fixture.job({ event: "pull_request", pullRequest: { origin: "fork" } });
    fixture.checkOut(job);
    const step = await fixture.main(job);
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "skipped", reason: "no_model" } });
  });

  it("is told to check the repository out", async () => {
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "checkout_missing" },
    });
    expect(step.annotations.at(-1)).toMatchObject({
      level: "error",
      message: 'This job has no checkout to work on. Add "uses: actions/checkout@v7" before this step.',
    });
  });

  it("takes no notice of variables that the job has for something else", async () => {
    const job = await fixture.job();
    fixture.checkOut(job);
    const env = {
      DATABASE_URL: "mysql://nobody",
      PORT: "no",
      BACKEND: "x",
      MODEL: "theirs",
      CI_ISSUERS: "[",
    };
    expect(await fixture.main(job, { env })).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "skipped", reason: "no_model" },
    });
  });

  it("leaves the checkout as it found it, what was changed before included", async () => {
    const job = await fixture.job();
    const root = fixture.checkOut(job);
    await writeFile(join(root, "README.md"), "# Changed by an earlier step\n");
    await mkdir(join(root, "dist"));
    await writeFile(join(root, "dist/built.js"), "built\n");
    const step = await fixture.main(job);
    expect(step).toMatchObject({ exitCode: 0, outputs: { "changed-files": "[]" } });
    await rm(join(root, "dist/built.js"));
  });

  it("names a setting of the sandbox that is wrong", async () => {
    const job = await fixture.job();
    fixture.checkOut(job);
    const step = await fixture.main(job, { env: { SANDBOX: "maybe" } });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "invalid_settings" } });
    expect(step.annotations.at(-1)?.message).toContain(
      "SANDBOX must be one of auto, bubblewrap, container, kubernetes, off",
    );
    expect(await fixture.leftOvers(job)).toEqual([]);
  });
});

describe("inputs without a server", () => {
  it("refuse what only a service can do that outlives the job", async () => {
    const inputs = {
      wait: "false",
      "on-cancel": "detach",
      session: "s",
      "model-base-url": "https://m.example",
    };
    const step = await fixture.main(await fixture.job(), { inputs });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "invalid_input" } });
    const message = step.annotations[0]?.message ?? "";
    expect(message.split("\n")).toEqual([
      'Input "model" must be the name of a model, like "claude-sonnet-5", got nothing.',
      'Input "wait: false" needs a service that outlives the job: name one in "base-url", or leave it out.',
      'Input "on-cancel: detach" needs a service that outlives the job: name one in "base-url", or leave it out.',
      'Input "session" needs a service that outlives the job: name one in "base-url", or leave it out.',
    ]);
  });

  it("never repeat a key that is wrong", async () => {
    const inputs = {
      model: "m",
      "model-base-url": "https://m.example",
      "model-api-key": "sk secret-of-mine",
    };
    const step = await fixture.main(await fixture.job(), { inputs });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "invalid_input" } });
    expect(await allThatIsSeen(step)).not.toContain("secret-of-mine");
    expect(step.masks).toContain("sk secret-of-mine");
  });
});
