// The service is killed while a run makes several attempts: the same attempts go on, none is begun twice, and one is chosen.

import { describe, expect, it } from "vitest";
import { ATTEMPTS_EVENT, type AttemptsEvent } from "../../src/contract/runs/attempts.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectNothingKept } from "../support/durable/expect-played.ts";
import { idealRequests, messageOf, type Story } from "../support/durable/played-story.ts";
import { postgresStore, sqliteStore } from "../support/stores/stores.ts";

const ATTEMPTS = 2;
const storyOf = (run: string): Story => ({ name: "alpha", run, turns: 2, noteEvery: 0 });

async function submit(service: DurableService, story: Story): Promise<string> {
  const answer = await service.job.submit({ message: messageOf(story), best_of: ATTEMPTS });
  if (answer.status !== 202) throw new Error(`The run was refused: ${answer.text}`);
  return submitRunResponseSchema.parse(answer.body).run_id;
}

/** The requests of the model that a kill may have lost are made again. */
async function expectRaced(
  service: DurableService,
  { story, runId, lost }: { story: Story; runId: string; lost: number },
): Promise<void> {
  const played = await expectCompleted(service, runId);
  expect(played.resumed.length).toBeGreaterThan(0);
  const table = played.events.flatMap((event) =>
    event.type === "CUSTOM" && event.name === ATTEMPTS_EVENT ? [event.value] : [],
  );
  const last: AttemptsEvent["value"] | undefined = table.at(-1);
  expect(last?.attempts.map(({ state, outcome }) => [state, outcome])).toEqual([
    ["completed", "same_changes"],
    ["completed", "not_chosen"],
  ]);
  const children = await service.place.query(`select id from runs where parent_run_id = '${runId}'`);
  expect(children.map(({ id }) => String(id)).toSorted()).toEqual(
    (last?.attempts ?? []).map(({ run_id }) => run_id).toSorted(),
  );
  const ideal = ATTEMPTS * idealRequests(story);
  expect(service.model.askedOf(story).length).toBeGreaterThanOrEqual(ideal);
  expect(service.model.askedOf(story).length).toBeLessThanOrEqual(ideal + lost);
  expect(played.patch).toContain("turn-2.txt");
  const [parent, ...attempts] = await Promise.all(
    [runId, ...children.map(({ id }) => String(id))].map((id) => service.job.run(id)),
  );
  const tokens = attempts.map((run) => ("budget" in run ? (run.budget?.counted_tokens ?? 0) : 0));
  expect(parent).toMatchObject({ budget: { counted_tokens: tokens.reduce((sum, one) => sum + one, 0) } });
  await expectNothingKept(service);
}

describe("a run with several attempts on SQLite whose process is killed", () => {
  it("goes on with the same attempts, while they work and while they are checked", async () => {
    const service = await DurableService.start({ store: sqliteStore });
    try {
      const working = storyOf("working");
      const hold = service.model.hold(working, { turn: 2, place: "unanswered" });
      const runId = await submit(service, working);
      await hold.reached;
      await service.node().process.kill();
      hold.release();
      await service.startAgain();
      await expectRaced(service, { story: working, runId, lost: ATTEMPTS });

      const checked = storyOf("checked");
      await service.killWithin(/ apply /);
      const later = await submit(service, checked);
      await service.killed(later);
      await service.startAgain();
      await expectRaced(service, { story: checked, runId: later, lost: ATTEMPTS });
    } finally {
      await service.close();
    }
  });
});

describe("a run with several attempts on PostgreSQL whose worker is lost", { tags: ["postgres"] }, () => {
  it("goes on with the same attempts on another worker", async () => {
    const service = await DurableService.start({
      store: postgresStore,
      roles: ["api", "worker", "worker"],
    });
    try {
      const story = storyOf("lost");
      const hold = service.model.hold(story, { turn: 1, place: "unanswered" });
      const runId = await submit(service, story);
      await hold.reached;
      const lost = service.nodeWith(service.model.askedOf(story)[0]?.apiKey ?? null);
      await lost.process.kill();
      hold.release();
      await expectRaced(service, { story, runId, lost: ATTEMPTS });
    } finally {
      await service.close();
    }
  });
});
