// What a job's models cost, as the summary and the comment say it: by known prices, with caches, by model where a fallback went on.

import { afterEach, describe, expect, it } from "vitest";
import { ACTIONS_BOT } from "../../fakes/code-host/comments.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { everyTime, type Script } from "../../fakes/model-server/script.ts";
import { sumProject } from "../../fakes/model-server/stories.ts";
import { answer, call, fault, say } from "../../fakes/model-server/turn.ts";
import { EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";

const KEY = "sk-the-models-key-0123456789";
/** Of which 3,000 are fresh. */
const usage = { input: 10_000, cacheRead: 5_000, cacheWrite: 2_000, output: 8_000 };

describe("the costs of a job with a model and without a server", () => {
  let fixture: EmbeddedFixture;
  let model: ModelServer;
  afterEach(async () => {
    await fixture.close();
    await model.close();
  });

  const play = async (script: Script, inputs: Record<string, string>) => {
    fixture = await EmbeddedFixture.open(sumProject);
    model = await startModelServer({ script, apiKey: KEY });
    const job = await fixture.job({ event: "issue_comment", isIssue: true, comment: "/agent explain it" });
    fixture.checkOut(job);
    const step = await fixture.main(job, {
      inputs: {
        model: "claude-sonnet-5",
        "model-provider": "anthropic",
        "model-base-url": model.baseUrl,
        "model-api-key": KEY,
        ...inputs,
      },
    });
    const [comment] = fixture.codeHost.rest.commentsOf(7).filter(({ user }) => user === ACTIONS_BOT);
    return { step, comment: comment?.body ?? "" };
  };

  it("are those of fresh, cached and written input and of output, beside their limit", async () => {
    const { step, comment } = await play(
      everyTime(() => answer([say("It sums.")], { usage })),
      { "max-cost": "2", effort: "high" },
    );
    expect(step.outputs).toMatchObject({ conclusion: "success", tokens: "18000" });
    // 3,000 at $2, 5,000 at $0.20, 2,000 at $2.50 and 8,000 at $10 a million.
    const costs = "**Tokens** 18,000 (50 % of the input from a cache) · **Cost** $0.09 of $2.00";
    for (const text of [step.summary, comment]) {
      expect(text).toContain(costs);
      expect(text).not.toContain("**Models**");
    }
    expect(model.requests[0]?.body).toMatchObject({ output_config: { effort: "high" } });
  });

  it("are those that the job names, of a model whose price nobody publishes", async () => {
    const inputs = { model: "acme-large-1", "model-price": "2 / 0.2 / 10" };
    const { step, comment } = await play(
      everyTime(() => answer([say("It sums.")], { usage })),
      { ...inputs, "max-cost": "2" },
    );
    expect(step.outputs).toMatchObject({ conclusion: "success" });
    // 3,000 fresh and 2,000 written at $2, 5,000 at $0.20 and 8,000 at $10 a million.
    expect(comment).toContain("**Cost** $0.09 of $2.00");
  });

  it("hold a model to a limit by the price that the job names", async () => {
    const inputs = { model: "acme-large-1", "model-price": "2 / 0.2 / 10", "max-cost": "0.10" };
    const read = ({ toolResults }: { toolResults: readonly unknown[] }) =>
      call("list_files", { limit: toolResults.length + 1 });
    const { step } = await play(
      everyTime((request) => answer([read(request)], { usage: { input: 10_000, output: 200 } })),
      inputs,
    );
    expect(step.outputs).toMatchObject({ conclusion: "incomplete", reason: "max_cost" });
    expect(model.requests.length).toBeLessThan(6);
  });

  it("are not known without it: such a limit is refused, and the advice names the input", async () => {
    const { step } = await play(
      everyTime(() => say("It sums.")),
      { model: "acme-large-1", "max-cost": "0.20" },
    );
    expect(step.outputs).toMatchObject({ conclusion: "failure" });
    expect(JSON.stringify(step)).toContain("in a job without a server by model-price");
    expect(model.requests).toHaveLength(0);
  });

  it("are told by model where another one went on", async () => {
    const { step, comment } = await play(
      everyTime(({ model: asked, assistantTurns }) => {
        if (asked === "claude-haiku-4-5") return answer([say("It sums.")], { usage });
        return assistantTurns === 0
          ? answer([call("list_files")], { usage })
          : fault({ status: 404, message: "Retired." });
      }),
      { "fallback-model": "claude-haiku-4-5" },
    );
    expect(step.outputs).toMatchObject({ conclusion: "success", tokens: "36000" });
    const costs =
      "**Cost** $0.14 · **Models** <code>claude-sonnet-5</code> 18,000 for $0.09, <code>claude-haiku-4-5</code> 18,000 for $0.05";
    for (const text of [step.summary, comment]) expect(text).toContain(costs);
  });
});
