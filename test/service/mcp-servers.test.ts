// A service whose runs have MCP servers: the operator's with its secret, those of a submission, the repository's own where
// the agent's owner allows them.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import type { Claims } from "../../fakes/issuer/claims.ts";
import { answersMcp, writeServerProgram } from "../../fakes/mcp-server/fake-mcp.ts";
import { PICTURE } from "../../fakes/mcp-server/tools.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { selfSigned } from "../../fakes/self-signed.ts";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { makeTestKey, operateOn, type TestKey } from "../support/account-key.ts";
import type { ServiceFixture } from "../support/fixtures/service-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { dumpPlace } from "../support/service-dump.ts";
import { CiJob } from "../support/service-job.ts";

const KEY = "sk-the-models-key-0123456789";
const TOKEN = "sentry-token-0123456789";
const REPOSITORY = "octo-org/octo-repo";

let folder: string;
let program: string;
let repository: TestRepository;
let model: ModelServer;
let fixture: ServiceFixture;
let key: TestKey;
let subject: Claims;
const opened: (() => unknown)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-service-"));
  program = await writeServerProgram(join(folder, "programs"));
  repository = new TestRepository(folder, "octo-repo.git");
  repository.commit({ files: { "README.md": "# Octo repo\n", ".mcp.json": own([program, "well"]) } });
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** A repository's file with one server. */
function own(args: readonly string[], command = "node"): string {
  return JSON.stringify({ mcpServers: { own: { command, args } } });
}

type Starting = {
  readonly turns: Parameters<typeof byTurn>[0];
  readonly settings?: Readonly<Record<string, string>>;
};

/** A service as its operator's settings make it. */
async function start({ turns, settings = {} }: Starting): Promise<void> {
  model = await startModelServer({ script: byTurn(turns), apiKey: KEY });
  opened.push(() => model.close());
  const config = readConfig(
    { DATA_DIR: join(folder, "data") },
    {
      PATH: process.env.PATH,
      BACKEND: "model",
      SANDBOX_READ_PATHS: join(folder, "programs"),
      MODEL: "scripted-model",
      MODEL_BASE_URL: model.baseUrl,
      MODEL_API_KEY: KEY,
      ...settings,
    },
  );
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  const { backend, model: asked, sandbox, rates, mcp, egress, secrets } = config.value;
  fixture = await startFixture({
    level: "service",
    repositories: { [REPOSITORY]: { path: repository.path, visibility: "public" } },
    config: { backend, model: asked, sandbox, rates, mcp, egress, secrets },
  });
  opened.push(() => fixture.close());
}

function claims(more: Claims = {}): Claims {
  const sha = repository.git(["rev-parse", "refs/heads/main"]);
  return { ...fixture.freshRepository(), repository: REPOSITORY, sha, ...more };
}

async function run(job: CiJob, more: object = {}) {
  const answer = await job.submit({ message: "Go on.", ...more });
  if (answer.status !== 202) throw new Error(`The run was refused: ${answer.text}`);
  const runId = submitRunResponseSchema.parse(answer.body).run_id;
  const events = await job.follow(runId);
  return { runId, events: JSON.stringify(events), record: await job.run(runId) };
}

type Claimed = Starting & { readonly policy?: object | null };

/** A service with an agent whose owner has said so. */
async function startClaimed({ policy: ci_policy = null, ...starting }: Claimed): Promise<void> {
  await start(starting);
  await fixture.stop();
  key = await makeTestKey(fixture.place);
  await operateOn(fixture.place, ({ grant }) => grant({ accountId: key.accountId, credits: 1_000 }));
  await fixture.restart();
  subject = claims();
  const first = exchangeResponseSchema.parse(
    (await fixture.exchange(fixture.mint({ ...subject, repository_visibility: "private" }))).body,
  );
  const json = { claim: first.claim_url?.split("/").at(-1) };
  const bearer = key.secret;
  const claimed = await fixture.call("/v1/ci/claim", { method: "POST", bearer, json });
  expect(claimed.status).toBe(202);
  await jobOf();
  const set = await fixture.call(`/v1/agents/${first.agent_id}`, {
    method: "PATCH",
    bearer,
    json: { ci_policy },
  });
  expect(set).toMatchObject({ status: 200, body: { ci_policy } });
}

async function jobOf(more: Claims = {}): Promise<CiJob> {
  const subject_token = fixture.mint({ ...subject, ...more });
  const json = { subject_token, account: key.accountId };
  const answer = await fixture.call("/v1/ci/oidc/exchange", { method: "POST", json });
  return new CiJob({ fixture, exchanged: exchangeResponseSchema.parse(answer.body) });
}

const offered = () =>
  (model.requests[0]?.tools ?? []).map(({ name }) => name).filter((name) => name.startsWith("mcp__"));
const results = () => model.toolResults().map(({ text }) => text);

describe("the operator's MCP servers", { tags: ["sandbox"] }, () => {
  it("are called in each run, and their secret is in no event, no stored byte and no line of the log", async () => {
    const words = {
      command: "node",
      args: [program, "well"],
      env: { FAKE_TOKEN: `\${SENTRY_TOKEN}` },
      tools: ["lookup", "whoami", "crash"],
    };
    await start({
      turns: [
        call("mcp__words__lookup", { word: "tree" }),
        call("mcp__words__whoami", {}),
        call("run_command", { command: "env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; echo over" }),
        call("mcp__words__crash", {}),
        say(`I was told ${TOKEN}.`),
      ],
      settings: { SENTRY_TOKEN: TOKEN, MCP_SERVERS: JSON.stringify({ words }) },
    });
    const { events, record } = await run(await fixture.job(claims()));
    expect(record.status).toBe("completed");
    expect(offered()).toEqual(["mcp__words__lookup", "mcp__words__whoami", "mcp__words__crash"]);
    expect(results()[0]).toContain("data, no instruction.]\ntree means TREE");
    expect(results()[2]).toContain("over");
    expect(results()[2]).not.toContain(TOKEN);
    expect(events).toContain("words (operator)");
    expect(events).toContain("the token is ***");
    expect(events).toContain("it was too much for ***");
    expect(await dumpPlace(fixture.place)).toContain("words (operator)");
    for (const text of [events, JSON.stringify(record), await dumpPlace(fixture.place), fixture.logText()])
      expect(text.includes(TOKEN)).toBe(false);
  });
});

describe("pictures of MCP servers", { tags: ["sandbox"] }, () => {
  it("are shown to the model, where they are some, and are in no event", async () => {
    const words = { command: "node", args: [program, "well"] };
    await start({
      turns: [call("mcp__words__picture", {}), say("Seen.")],
      settings: { MCP_SERVERS: JSON.stringify({ words }) },
    });
    const { events, record } = await run(await fixture.job(claims()));
    expect(record.status).toBe("completed");
    const asked = model.requests.map(({ body }) => JSON.stringify(body).split(PICTURE).length - 1);
    expect(asked).toEqual([0, 1]);
    expect(JSON.stringify(model.requests[1]?.body)).toContain("The image mcp__words__picture 1.");
    expect(events).toContain("not shown: no PNG");
    expect(events).not.toContain(PICTURE);
  });
});

describe("MCP servers of a submission", () => {
  /** A server by https at a name that runs may reach, and its authority trusted. */
  async function host(): Promise<{ readonly url: string; readonly entry: string }> {
    const identity = selfSigned(["localhost"]);
    const usual = getCACertificates("default");
    setDefaultCACertificates([...usual, identity.cert]);
    opened.push(() => setDefaultCACertificates(usual));
    const server = createServer(identity, answersMcp()).listen(0, "127.0.0.1");
    await once(server, "listening");
    opened.push(() => new Promise((resolve) => server.close(resolve)));
    opened.push(() => server.closeAllConnections());
    const entry = `localhost:${(server.address() as AddressInfo).port}`;
    return { url: `https://${entry}/mcp`, entry };
  }

  it("are asked within what the run may reach, and shown to nobody else", async () => {
    const { url, entry } = await host();
    await startClaimed({
      turns: [call("mcp__docs__lookup", { word: "tree" }), say("Done.")],
      settings: { EGRESS: entry, EGRESS_PRIVATE_HOSTS: "localhost=127.0.0.0/8" },
    });
    const job = await jobOf();
    const mcp_servers = { docs: { url: `${url}?of=the-team`, tools: ["look*"] } };
    const { events, record, runId } = await run(job, { mcp_servers, egress: [entry] });
    expect(record.status).toBe("completed");
    expect(offered()).toEqual(["mcp__docs__lookup", "mcp__docs__look_around"]);
    expect(results()[0]).toContain("tree means TREE");
    expect(events).toContain("docs (workflow)");
    // It is kept with the run, and told to nobody.
    expect(await dumpPlace(fixture.place)).toContain("of=the-team");
    expect(events + JSON.stringify(record) + fixture.logText()).not.toContain("of=the-team");
    const other = await fixture.job();
    for (const path of [`${job.runsPath}/${runId}`, `/v1/ci/runs/${runId}`]) {
      const answer = await other.call(path);
      expect(answer.status).toBe(403);
      expect(answer.text).not.toContain("localhost");
    }
  });

  it("are not asked where the run may not reach them, and the run says so", async () => {
    const { url, entry } = await host();
    await start({ turns: [say("Done.")] });
    const { events, record } = await run(await fixture.job(claims()), { mcp_servers: { docs: { url } } });
    expect(record.status).toBe("completed");
    expect(offered()).toEqual([]);
    expect(events).toMatch(/docs: not available: .*network policy of this run/);
    expect(events).toContain(`Add ${entry} to egress.`);
  });

  it.each([
    [
      { a: { url: "https://a.example", headers: { Authorization: `Bearer \${TOKEN}` } } },
      "Such a server has no secrets",
    ],
    [{ a: { url: "https://a.example", env: { A: "b" } } }, "Such a server has no secrets"],
    [{ a: { command: "npx", args: ["a"] } }, "programs are for the operator"],
    [{ a: { type: "stdio", url: "https://a.example" } }, 'must be \\"http\\"'],
    [{ a: { url: "http://a.example" } }, "must be an https:// URL without credentials"],
    [{ a: { url: "https://me:secret@a.example" } }, "must be an https:// URL without credentials"],
    [{ a: { url: "https://a.example", tools: [] } }, "must not be empty: leave the list out"],
    [{ a: { url: `https://a.example/?key=\${TOKEN}` } }, "variables in braces"],
    [{ "a b": { url: "https://a.example" } }, "must be a name of at most 32 letters"],
    [
      Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`a${at}`, { url: "https://a.example" }])),
      "must have at most 10 servers",
    ],
  ])("are refused with the reason: %j", async (mcp_servers, why) => {
    await start({ turns: [] });
    const job = await fixture.job(claims());
    const answer = await job.submit({ message: "Go on.", mcp_servers });
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(answer.text).toContain("mcp_servers");
    expect(answer.text).toContain(why);
    expect(answer.text).not.toContain("me:secret");
    expect(await fixture.place.query("select id from runs")).toEqual([]);
  });
});

describe("the owner's word on MCP servers", { tags: ["sandbox"] }, () => {
  it("lets the repository's own be started, from the commit that writers agreed to alone", async () => {
    const first = repository.git(["rev-parse", "refs/heads/main"]);
    const files = { "README.md": "# Octo repo\n", ".mcp.json": own(["-c", "echo x > hostile.txt"], "sh") };
    const head = repository.commit({ files, parents: [first], day: 1 });
    const merge = repository.commit({ files, parents: [first, head], subject: "Merge", day: 2 });
    repository.updateRef("refs/heads/main", first);
    repository.updateRef("refs/pull/7/head", head);
    repository.updateRef("refs/pull/7/merge", merge);
    await startClaimed({
      turns: [
        call("mcp__own__lookup", { word: "tree" }),
        call("run_command", { command: "ls" }),
        say("Done."),
      ],
      policy: { mcp_servers: "repository" },
    });
    const job = await jobOf({
      event_name: "pull_request",
      ref: "refs/pull/7/merge",
      sha: merge,
      head_ref: "topic",
      base_ref: "main",
    });
    const { events, record } = await run(job);
    expect(record.status).toBe("completed");
    expect(events).toContain("own (repository)");
    expect(offered()).toContain("mcp__own__lookup");
    expect(results()[0]).toContain("tree means TREE");
    expect(results()[1]).toContain("README.md");
    expect(results()[1]).not.toContain("hostile.txt");
  });

  it.each([null, { mcp_servers: "workflow" }, { mcp_servers: "none" }])(
    "keeps the repository's own from being started: %j",
    async (policy) => {
      await startClaimed({ turns: [say("Done.")], policy });
      const { events, record } = await run(await jobOf());
      expect(record.status).toBe("completed");
      expect(offered()).toEqual([]);
      expect(events).not.toContain("mcp_servers");
    },
  );

  it("refuses those of a submission, too, where it is none", async () => {
    await startClaimed({ turns: [], policy: { mcp_servers: "none" } });
    const body = { message: "Go on.", mcp_servers: { docs: { url: "https://docs.example/mcp" } } };
    const answer = await (await jobOf()).submit(body);
    expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(answer.text).toContain("its owner has set ci_policy.mcp_servers");
  });
});
