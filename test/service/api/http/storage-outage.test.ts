// A bucket that cannot be used, as clients and operators of the API meet it.

import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient } from "../../../../src/client/client.ts";
import { makeTestKey } from "../../../support/account-key.ts";
import { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { openS3Gate, type S3Gate } from "../../../support/s3-gate.ts";
import { startS3Server } from "../../../support/s3-server.ts";
import { sqliteStore } from "../../../support/stores/stores.ts";

const LARGE = Buffer.alloc(100_000, "x");
let gate: S3Gate;
let fixture: ServiceFixture;
let key: string;

beforeAll(async () => {
  gate = await openS3Gate(await startS3Server());
  const place = await sqliteStore.make();
  ({ secret: key } = await makeTestKey(place, { owner: { plan: "subscribed" } }));
  fixture = await ServiceFixture.start({
    store: { ...sqliteStore, make: async () => place },
    config: { blobs: { store: "s3", s3: gate.config } },
  });
});
afterAll(async () => {
  await fixture.close();
  await gate.stop();
});

/** Moves the time on for as long as `work` takes. */
async function passing<Value>(work: Promise<Value>): Promise<Value> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  while (!isDone) await fixture.clock.pass(1_000);
  return await done;
}

it("is named to clients, in /readyz and in the metrics, until it answers again", async () => {
  const retry = { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 };
  const client = createClient({ baseUrl: fixture.url, credential: () => key, retry });
  const { id: workspaceId } = await client.workspaces.create({ body: {} });
  const upload = (path: string) => client.files.upload({ workspaceId, query: { path }, body: LARGE });
  const metrics = async () => await (await fetch(`${fixture.metricsUrl}/metrics`)).text();
  await upload("before.txt");
  expect((await fixture.call("/readyz")).body).toMatchObject({ status: "ok", storage: "ok" });

  gate.judge(() => 503);
  for (let calls = 1; calls <= 3; calls += 1) {
    await expect(passing(upload(`${calls}.txt`))).rejects.toMatchObject({
      status: 503,
      code: "storage_unavailable",
    });
  }
  const path = `/v1/workspaces/${workspaceId}/files/download?path=before.txt`;
  const refused = await passing(fixture.call(path, { bearer: key }));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(refused.body).toMatchObject({ code: "storage_unavailable" });
  const ready = await fixture.call("/readyz");
  expect([ready.status, ready.body]).toMatchObject([200, { status: "ok", storage: "unavailable" }]);
  expect(await metrics()).toMatch(/^agent_service_storage_failures [34]$/m);
  // What is in the store is served all the same.
  await client.files.write({ workspaceId, body: { path: "small.txt", content: "small" } });

  gate.judge(() => "pass");
  fixture.clock.advance(5_000);
  await upload("after.txt");
  expect((await fixture.call("/readyz")).body).toMatchObject({ status: "ok", storage: "ok" });
});

it.each([
  [403, 503, "storage_unavailable"],
  [404, 500, "contents_lost"],
])("answers no 200 for contents that the bucket answers %i for", async (said, status, code) => {
  const retry = { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 };
  const client = createClient({ baseUrl: fixture.url, credential: () => key, retry });
  const { id: workspaceId } = await client.workspaces.create({ body: {} });
  const query = { path: "large.txt" };
  await client.files.upload({ workspaceId, query, body: Buffer.alloc(100_000, String(said)) });
  gate.judge(({ method }) => (method === "GET" ? said : "pass"));
  const path = `/v1/workspaces/${workspaceId}/files/download?path=large.txt`;
  const refused = await passing(fixture.call(path, { bearer: key }));
  gate.judge(() => "pass");
  fixture.clock.advance(5_000);
  expect([refused.status, refused.body]).toEqual([status, expect.objectContaining({ code })]);
});

it("does not make an error of a client that gave up", async () => {
  const client = createClient({ baseUrl: fixture.url, credential: () => key });
  const { id: workspaceId } = await client.workspaces.create({ body: {} });
  gate.judge(({ method }) => (method === "PUT" ? "hang" : "pass"));
  const before = gate.seen.length;
  const leave = new AbortController();
  const { signal } = leave;
  const query = { path: "large.txt" };
  const uploading = client.files.upload({ workspaceId, query, body: LARGE, signal });
  uploading.catch(() => {});
  await expect.poll(() => gate.seen.length).toBeGreaterThan(before);
  leave.abort(new Error("enough"));
  await expect(uploading).rejects.toThrow("enough");
  await expect.poll(() => fixture.logText()).toContain('"status":499');
  const errors = fixture
    .logText()
    .split("\n")
    .filter((line) => line.includes('"level":50'));
  expect(errors.filter((line) => line.includes(workspaceId) || line.includes("Abort"))).toEqual([]);
});
