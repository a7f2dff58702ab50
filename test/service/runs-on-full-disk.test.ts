// The disk of the store is full while a run of the built-in model agent is at work: the service says so, and the run goes on once there
// is room, or with the next process.

import { randomBytes, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectNothingKept } from "../support/durable/expect-played.ts";
import { idealRequests, noteOf, type Story } from "../support/durable/played-story.ts";
import { call } from "../support/service-client.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { type StoreKind, sqlitePlaceIn } from "../support/stores/stores.ts";

const MEGABYTES = 48;
const TIMEOUT_MS = 300_000;
const TURNS = 4;
const NOTE_TURN = 4;

describe("a full disk under a run at work", { tags: ["small-disk", "long"], timeout: TIMEOUT_MS }, () => {
  let disk: SmallDisk;
  let service: DurableService;

  beforeEach(async () => {
    const mounted = SmallDisk.mount(MEGABYTES);
    if (mounted === null) throw new Error("No disk could be mounted.");
    disk = mounted;
    service = await DurableService.start({ store: storeOn(disk) });
  });

  afterEach(async () => {
    await service.close();
    disk.unmount();
  });

  /** Has a run at work with a full disk, and waits until the service says so. */
  const fillUnder = async (story: Story): Promise<string> => {
    const hold = service.model.hold(story, { turn: 2, place: "unanswered" });
    const runId = await service.submit(story);
    await hold.reached;
    disk.fill();
    hold.release();
    // The store goes on for as long as its log has room of its own: the run, which waits for room, writes nothing.
    const written = async () => {
      await writeToStore();
      return await readiness();
    };
    await expect.poll(written, { timeout: 60_000, interval: 250 }).toEqual([503, "storage_full"]);
    expect((await call(`${service.node().url}/healthz`)).status).toBe(200);
    return runId;
  };

  const writeToStore = async () => {
    const { url } = service.node();
    const json = { name: randomUUID(), config: { note: randomBytes(40_000).toString("base64") } };
    return await call(`${url}/v1/agents`, { method: "POST", bearer: service.owner.secret, json });
  };

  const readiness = async () => {
    const { status, body } = await call(`${service.node().url}/readyz`);
    return [status, (body as { status: string }).status];
  };

  const expectGoneOn = async (story: Story, { runId, patch }: { runId: string; patch: string }) => {
    const played = await expectCompleted(service, runId);
    expect(played.patch).toBe(patch);
    expect(played.resumed.length).toBeGreaterThan(0);
    expect(service.model.askedOf(story).length).toBeLessThanOrEqual(
      idealRequests(story) + played.resumed.length,
    );
    expect(service.notes.countOf(noteOf(story, NOTE_TURN))).toBe(1);
    await expectNothingKept(service);
    expect(await readiness()).toEqual([200, "ok"]);
  };

  const storyOf = (run: string): Story => ({ name: "alpha", run, turns: TURNS, noteEvery: NOTE_TURN });

  it("is said, and the run goes on once there is room", async () => {
    const { patch } = await expectCompleted(service, await service.submit(storyOf("calm")));
    const story = storyOf("full");
    const runId = await fillUnder(story);
    const refused = await service.job.submit({ message: "one more" });
    expect([refused.status, refused.body]).toMatchObject([503, { code: "storage_full" }]);
    expect((await service.job.run(runId)).status).toBe("running");
    disk.makeRoom();
    await expectGoneOn(story, { runId, patch });
    expect((await service.stop()).code).toBe(0);
    expect(await service.leftFiles()).toEqual([]);
  });

  it("is survived by the run when the process is killed and started again with room", async () => {
    const { patch } = await expectCompleted(service, await service.submit(storyOf("calm")));
    const story = storyOf("killed");
    const runId = await fillUnder(story);
    await service.node().process.kill();
    disk.makeRoom();
    await service.startAgain();
    await expectGoneOn(story, { runId, patch });
  });

  it("holds up no stop, and the run goes on with the next process", async () => {
    const { patch } = await expectCompleted(service, await service.submit(storyOf("calm")));
    const story = storyOf("stopped");
    const runId = await fillUnder(story);
    expect((await service.stop()).signal).toBeNull();
    disk.makeRoom();
    await service.startAgain();
    await expectGoneOn(story, { runId, patch });
  });
});

/** SQLite with its file on the disk, and the checkouts of runs beside it. */
function storeOn({ folder }: SmallDisk): StoreKind {
  const place = { ...sqlitePlaceIn(folder), remove: async () => {} };
  return { name: "SQLite", tags: [], make: async () => place };
}
