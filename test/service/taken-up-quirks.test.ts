// What a run has learned of its model by refusals is known to the worker that takes it up: nothing is refused twice.

import { describe, expect, it } from "vitest";
import { maxTokensRenamed, type Refusing, unsupportedParameter } from "../../fakes/model-server/refusals.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { fault } from "../../fakes/model-server/turn.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectFewRequests, expectNothingKept } from "../support/durable/expect-played.ts";
import type { Story } from "../support/durable/played-story.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import { sqliteStore } from "../support/stores/stores.ts";

const WINDOW = 20_000;
const LOST_TURN = 2;
const WAIT_SECONDS = 20;

/** In vLLM's words. */
const windowPassed: Refusing = (request: ModelRequest) => {
  const input = Math.ceil(JSON.stringify(request.body).length / 4);
  const output = request.maxOutputTokens ?? 0;
  const message = `This model's maximum context length is ${WINDOW} tokens. However, you requested ${input + output} tokens (${input} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`;
  return input + output > WINDOW ? fault({ status: 400, message }) : null;
};

describe("a run on SQLite whose process is killed while its model's API has it wait", () => {
  it("waits for the rest of that time", async () => {
    const service = await DurableService.start({ store: sqliteStore });
    try {
      const story: Story = { name: "alpha", run: "waits", turns: 2, noteEvery: 0 };
      const refused: number[] = [];
      let until: number | null = null;
      service.model.refuses(({ toolResults }) => {
        if (toolResults.length === 0) return null;
        until ??= Date.now() + 1_000 * WAIT_SECONDS;
        const left = until - Date.now();
        if (left <= 0) return null;
        refused.push(left);
        return fault({ status: 429, retryAfter: WAIT_SECONDS, message: "Slow down." });
      });
      const runId = await service.submit(story);
      await service.job.readUntil(
        runId,
        ({ event }) =>
          event.type === "CUSTOM" && event.name === "notice" && event.value.text.startsWith("Waits"),
      );
      await service.node().process.kill();
      await service.startAgain();
      expect((await expectCompleted(service, runId)).resumed).toHaveLength(1);
      expectFewRequests(service, { story, lost: 0 });
      expect(refused).toHaveLength(1);
      await expectNothingKept(service);
    } finally {
      await service.close();
    }
  });
});

onEveryStore((store) => {
  describe("a run whose worker is lost", () => {
    it("sends nothing again that its model's API has refused before", async () => {
      const isOne = store === sqliteStore;
      const nodes = { roles: ["api", "worker", "worker"] as const };
      const service = await DurableService.start({ store, ...(isOne ? {} : nodes) });
      try {
        const refused: string[] = [];
        const noted =
          (what: string, refuse: Refusing): Refusing =>
          (request) => {
            const turn = refuse(request);
            if (turn !== null) refused.push(what);
            return turn;
          };
        const rules = [
          noted("max_tokens", maxTokensRenamed),
          noted("stream_options", unsupportedParameter("stream_options")),
          noted("window", windowPassed),
        ];
        service.model.refuses((request) => {
          for (const rule of rules) {
            const turn = rule(request);
            if (turn !== null) return turn;
          }
          return null;
        });
        const story: Story = { name: "alpha", run: "refused", turns: 3, noteEvery: 0 };
        const hold = service.model.hold(story, { turn: LOST_TURN, place: "unanswered" });
        const runId = await service.submit(story);
        await hold.reached;
        expect(refused.toSorted()).toEqual(["max_tokens", "stream_options", "window"]);
        const lost = service.nodeWith(service.model.askedOf(story).at(-1)?.apiKey ?? null);
        await lost.process.kill();
        hold.release();
        if (isOne) await service.startAgain(lost);
        const played = await expectCompleted(service, runId);
        expect(played.resumed).toHaveLength(1);
        expectFewRequests(service, { story, lost: 1 });
        expect(refused).toHaveLength(rules.length);
        await expectNothingKept(service);
      } finally {
        await service.close();
      }
    });
  });
});
