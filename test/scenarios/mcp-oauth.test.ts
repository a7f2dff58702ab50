// Jobs whose runs have MCP servers that ask for OAuth: without a service by a client's secret and by the job's identity, and with one by a
// token that the job brings. No token is in a log, a summary, an output, an event, a command or another host.

import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK } from "jose";
import { afterEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { allThatIsSeen, EmbeddedFixture, REPOSITORY } from "../support/fixtures/embedded-fixture.ts";
import { ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { type OpenedGuarded, openGuardedServer } from "../support/mcp/guarded-server.ts";
import { dumpPlace } from "../support/service-dump.ts";

const KEY = "sk-the-models-key-0123456789";
const SECRET = "client-secret-0123456789";
const project = { "README.md": "# Octo repo\n" };

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function openModel(turns: Parameters<typeof byTurn>[0]): Promise<ModelServer> {
  const model = await startModelServer({ script: byTurn(turns), apiKey: KEY });
  opened.push(() => model.close());
  return model;
}

async function openGuarded(options: Parameters<typeof openGuardedServer>[0]): Promise<OpenedGuarded> {
  const server = await openGuardedServer(options);
  opened.push(() => server.close());
  return server;
}

/** The definition of the server by this grade, as a workflow writes it. */
const serversOf = ({ url }: OpenedGuarded, auth: object) => JSON.stringify({ docs: { url, auth } });

const turns = [
  call("mcp__docs__lookup", { word: "tree" }),
  call("run_command", { command: "env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; echo over" }),
  say("Done."),
];

describe("a job without a service whose server asks for OAuth", { tags: ["sandbox"] }, () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

  async function run(grade: "client" | "key" | "job", where: "inside" | "process") {
    const fixture = await EmbeddedFixture.open(project);
    opened.push(() => fixture.close());
    const job = await fixture.job({ idToken: grade === "job" });
    fixture.checkOut(job);
    const { issuer } = fixture.codeHost;
    const server = await openGuarded({
      client:
        grade === "key"
          ? { id: "team", keys: { keys: [{ ...(await exportJWK(publicKey)), alg: "ES256" }] } }
          : { id: "team", secret: SECRET },
      trust: { issuer: issuer.url, jwksUri: issuer.jwksUri, repository: REPOSITORY },
    });
    const model = await openModel(turns);
    const folder = await mkdtemp(join(tmpdir(), "mcp-oauth-"));
    opened.push(() => rm(folder, { recursive: true, force: true }));
    const certificates = join(folder, "ca.pem");
    await writeFile(certificates, server.certificate);
    const registered = { client_id: "team", issuer: server.issuer };
    const auth = {
      job: { type: "job" },
      client: { type: "client_credentials", client_secret: "${TEAM_SECRET}", ...registered },
      key: { type: "private_key_jwt", private_key: "${TEAM_KEY}", ...registered },
    }[grade];
    const step = await fixture.main(job, {
      where,
      inputs: {
        prompt: "Go on.",
        model: "scripted-model",
        "model-base-url": model.baseUrl,
        "model-api-key": KEY,
        egress: server.hosts.join(" "),
        "mcp-servers": serversOf(server, auth),
      },
      env: {
        SANDBOX: "bubblewrap",
        TEAM_SECRET: SECRET,
        TEAM_KEY: pem,
        EGRESS_PRIVATE_HOSTS: "localhost=127.0.0.0/8",
        NODE_EXTRA_CA_CERTS: certificates,
      },
    });
    return { step, model, server };
  }

  /** Nothing that the step showed or left, and nothing that the model was asked, has one of these. */
  async function expectHidden(
    { step, model, server }: Awaited<ReturnType<typeof run>>,
    more: readonly string[],
  ): Promise<void> {
    const seen = (await allThatIsSeen(step)) + JSON.stringify(model.requests);
    expect(server.guarded.issued.length).toBeGreaterThan(0);
    for (const secret of [...server.guarded.issued, ...more]) expect(seen).not.toContain(secret);
    expect(model.toolResults()[1]?.text).toContain("over");
  }

  it.each(["inside", "process"] as const)("calls it by a client's secret (%s)", async (where) => {
    const played = await run("client", where);
    const { step, model, server } = played;
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(model.toolResults()[0]?.text).toContain("tree means TREE");
    expect(step.log).toContain(`access token of ${server.issuer} (client credentials)`);
    expect(step.masks).toContain(SECRET);
    await expectHidden(played, [SECRET]);
  });

  it("calls it by a client's key", async () => {
    const played = await run("key", "process");
    const { step, model, server } = played;
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(model.toolResults()[0]?.text).toContain("tree means TREE");
    expect(step.log).toContain(`access token of ${server.issuer} (private key)`);
    await expectHidden(played, [pem.split("\n")[1] ?? ""]);
  });

  it.each(["inside", "process"] as const)("calls it by the job's identity (%s)", async (where) => {
    const played = await run("job", where);
    const { step, model, server } = played;
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(model.toolResults()[0]?.text).toContain("tree means TREE");
    expect(step.log).toContain(`access token of ${server.issuer} (the job's identity)`);
    const [{ form } = { form: {} as Record<string, string> }] = server.guarded.asked;
    const { assertion = "" } = form;
    expect(step.masks).toContain(assertion);
    await expectHidden(played, [assertion]);
  });
});

describe("a job with a service whose server asks for OAuth", () => {
  async function run(trusted: string, auth: object = { type: "job" }) {
    const model = await openModel([say("Done.")]);
    const config = readConfig(
      {},
      {
        PATH: process.env.PATH,
        BACKEND: "model",
        SANDBOX: "off",
        MODEL: "scripted-model",
        MODEL_BASE_URL: model.baseUrl,
        MODEL_API_KEY: KEY,
        RUN_SECRETS_KEY: randomBytes(32).toString("base64"),
      },
    );
    if (!config.ok) throw new Error(config.refusal.join("\n"));
    const { backend, model: asked, sandbox, rates, secrets, secretKeys } = config.value;
    const fixture = await ScenarioFixture.start({
      config: { backend, model: asked, sandbox, rates, secrets, secretKeys },
    });
    opened.push(() => fixture.close());
    const { issuer } = fixture.codeHost;
    const server = await openGuarded({
      trust: { issuer: issuer.url, jwksUri: issuer.jwksUri, repository: trusted },
    });
    const job = await fixture.job();
    const inputs = { prompt: "Go on.", "mcp-servers": serversOf(server, auth) };
    const step = await fixture.main(job, { inputs });
    return { fixture, server, step, job };
  }

  it("brings the service a token and no ID token, which is stored nowhere when the run has ended", async () => {
    const { fixture, server, step } = await run(REPOSITORY);
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    const submitted = step.requests.find(({ route }) => route === "submit");
    const [token = ""] = server.guarded.issued;
    expect(JSON.parse(submitted?.body ?? "{}")).toMatchObject({
      mcp_servers: { docs: { url: server.url, auth: { type: "job" } } },
      mcp_access: { docs: { access_token: token } },
    });
    const { assertion = "" } = server.guarded.asked[0]?.form ?? {};
    expect(step.masks).toEqual(expect.arrayContaining([token, assertion]));
    const sent = step.requests.map(({ body }) => body).join("\n");
    expect(sent).not.toContain(assertion);
    const seen = [await allThatIsSeen(step), fixture.logText(), await dumpPlace(fixture.place)].join("\n");
    for (const secret of [token, assertion]) expect(seen).not.toContain(secret);
    expect(await fixture.place.query("select run_id from run_secrets")).toEqual([]);
  });

  it("goes on without the server where its authorization server refuses the job, and says so", async () => {
    const { server, step } = await run("octo-org/another");
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(step.annotations.map(({ message }) => message).join("\n")).toMatch(
      /The run has no access to the MCP server docs: localhost:\d+ refused the job's ID token \(400, invalid_grant\)/,
    );
    expect(server.guarded.asked).toHaveLength(1);
    expect(step.requests.map(({ body }) => body).join("\n")).not.toContain("mcp_access");
  });

  it("is told what is wrong with the definition before a run begins", async () => {
    const { step, server } = await run(REPOSITORY, { type: "job", isuer: "https://a.example" });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "invalid_input" } });
    expect(step.annotations.map(({ message }) => message).join("\n")).toContain(
      'The MCP servers are wrong: "docs" .auth.isuer is not a known field. Did you mean "issuer"?',
    );
    expect(server.guarded.asked).toEqual([]);
  });
});
