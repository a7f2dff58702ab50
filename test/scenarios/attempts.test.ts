// Several attempts from end to end: the built Action in a process of its own, the real service, scripted models, the code host. One attempt
// passes the repository's checks, one says so and does not, one hangs.

import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { ACTIONS_BOT } from "../../fakes/code-host/comments.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { type Step, say, wait } from "../../fakes/model-server/turn.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { defaultRates } from "../../src/service/settings/default-rates.ts";
import { lies, passes, racedFiles } from "../support/attempts/raced-repository.ts";
import { replyOf, type ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";

const KEY = "sk-the-models-key-0123456789";
const MODELS = ["model-a", "model-b", "model-c"] as const;
const stories: Readonly<Record<string, readonly Step[]>> = {
  "model-a": lies("liar"),
  "model-b": passes("winner"),
  "model-c": [[say("I begin"), wait(new Promise(() => {}))]],
};

describe("best-of", () => {
  let fixture: ScenarioFixture;
  let model: ModelServer;
  afterEach(async () => {
    await expectSoundLedger(fixture.place);
    await fixture.close();
    await model.close();
  });

  const open = async () => {
    model = await startModelServer({
      script: ({ model: id }) => {
        const turns = stories[id];
        return turns === undefined ? undefined : byTurn(turns)();
      },
      apiKey: KEY,
    });
    const read = readConfig(
      {},
      {
        PATH: process.env.PATH,
        BACKEND: "model",
        SANDBOX: "off",
        MODEL: "scripted-model",
        MODEL_PROVIDER: "openai",
        MODEL_BASE_URL: model.baseUrl,
        MODEL_API_KEY: KEY,
      },
    );
    if (!read.ok) throw new Error(read.refusal.join("\n"));
    const { backend, model: modelConfig, sandbox } = read.value;
    const rate = (id: string) => ({
      id,
      inNanoUsdPerToken: 1_000,
      outNanoUsdPerToken: 5_000,
      isFreeTierEligible: true,
    });
    const rates = { ...defaultRates, models: [rate("scripted-model"), ...MODELS.map(rate)] as const };
    fixture = await startFixture({
      level: "scenario",
      config: { backend, model: modelConfig, sandbox, rates },
    });
    fixture.repository.commit({ files: racedFiles, subject: "Add a check" });
  };

  it("takes the attempt that passes, and shows all of them in the comment and the summary", async () => {
    await open();
    const job = await fixture.job({ event: "issue_comment", isIssue: true, comment: "/agent make a 2" });
    const step = await fixture.main(job, {
      inputs: {
        changes: "patch",
        "best-of": "3",
        "best-of-models": MODELS.join(", "),
        "max-cost": "0.50",
        // The attempts have 70 % of 54 seconds.
        "timeout-minutes": "1",
      },
    });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", checks: "passed" } });
    expect(await replyOf(step)).toBe("The reply of winner.");
    expect(await readFile(step.outputs["patch-file"] ?? "", "utf8")).toContain("// winner");
    const comments = fixture.codeHost.rest.commentsOf(7).filter(({ user }) => user === ACTIONS_BOT);
    for (const text of [comments.at(-1)?.body ?? "", step.summary]) {
      expect(text).toContain("| Attempt | Model | Checks | Cost | Time | Result |");
      expect(text).toMatch(
        /\| 1 \| model-a \| failed: sh test\.sh, exit code 1 \|.*says that its checks pass/,
      );
      expect(text).toMatch(
        /\| 2 \| model-b \| passed \(1\) \| \$0\.\d+ \| .*chosen: the only one left ✅ \|/,
      );
      expect(text).toMatch(/\| 3 \| model-c \| not executed \|.*cancelled: it took too long/);
      expect(text).not.toContain("The reply of liar");
    }
    expect(step.log).toContain("3 of 3 attempts have begun");
    const runs = await fixture.runs();
    expect(runs.map(({ status }) => status).toSorted()).toEqual([
      "cancelled",
      "completed",
      "completed",
      "completed",
    ]);
  });

  it("is refused without a service, and the message says what is needed", async () => {
    await open();
    const job = await fixture.job();
    const step = await fixture.main(job, {
      inputs: { prompt: "Do it.", "base-url": "embedded", "best-of": "2" },
    });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "invalid_input" } });
    expect(step.annotations[0]?.message).toContain(
      'Input "best-of" needs a service, which gives each attempt a copy of the files',
    );
  });
});
