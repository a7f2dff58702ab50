// The disk of the store is full while the service works: it says so, loses nothing, and goes on once there is room.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../fakes/code-host/code-host.ts";
import { PostgresCluster, serverOwner } from "../../scripts/postgres-cluster.ts";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { type Answer, call } from "../support/service-client.ts";
import { CiJob } from "../support/service-job.ts";
import { expectValidStream } from "../support/service-streams.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { clusterPlace } from "../support/stores/cluster-place.ts";

const AUDIENCE = "full.example";
/** A store has pages to spare, so that not the first write finds none. */
const MAX_SUBMISSIONS = 2_000;

/** A service with its store on a disk that can be filled. */
type Place = { readonly disk: SmallDisk; readonly settings: Record<string, string>; remove(): Promise<void> };

const places = [
  { name: "SQLite", tags: [], make: sqliteOnSmallDisk },
  { name: "PostgreSQL", tags: ["postgres-programs"], make: postgresOnSmallDisk },
] as const;

for (const { name, tags, make } of places) {
  describe(`a full disk under ${name}`, { tags: ["small-disk", ...tags] }, () => {
    it("answers 503 storage_full, is not ready, and recovers by itself", async () => {
      const place = await make();
      const codeHost = await startCodeHost({ repositories: {} });
      const service = start(place, codeHost);
      const url = await service.ready();
      const job = await exchange(url, codeHost);
      const runs = [await submitted(await job.submit({ message: "before" }))];

      place.disk.fill();
      const refused = await submitUntilRefused(job, runs);
      expect(refused.body).toMatchObject({ code: "storage_full", error: expect.stringContaining("full") });
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      const unready = await call(`${url}/readyz`);
      expect([unready.status, unready.body]).toMatchObject([503, { status: "storage_full" }]);
      expect((await call(`${url}/healthz`)).status).toBe(200);

      place.disk.makeRoom();
      const ready = await call(`${url}/readyz`);
      expect([ready.status, ready.body]).toMatchObject([200, { status: "ok" }]);
      runs.push(await submitted(await job.submit({ message: "after" })));
      for (const runId of [runs[0], runs.at(-1)]) await expectValidStream(await job.follow(runId ?? ""));
      expect((await job.run(runs[0] ?? "")).status).toBe("completed");
      service.signal("SIGTERM");
      expect((await service.ended).code).toBe(0);
      expect(await readdir(join(place.settings.DATA_DIR ?? "", "checkouts"))).toEqual([]);
      await codeHost.close();
      await place.remove();
    });
  });
}

function start({ settings }: Place, codeHost: CodeHost): ServiceProcess {
  return new ServiceProcess(["serve"], {
    ...settings,
    PORT: "0",
    BACKEND: "noop",
    DRAIN_SECONDS: "1",
    MAX_QUEUED_RUNS: "10000",
    CI_AUDIENCE: AUDIENCE,
    CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
    CI_FREE_CREDITS: "1000000",
    RATE_PER_MINUTE: "1000000",
  });
}

async function exchange(url: string, codeHost: CodeHost): Promise<CiJob> {
  const token = codeHost.issuer.sign(codeHost.issuer.githubClaims({ aud: AUDIENCE }));
  const { body } = await call(`${url}/v1/ci/oidc/exchange`, {
    method: "POST",
    json: { subject_token: token },
  });
  const exchanged = exchangeResponseSchema.parse(body);
  return new CiJob({ fixture: { call: (path, options) => call(url + path, options) }, exchanged });
}

async function submitted(answer: Answer): Promise<string> {
  expect(answer.status).toBe(202);
  return submitRunResponseSchema.parse(answer.body).run_id;
}

/** Adds what is accepted to `runs`. Nothing but 202 and 503 is answered. */
async function submitUntilRefused(job: CiJob, runs: string[]): Promise<Answer> {
  for (let tries = 0; tries < MAX_SUBMISSIONS; tries += 1) {
    const answer = await job.submit({ message: "x".repeat(10_000) });
    if (answer.status === 503) return answer;
    runs.push(await submitted(answer));
  }
  throw new Error("The disk is not full.");
}

async function sqliteOnSmallDisk(): Promise<Place> {
  const disk = SmallDisk.mount(16);
  if (disk === null) throw new Error("No disk could be mounted.");
  return { disk, settings: { DATA_DIR: disk.folder }, remove: async () => disk.unmount() };
}

/** Its tables alone are there: without room for its log, PostgreSQL itself ends. */
async function postgresOnSmallDisk(): Promise<Place> {
  const disk = SmallDisk.mount(32, serverOwner() ?? undefined);
  if (disk === null) throw new Error("No disk could be mounted.");
  const cluster = await PostgresCluster.start();
  const { query } = clusterPlace(cluster);
  await query(`create tablespace small location '${disk.folder}'`);
  await query("alter system set default_tablespace = 'small'");
  await query("alter system set temp_tablespaces = 'small'");
  await cluster.restart("fast");
  const folder = await mkdtemp(join(tmpdir(), "agent-service-full-"));
  return {
    disk,
    settings: { DATA_DIR: folder, DATABASE_URL: cluster.url },
    remove: async () => {
      await cluster.close();
      disk.unmount();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
