// A claimed private repository on two nodes: processes of their own on PostgreSQL. One takes the request and asks the code host, the
// other executes the run and fetches its commit.

import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../../fakes/code-host/code-host.ts";
import { type Client, createClient } from "../../../src/client/client.ts";
import { type ExchangeResponse, exchangeResponseSchema } from "../../../src/contract/ci/exchange.ts";
import { makeTestKey, operateOn, type TestKey } from "../../support/account-key.ts";
import { ServiceProcess } from "../../support/fixtures/service-process.ts";
import { call } from "../../support/service-client.ts";
import { SshServer } from "../../support/ssh-server.ts";
import { postgresStore, type StorePlace } from "../../support/stores/stores.ts";
import { chunks, PackFixture } from "../checkouts/packs/pack-fixture.ts";

const AUDIENCE = "nodes.example";

describe("a private repository on two nodes", { tags: ["postgres", "ssh"] }, () => {
  let place: StorePlace;
  let codeHost: CodeHost;
  let ssh: SshServer;
  let packs: PackFixture;
  let folder: string;
  let key: TestKey;
  let url: string;
  let owner: Client;
  const processes: ServiceProcess[] = [];
  let repositories = 4_000;

  beforeAll(async () => {
    place = (await postgresStore?.make()) ?? expect.unreachable();
    codeHost = await startCodeHost({ repositories: {} });
    ssh = await SshServer.start();
    packs = await PackFixture.make();
    folder = await mkdtemp(join(tmpdir(), "agent-service-access-"));
    key = await makeTestKey(place);
    await operateOn(place, ({ grant }) => grant({ accountId: key.accountId, credits: 100 }));
    await writeFile(join(folder, "known_hosts"), await ssh.knownHosts());
    await writeFile(join(folder, "app.pem"), codeHost.app.privateKey);
    url = await start("api");
    await start("worker");
    owner = createClient({ baseUrl: url, credential: key.secret });
  });

  afterAll(async () => {
    await Promise.all(processes.map((process) => process.kill()));
    await codeHost.close();
    await ssh.close();
    await place.remove();
    await packs.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(role: string): Promise<string> {
    const process = new ServiceProcess(["serve"], {
      PORT: "0",
      ROLE: role,
      BACKEND: "offline",
      DATA_DIR: join(folder, role),
      CI_AUDIENCE: AUDIENCE,
      BASE_URL: "http://nodes.example",
      DATABASE_URL: place.settings.databaseUrl ?? "",
      DRAIN_SECONDS: "0",
      BLOB_DIR: join(folder, "blobs"),
      RUN_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      CI_ISSUERS: JSON.stringify([{ ...codeHost.issuerEntry, ssh_url: ssh.urlTemplate }]),
      SSH_KNOWN_HOSTS_FILE: join(folder, "known_hosts"),
      GITHUB_APP_ID: codeHost.app.id,
      GITHUB_APP_PRIVATE_KEY_FILE: join(folder, "app.pem"),
    });
    processes.push(process);
    return await process.ready();
  }

  type Known = { readonly name: string; readonly id: string; readonly sha: string };

  async function exchange({ name, id, sha }: Known, account?: string): Promise<ExchangeResponse> {
    const claims = { repository: name, repository_id: id, repository_visibility: "private", sha };
    const token = codeHost.issuer.sign(codeHost.issuer.githubClaims({ aud: AUDIENCE, ...claims }));
    const answer = await call(`${url}/v1/ci/oidc/exchange`, {
      method: "POST",
      json: { subject_token: token, default_branch: "main", ...(account === undefined ? {} : { account }) },
    });
    return exchangeResponseSchema.parse(answer.body);
  }

  /** Claimed by the account, with one commit at the code host. */
  async function claimed(): Promise<Known & { agentId: string }> {
    repositories += 1;
    const id = String(repositories);
    const subject = `the newest of ${id}`;
    const sha = packs.repository.commit({ files: { "README.md": "# A project\n" }, subject });
    const known = { name: `owner/project-${id}`, id, sha };
    const { claim_url, agent_id: agentId } = await exchange(known);
    const json = { claim: claim_url?.split("/").at(-1) };
    await call(`${url}/v1/ci/claim`, { method: "POST", bearer: key.secret, json });
    await exchange(known, key.accountId);
    return { ...known, agentId };
  }

  const ways = [
    {
      way: "what a job sends",
      open: async (known: Known) => {
        const { access_token: credential } = await exchange(known);
        const bytes = packs.pack([known.sha]);
        const pack = { size: bytes.length, open: () => chunks(bytes) };
        await createClient({ baseUrl: url, credential }).commits.send({
          sha: known.sha,
          query: { base: [] },
          pack,
        });
      },
    },
    {
      way: "a deploy key",
      open: async ({ name, agentId }: Known & { agentId: string }) => {
        const access = await owner.repositoryAccess.put({ agentId, body: { kind: "deploy_key" } });
        await ssh.allow(access.public_key ?? "", { name, path: packs.repository.path });
      },
    },
    {
      way: "the App's token",
      open: async ({ name, id, agentId }: Known & { agentId: string }) => {
        await owner.repositoryAccess.put({ agentId, body: { kind: "github_app" } });
        codeHost.app.install({ name, id, path: packs.repository.path });
      },
    },
  ];

  it.each(ways)("is worked on by $way, and refused before", async ({ open }) => {
    const known = await claimed();
    const { agentId, sha, id } = known;
    const ask = () => owner.runs.submit({ agentId, body: { message: "hello" } });
    await expect(ask()).rejects.toMatchObject({ code: "commit_unknown" });
    await open(known);
    const { runId } = await ask();
    let text = "";
    for await (const { event } of owner.runs.follow({ runId }))
      if (event.type === "TEXT_MESSAGE_CONTENT") text += event.delta;
      else if (event.type === "RUN_ERROR") text += event.message;
    expect(text).toContain(`the newest of ${id}`);
    expect((await owner.runs.get({ agentId, runId })).commit?.sha).toBe(sha);
    for (const role of ["api", "worker"])
      expect(await readdir(join(folder, role, "remotes")).catch(() => [])).toEqual([]);
    expect(codeHost.app.tokens.every(({ isRevoked }) => isRevoked)).toBe(true);
  });
});
