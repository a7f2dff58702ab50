// A worker that shares the database with an API node, and not its blobs: what it says of that, and what the run says that it cannot
// execute.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../../fakes/code-host/code-host.ts";
import { createClient } from "../../../src/client/client.ts";
import { exchangeResponseSchema } from "../../../src/contract/ci/exchange.ts";
import { ServiceProcess } from "../../support/fixtures/service-process.ts";
import { runCommand } from "../../support/run/run-command.ts";
import { call } from "../../support/service-client.ts";
import { CiJob } from "../../support/service-job.ts";
import { postgresStore, type StorePlace } from "../../support/stores/stores.ts";
import { chunks, PackFixture } from "../checkouts/packs/pack-fixture.ts";

const AUDIENCE = "nodes.example";

describe("a node that sees other blobs than those of its store", { tags: ["postgres"] }, () => {
  let place: StorePlace;
  let codeHost: CodeHost;
  let packs: PackFixture;
  let folder: string;
  const processes: ServiceProcess[] = [];

  beforeAll(async () => {
    place = await postgresStore.make();
    codeHost = await startCodeHost({ repositories: {} });
    packs = await PackFixture.make();
    folder = await mkdtemp(join(tmpdir(), "agent-service-elsewhere-"));
  });
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.kill()));
    await codeHost.close();
    await place.remove();
    await packs.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const settingsOf = (role: string, more: Readonly<Record<string, string>> = {}) => ({
    PORT: "0",
    ROLE: role,
    BACKEND: "offline",
    DATA_DIR: join(folder, role),
    DRAIN_SECONDS: "0",
    DATABASE_URL: place.settings.databaseUrl ?? "",
    BASE_URL: "http://nodes.example",
    CI_AUDIENCE: AUDIENCE,
    CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
    ...more,
  });
  async function start(role: string, more: Readonly<Record<string, string>> = {}) {
    const process = new ServiceProcess(["serve"], settingsOf(role, more));
    processes.push(process);
    return { process, url: await process.ready() };
  }

  it("says so at its start, in /readyz, and in the run that it ends", async () => {
    const first = await start("api");
    // Its stop waits until it has marked its blobs.
    first.process.signal("SIGTERM");
    await first.process.ended;
    const api = await start("api");
    const worker = await start("worker");
    await worker.process.printed(/"level":50.*does not see the blobs of its store.*BLOB_STORE=s3/);
    expect(await call(`${worker.url}/readyz`)).toMatchObject({
      status: 503,
      body: { status: "blobs_missing" },
    });
    expect(await call(`${api.url}/readyz`)).toMatchObject({ status: 200, body: { status: "ok" } });

    const sha = packs.repository.commit({ files: { a: "a" }, subject: "only one node has it" });
    const claims = codeHost.issuer.githubClaims({ aud: AUDIENCE, sha });
    const exchange = { method: "POST", json: { subject_token: codeHost.issuer.sign(claims) } } as const;
    const { body } = await call(`${api.url}/v1/ci/oidc/exchange`, exchange);
    const job = new CiJob({
      fixture: { call: (path, options) => call(api.url + path, options) },
      exchanged: exchangeResponseSchema.parse(body),
    });
    const bytes = packs.pack([sha]);
    const pack = { size: bytes.length, open: () => chunks(bytes) };
    await createClient({ baseUrl: api.url, credential: job.bearer }).commits.send({ sha, pack });
    const ended = (await job.follow(await job.start("hello"))).at(-1);
    expect(ended?.event).toMatchObject({
      type: "RUN_ERROR",
      message: expect.stringMatching(/does not see the blobs of its store.*Give every node the same ones/),
    });

    // The operator gives it the blobs of the other.
    worker.process.signal("SIGTERM");
    await worker.process.ended;
    const shared = { BLOB_DIR: join(folder, "api", "blobs") };
    const again = await start("worker", shared);
    expect((await call(`${again.url}/readyz`)).status).toBe(200);
    const events = await job.follow(await job.start("hello again"));
    expect(events.at(-1)?.event.type).toBe("RUN_FINISHED");
  });

  it("is told by its operator that they are its own from now on", async () => {
    const moved = settingsOf("worker", { BLOB_DIR: join(folder, "moved") });
    const { code, stdout } = await runCommand(["store", "verify", "--adopt"], moved);
    expect([code, stdout]).toEqual([1, expect.stringContaining("are lost")]);
    const node = await start("worker", { BLOB_DIR: join(folder, "moved"), DATA_DIR: join(folder, "second") });
    await node.process.printed(/"missing":2.*blobs are missing/);
    expect((await call(`${node.url}/readyz`)).status).toBe(200);
  });
});
