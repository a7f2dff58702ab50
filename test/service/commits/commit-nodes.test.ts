// Commits on several nodes: processes of their own on PostgreSQL, with an S3 server that they share. What one takes, the
// others check out.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../../fakes/code-host/code-host.ts";
import type { Claims } from "../../../fakes/issuer/claims.ts";
import { createClient } from "../../../src/client/client.ts";
import { exchangeResponseSchema } from "../../../src/contract/ci/exchange.ts";
import { ServiceProcess } from "../../support/fixtures/service-process.ts";
import { type S3Server, startS3Server } from "../../support/s3-server.ts";
import { call } from "../../support/service-client.ts";
import { CiJob } from "../../support/service-job.ts";
import { postgresStore, type StorePlace } from "../../support/stores/stores.ts";
import { chunks, PackFixture } from "../checkouts/packs/pack-fixture.ts";

const AUDIENCE = "nodes.example";

type Node = { readonly process: ServiceProcess; readonly url: string; readonly folder: string };

describe("a commit on several nodes", { tags: ["postgres"] }, () => {
  let place: StorePlace;
  let s3: S3Server;
  let codeHost: CodeHost;
  let packs: PackFixture;
  let folder: string;
  const nodes: Node[] = [];

  beforeAll(async () => {
    const kind = postgresStore;
    if (kind === undefined) throw new Error("There is no PostgreSQL.");
    place = await kind.make();
    s3 = await startS3Server();
    codeHost = await startCodeHost({ repositories: {} });
    packs = await PackFixture.make();
    folder = await mkdtemp(join(tmpdir(), "agent-service-commits-"));
    for (const role of ["api", "api", "worker"]) nodes.push(await start(role, String(nodes.length)));
  });

  afterAll(async () => {
    await Promise.all(nodes.map(({ process }) => process.kill()));
    await codeHost.close();
    await s3.stop();
    await place.remove();
    await packs.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(role: string, name: string): Promise<Node> {
    const own = join(folder, name);
    const process = new ServiceProcess(["serve"], {
      PORT: "0",
      ROLE: role,
      BACKEND: "offline",
      DATA_DIR: own,
      BASE_URL: "http://nodes.example",
      DATABASE_URL: place.settings.databaseUrl ?? "",
      CI_AUDIENCE: AUDIENCE,
      DRAIN_SECONDS: "0",
      CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
      ...s3.settings,
    });
    return { process, url: await process.ready(), folder: own };
  }

  /** A job of a public repository that this code host does not have, as it looks through a node. */
  async function job(claims: Claims, { url }: Node): Promise<CiJob> {
    const token = codeHost.issuer.sign(codeHost.issuer.githubClaims({ aud: AUDIENCE, ...claims }));
    const answer = await call(`${url}/v1/ci/oidc/exchange`, {
      method: "POST",
      json: { subject_token: token },
    });
    const exchanged = exchangeResponseSchema.parse(answer.body);
    return new CiJob({ fixture: { call: (path, options) => call(url + path, options) }, exchanged });
  }

  const send = async (from: CiJob, { url }: Node, sha: string, base: readonly string[] = []) => {
    const bytes = packs.pack([sha, ...base.map((one) => `^${one}`)]);
    const client = createClient({ baseUrl: url, credential: from.bearer });
    const pack = { size: bytes.length, open: () => chunks(bytes) };
    return await client.commits.send({ sha, query: { base: [...base] }, pack });
  };

  it("is sent to one and the other at once, and a third executes its run", async () => {
    const [one, two, worker] = nodes;
    if (one === undefined || two === undefined || worker === undefined)
      throw new Error("There are three nodes.");
    const files = { "README.md": "# Held by all\n\nA project that no server has.\n" };
    const first = packs.repository.commit({ files, subject: "the first of them" });
    const claims = { repository: "owner/held", repository_id: "4711", sha: first };
    const job1 = await job(claims, one);
    const job2 = await job(claims, two);
    const sent = await Promise.all([send(job1, one, first), send(job2, two, first)]);
    expect(sent.map(({ sha, objects }) => [sha, objects])).toEqual([
      [first, 3],
      [first, 3],
    ]);
    expect(await textOf(job1, await job1.start("hello"))).toContain("the first of them");

    const second = packs.repository.commit({
      files: { ...files, "new.md": "new" },
      parents: [first],
      subject: "the second of them",
      day: 1,
    });
    const later = await job({ ...claims, sha: second }, two);
    const client = createClient({ baseUrl: two.url, credential: later.bearer });
    const { have } = await client.commits.find({ sha: second });
    expect(have[0]).toEqual({ sha: first, shallow: [] });
    // The node that takes it reads its base from S3: the other one may have received it.
    expect(await send(later, two, second, [first])).toMatchObject({ sha: second });
    const text = await textOf(later, await later.start("hello"));
    expect(text).toContain("the second of them");
    expect(text).toContain("the first of them");
    for (const { folder: own } of [one, two]) {
      const [commits = ""] = (await readdir(own)).filter((name) => name.startsWith("commits-"));
      expect(await readdir(join(own, commits, "uploads"))).toEqual([]);
    }
  });

  it("is found by a node that starts later, with nothing on its disk", async () => {
    const [one] = nodes;
    if (one === undefined) throw new Error("There is a node.");
    const sha = packs.repository.commit({ files: { a: "a" }, subject: "before the node" });
    const sender = await job({ repository: "owner/late", repository_id: "4712", sha }, one);
    await send(sender, one, sha);
    const worker = nodes.pop();
    await worker?.process.kill();
    nodes.push(await start("worker", "late"));
    expect(await textOf(sender, await sender.start("hello"))).toContain("before the node");
  });

  async function textOf(from: CiJob, runId: string): Promise<string> {
    const events = await from.follow(runId);
    expect(events.at(-1)?.event.type, JSON.stringify(events.at(-1))).toBe("RUN_FINISHED");
    return events.map(({ event }) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : "")).join("");
  }
});
