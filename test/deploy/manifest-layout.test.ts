// The layout of deploy/kubernetes.yaml, started from its settings: API nodes and workers with data folders of their own, one PostgreSQL,
// one bucket. A private repository, a run in a workspace and a page, while its nodes are killed and drained in turn.

import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../fakes/code-host/code-host.ts";
import type { Claims } from "../../fakes/issuer/claims.ts";
import { type Client, createClient } from "../../src/client/client.ts";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { runPageLinkSchema } from "../../src/contract/ci/run-page.ts";
import { chunks, PackFixture } from "../service/checkouts/packs/pack-fixture.ts";
import { makeTestKey, operateOn, type TestKey } from "../support/account-key.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { type S3Server, startS3Server } from "../support/s3-server.ts";
import { call } from "../support/service-client.ts";
import { CiJob } from "../support/service-job.ts";
import { postgresStore, type StorePlace } from "../support/stores/stores.ts";
import { type ManifestNode, manifestNodes } from "./manifest-settings.ts";

const LARGE = 90_000;

type Node = { readonly of: ManifestNode; readonly process: ServiceProcess; readonly url: string };

describe("the layout of the Kubernetes manifest", { tags: ["postgres"] }, () => {
  let place: StorePlace;
  let s3: S3Server;
  let codeHost: CodeHost;
  let packs: PackFixture;
  let folder: string;
  let key: TestKey;
  let repository: Claims;
  const nodes: Node[] = [];

  beforeAll(async () => {
    place = await postgresStore.make();
    s3 = await startS3Server();
    codeHost = await startCodeHost({ repositories: {} });
    packs = await PackFixture.make();
    folder = await mkdtemp(join(tmpdir(), "agent-service-layout-"));
    key = await makeTestKey(place, { owner: { plan: "subscribed" } });
    await operateOn(place, (operator) => operator.grant({ accountId: key.accountId, credits: 1_000 }));
    for (const of of manifestNodes(secrets()))
      for (let replica = 0; replica < of.replicas; replica += 1) nodes.push(await start(of));
    repository = await claimed();
  });

  afterAll(async () => {
    await Promise.all(nodes.map(({ process }) => process.kill()));
    await codeHost.close();
    await s3.stop();
    await place.remove();
    await packs.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const secrets = () => ({
    "database-url": place.settings.databaseUrl ?? "",
    "model-api-key": "not-used",
    "run-secrets-key": Buffer.alloc(32, 3).toString("base64"),
    "s3-access-key-id": s3.config.accessKeyId,
    "s3-secret-access-key": s3.config.secretAccessKey,
  });

  /** With the manifest's settings, but for where this machine's database, bucket and code host are; no model is asked. */
  async function start(of: ManifestNode): Promise<Node> {
    const { SANDBOX: _, MODEL: __, MODEL_PROVIDER: ___, MODEL_API_KEY: ____, ...env } = of.env;
    const process = new ServiceProcess(of.args, {
      ...env,
      PORT: "0",
      BACKEND: "offline",
      DATA_DIR: await mkdtemp(join(folder, `${of.name}-`)),
      S3_ENDPOINT: s3.config.endpoint,
      S3_BUCKET: s3.config.bucket,
      S3_REGION: s3.config.region,
      S3_PATH_STYLE: "true",
      CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
    });
    return { of, process, url: await process.ready() };
  }

  const isApi = ({ of }: Node) => of.args[0] === "serve";
  const apis = () => nodes.filter(isApi).map(({ url }) => url);

  function mint(claims: Claims): string {
    const aud = new URL(nodes[0]?.of.env.BASE_URL ?? "").host;
    return codeHost.issuer.sign(codeHost.issuer.githubClaims({ aud, ...claims }));
  }
  const exchange = async (url: string, claims: Claims, account?: string) =>
    exchangeResponseSchema.parse(
      (
        await call(`${url}/v1/ci/oidc/exchange`, {
          method: "POST",
          json: { subject_token: mint(claims), ...(account === undefined ? {} : { account }) },
        })
      ).body,
    );

  async function claimed(): Promise<Claims> {
    const [url = ""] = apis();
    const claims = { repository: "owner/private", repository_id: "5101", repository_visibility: "private" };
    const { claim_url } = await exchange(url, claims);
    const claim = claim_url?.split("/").at(-1);
    await call(`${url}/v1/ci/claim`, { method: "POST", bearer: key.secret, json: { claim } });
    await exchange(url, claims, key.accountId);
    return claims;
  }

  /** A job sends its commit to one API node, and follows its run through another, whose page of it is looked at. */
  async function playCommit(subject: string, of: Claims = repository): Promise<void> {
    const [first = "", second = first] = apis();
    const sha = packs.repository.commit({ files: { "README.md": `# ${subject}\n` }, subject });
    const exchanged = await exchange(first, { ...of, sha });
    const jobAt = (url: string) =>
      new CiJob({ fixture: { call: (path, options) => call(url + path, options) }, exchanged });
    const job = jobAt(first);
    const bytes = packs.pack([sha]);
    const pack = { size: bytes.length, open: () => chunks(bytes) };
    await createClient({ baseUrl: first, credential: job.bearer }).commits.send({ sha, pack });
    const runId = await job.start("hello");
    const events = await jobAt(second).follow(runId);
    expect(events.at(-1)?.event.type, JSON.stringify(events.at(-1))).toBe("RUN_FINISHED");
    expect(JSON.stringify(events)).toContain(subject);
    if (of === repository) return;
    // Only the runs of public repositories have a page for whoever has its link.
    const link = await job.call(`/v1/ci/runs/${runId}/page`, { method: "POST" });
    const page = new URL(runPageLinkSchema.parse(link.body).page_url);
    const opened = await fetch(second + page.pathname + page.search, { redirect: "manual" });
    const cookie = opened.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; ");
    const shown = await fetch(second + page.pathname, { headers: { cookie } });
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining(subject)]);
  }

  async function playWorkspace(client: Client, workspaceId: string, contents: Buffer): Promise<void> {
    const { run_id: runId } = await client.workspaceRuns.submit({ workspaceId, body: { message: "hello" } });
    const run = client.runs.follow({ runId });
    for await (const _ of run);
    expect(run.run).toMatchObject({ status: "completed" });
    const { body } = await client.files.download({ workspaceId, query: { path: "large.bin" } });
    expect(Buffer.from(await new Response(body).arrayBuffer()).equals(contents)).toBe(true);
  }

  it("plays a private repository, a workspace and a page while its nodes are killed and drained in turn", {
    timeout: 300_000,
  }, async () => {
    const contents = randomBytes(LARGE);
    const clientAt = (url: string) => createClient({ baseUrl: url, credential: () => key.secret });
    const owner = clientAt(apis()[0] ?? "");
    const { id: workspaceId } = await owner.workspaces.create({ body: {} });
    await owner.files.upload({ workspaceId, query: { path: "large.bin" }, body: contents });
    const open = { repository: "owner/public", repository_id: "5102" };
    await playCommit("before anything happens");
    await playCommit("a page before anything happens", open);
    await playWorkspace(owner, workspaceId, contents);
    const ways = ["SIGKILL", "SIGTERM"] as const;
    for (let turn = 0; turn < nodes.length; turn += 1) {
      const node = nodes[0];
      if (node === undefined) throw new Error("There are nodes.");
      const way = ways[turn % ways.length] ?? "SIGTERM";
      node.process.signal(way);
      await node.process.ended;
      // Whoever supervises it starts another, with an empty folder.
      nodes.shift();
      nodes.push(await start(node.of));
      for (const { url } of nodes) expect((await fetch(`${url}/readyz`)).status).toBe(200);
      await playCommit(`after ${way} of ${node.of.name}, turn ${turn}`);
      await playCommit(`a page after turn ${turn}`, open);
      await playWorkspace(clientAt(apis().at(-1) ?? ""), workspaceId, contents);
    }
  });
});
