// A run that ends with a question: what the job's readers see, and that the next request of the thread answers it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACTIONS_BOT } from "../../fakes/code-host/comments.ts";
import type { Message } from "../../src/contract/runs/run-requests.ts";
import type { Backend } from "../../src/service/executor/backend.ts";
import type { ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say } from "../support/scripted-backend.ts";

const QUESTION = { question: "Which parser?", choices: ["The old one", "The new one"] };

describe("a question", () => {
  let fixture: ScenarioFixture;
  const histories: (readonly Message[])[] = [];
  beforeAll(async () => {
    const backend: Backend = {
      name: "scripted",
      needsCheckout: false,
      run: async (task) => {
        histories.push(await task.history(10_000));
        if (histories.length > 1) {
          await say(task, "Done with the new one.");
          return { stopReason: "end_turn" };
        }
        expect(task.mayAsk).toBe(true);
        await say(task, "Which parser?\n\n1. The old one\n2. The new one");
        await task.emit({ type: "CUSTOM", name: "question", value: QUESTION });
        return { stopReason: "question" };
      },
    };
    fixture = await startFixture({ level: "scenario", backend });
  });
  afterAll(async () => await fixture.close());

  const request = async (text: string) => {
    const job = await fixture.job({ event: "issue_comment", isIssue: true, comment: text });
    const step = await fixture.main(job, { inputs: {} });
    const comments = fixture.codeHost.rest.commentsOf(7).filter(({ user }) => user === ACTIONS_BOT);
    const reactions = fixture.codeHost.rest.comments.reactionsTo("/issues/comments/3000001");
    return { step, comment: comments.at(-1)?.body ?? "", reactions };
  };

  it("is the heading of summary and comment, no success to the reaction, and no failure of the step", async () => {
    const { step, comment, reactions } = await request("/agent rewrite the parser");
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: "success", reason: "question" },
    });
    for (const text of [step.summary, comment]) {
      expect(text).toContain("❓ The agent has a question");
      expect(text).toContain("Which parser?");
      expect(text).toContain("The new one");
    }
    expect(reactions).toEqual(["confused"]);
  });

  it("is answered by the next request of the thread", async () => {
    fixture.codeHost.rest.comments.clearReactions();
    const { step, comment, reactions } = await request("/agent the new one");
    expect(step.outputs).toMatchObject({ conclusion: "success", reason: "completed" });
    expect(histories[1]?.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(histories[1]?.at(-1)?.content).toContain("Which parser?");
    expect(comment).toContain("Done with the new one.");
    expect(reactions).toEqual(["hooray"]);
  });
});
