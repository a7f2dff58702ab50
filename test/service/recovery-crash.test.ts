// The service is killed at random moments under load, again and again: nothing that it acknowledged may be lost,
// nothing doubled, and the ledger stays exact. `npm run test:long` kills it a hundred times.

import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../fakes/code-host/code-host.ts";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { isTerminal } from "../../src/contract/runs/run.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { amount } from "../support/run/long.ts";
import { call } from "../support/service-client.ts";
import { CrashLoad } from "../support/service-crash-load.ts";
import { CiJob } from "../support/service-job.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";
import { expectValidStream } from "../support/service-streams.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import type { StorePlace } from "../support/stores/stores.ts";

const AUDIENCE = "crash.example";
const MAX_OBSERVATIONS = 300;

onEveryStore((kind) => {
  describe("kill -9", () => {
    // Each third round clones a repository.
    const rounds = amount({ short: 3, long: 100 });

    it(`loses, doubles and miscounts nothing in ${rounds} rounds`, {
      timeout: 30_000 + rounds * 10_000,
    }, async () => {
      const folder = await mkdtemp(join(tmpdir(), "agent-service-crash-"));
      const repository = new TestRepository(folder, "project.git");
      const sha = repository.commit({ files: { "README.md": "# Project\n", "index.js": "// TODO: more\n" } });
      const codeHost = await startCodeHost({ repositories: { "octo/project": repository.path } });
      const place = await kind.make();
      const load = new CrashLoad();

      for (let round = 1; round <= rounds; round += 1) {
        const backend = round % 3 === 0 ? "offline" : "noop";
        const service = startProcess({ codeHost, place, backend });
        const job = await exchange(await service.ready(), codeHost, sha);
        let observationsLeft = randomInt(1, MAX_OBSERVATIONS);
        await load.press(job, () => {
          observationsLeft -= 1;
          if (observationsLeft === 0) service.signal("SIGKILL");
        });
        expect((await service.ended).signal).toBe("SIGKILL");
      }

      const service = startProcess({ codeHost, place, backend: "noop" });
      const job = await exchange(await service.ready(), codeHost, sha);
      await load.settle(job);
      await expectNothingLost(job, load);
      await expectOneRunAKey(place, load);
      await expectSoundLedger(place);
      service.signal("SIGTERM");
      const { code, stdout } = await service.ended;
      expect(code).toBe(0);
      expect(stdout).not.toContain('"level":50');

      await codeHost.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    });
  });
});

function startProcess(options: { codeHost: CodeHost; place: StorePlace; backend: string }): ServiceProcess {
  const { codeHost, place, backend } = options;
  const { dataDir, databaseUrl } = place.settings;
  return new ServiceProcess(["serve"], {
    PORT: "0",
    DATA_DIR: dataDir,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    BACKEND: backend,
    STALLED_SECONDS: "2",
    CI_AUDIENCE: AUDIENCE,
    CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
    CI_FREE_CREDITS: "1000000",
    RATE_PER_MINUTE: "1000000",
  });
}

async function exchange(url: string, codeHost: CodeHost, sha: string): Promise<CiJob> {
  const claims = { aud: AUDIENCE, repository: "octo/project", sha };
  const answer = await call(`${url}/v1/ci/oidc/exchange`, {
    method: "POST",
    json: { subject_token: codeHost.issuer.sign(codeHost.issuer.githubClaims(claims)) },
  });
  const exchanged = exchangeResponseSchema.parse(answer.body);
  return new CiJob({ fixture: { call: (path, options) => call(url + path, options) }, exchanged });
}

/** Every run that was acknowledged is there and has ended, and its stream begins with all that was ever read of it. */
async function expectNothingLost(job: CiJob, load: CrashLoad): Promise<void> {
  expect(load.runs.size).toBeGreaterThan(0);
  for (const { runId, events } of load.runs.values()) {
    const stored = await job.follow(runId);
    expect(stored).toEqual(events);
    await expectValidStream(stored);
    expect(isTerminal((await job.run(runId)).status)).toBe(true);
  }
}

async function expectOneRunAKey(place: StorePlace, load: CrashLoad): Promise<void> {
  const runIds = [...load.keys.values()];
  expect(runIds).not.toContain(null);
  expect(new Set(runIds).size).toBe(runIds.length);
  const stored = await place.query("select id from runs");
  expect(stored.map(({ id }) => String(id)).sort()).toEqual(runIds.map(String).sort());
}
