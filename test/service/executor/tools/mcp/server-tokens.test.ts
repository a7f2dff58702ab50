// Access tokens of MCP servers that ask for OAuth: by a client's secret, by its key, by the identity of the job; what is refused, what is
// asked again, and who is never shown what.

import { generateKeyPairSync } from "node:crypto";
import { exportJWK } from "jose";
import { afterEach, describe, expect, it } from "vitest";
import { startIssuer } from "../../../../../fakes/issuer/issuer.ts";
import {
  type GuardedOptions,
  GuardedServer,
  JWT_BEARER,
} from "../../../../../fakes/mcp-server/authorization-server.ts";
import { systemClock } from "../../../../../src/base/clock.ts";
import { ok, refused } from "../../../../../src/base/result.ts";
import * as access from "../../../../../src/federation/mcp/server-access.ts";
import type { MintIdToken } from "../../../../../src/federation/mcp/server-grant.ts";
import type { TaskServers } from "../../../../../src/service/executor/backend.ts";
import * as session from "../../../../../src/service/executor/tools/mcp/mcp-session.ts";
import { openRunServers } from "../../../../../src/service/executor/tools/mcp/run-servers.ts";
import { readServers } from "../../../../../src/service/executor/tools/mcp/server-definition.ts";
import { EgressFixture } from "../../../egress/egress-fixture.ts";
import { SandboxFixture } from "../../../sandbox/sandbox-fixture.ts";
import { folderCheckout } from "../folder-checkout.ts";
import { TaskRecorder } from "../task-recorder.ts";

const SECRET = "client-secret-0123456789";
const SERVER = "registry.example";
const ISSUER = "files.example";

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

type Starting = {
  readonly auth: object | ((issuer: string) => object);
  readonly options?: Omit<GuardedOptions, "server" | "issuer">;
  readonly hosts?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly mintIdToken?: MintIdToken | null;
  readonly accessToken?: TaskServers["accessToken"];
  readonly before?: (guarded: GuardedServer, internet: EgressFixture) => void;
};

async function start(starting: Starting) {
  const internet = new EgressFixture();
  await internet.start();
  opened.push(() => internet.close());
  const [server, issuer] = [`https://${SERVER}:${internet.port}`, `https://${ISSUER}:${internet.port}`];
  const guarded = new GuardedServer({ server, issuer, ...starting.options });
  internet.respond = guarded.respond;
  starting.before?.(guarded, internet);
  const { auth, variables = { CLIENT_SECRET: SECRET } } = starting;
  const definition = {
    url: `${server}/mcp`,
    headers: { "X-Team": "secret-of-the-server" },
    auth: typeof auth === "function" ? auth(issuer) : auth,
  };
  const read = readServers(
    { docs: definition },
    { origin: "workflow", variables: { values: variables, isWithheld: () => false } },
  );
  expect(read.problems).toEqual([]);
  const sandboxes = new SandboxFixture();
  opened.push(() => sandboxes.close());
  const checkout = await folderCheckout({});
  opened.push(() => checkout.close());
  const recorder = new TaskRecorder();
  const hosts = starting.hosts ?? [`${SERVER}:PORT`, `${ISSUER}:PORT`];
  const egress = internet.open(hosts);
  const none = async () => refused({ reason: "the run's job brought no access token for it" });
  const task = recorder.task({
    network: { egress, withheld: [] },
    mcp: {
      asked: null,
      mayUseRepositorys: false,
      authorizeWrite: async () => ({ isAllowed: true }),
      accessToken: starting.accessToken ?? none,
      connection: none,
    },
  });
  const run = await openRunServers({
    load: async () => session,
    tokens: {
      load: async () => access,
      mintIdToken: starting.mintIdToken ?? null,
      clock: systemClock,
      random: () => 0,
    },
    sandbox: await sandboxes.find({ environment: { SANDBOX: "off" } }),
    servers: read.servers,
    problems: [],
    place: { gitFolder: null, isTrusted: false },
    task,
    checkout,
    elicitations: null,
    ca: internet.identity.cert,
  });
  opened.push(() => run.close());
  const call = async (name: string, input: object = {}) => {
    const tool = run.tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`No tool ${name}.`);
    return await tool.run(input, { checkout, signal: task.signal }).then(
      ({ text }) => text,
      (cause: Error) => `error: ${cause.message}`,
    );
  };
  const record = recorder.events
    .map((event) => (event.type === "TOOL_CALL_RESULT" ? event.content : ""))
    .join("");
  /** What the run's readers could see has nothing of these. */
  const expectHidden = (...secrets: readonly string[]) => {
    const seen = JSON.stringify([recorder.events, run.text]);
    for (const secret of [...guarded.issued, ...secrets]) {
      expect(seen).not.toContain(secret);
      expect(recorder.secrets.apply(secret)).toBe("***");
    }
  };
  return { internet, guarded, issuer, server, call, record, recorder, egress, expectHidden };
}

const bySecret = (issuer: string) => ({
  type: "client_credentials",
  client_id: "team",
  client_secret: "${CLIENT_SECRET}",
  issuer,
});
const client = { id: "team", secret: SECRET };

describe("a server that takes the tokens of a client", () => {
  it("is called with a token of its authorization server, whose host is shown, and which sees none of its headers", async () => {
    const { guarded, call, record, issuer, egress, internet, expectHidden } = await start({
      auth: bySecret,
      options: { client },
    });
    expect(record).toBe(`docs: 11 tools; access token of ${issuer} (client credentials)`);
    expect(await call("mcp__docs__lookup", { word: "tree" })).toContain("tree means TREE");
    expect(guarded.asked).toMatchObject([
      {
        status: 200,
        form: {
          grant_type: "client_credentials",
          scope: "tools",
          resource: `https://${SERVER}:${internet.port}/mcp`,
        },
      },
    ]);
    expect(new Set(guarded.authorizations.slice(1))).toEqual(new Set([`Bearer ${guarded.issued[0]}`]));
    expect(egress.record().allowed.map(({ host }) => host)).toEqual([
      `${SERVER}:${internet.port}`,
      `${ISSUER}:${internet.port}`,
    ]);
    expectHidden(SECRET);
  });

  it("signs by a key that is sent nowhere", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const keys = { keys: [{ ...(await exportJWK(publicKey)), alg: "ES256" }] };
    const { guarded, record, expectHidden } = await start({
      auth: (issuer) => ({
        type: "private_key_jwt",
        client_id: "team",
        private_key: "${CLIENT_KEY}",
        issuer,
        scope: "tools:read",
      }),
      options: { client: { id: "team", keys } },
      variables: { CLIENT_KEY: pem, CLIENT_SECRET: SECRET },
    });
    expect(record).toMatch(/^docs: 11 tools; access token of .* \(private key\)$/);
    expect(guarded.asked).toMatchObject([{ status: 200, form: { scope: "tools:read" } }]);
    expect(JSON.stringify(guarded.asked)).not.toContain(pem.split("\n")[1]);
    expectHidden(pem.split("\n")[1] ?? "");
  });

  it("gets another token once where one is refused in mid-run; then the call fails, and the run does not", async () => {
    const { guarded, call } = await start({ auth: bySecret, options: { client } });
    guarded.revoke();
    expect(await call("mcp__docs__lookup", { word: "tree" })).toContain("tree means TREE");
    expect(guarded.issued).toHaveLength(2);
    guarded.revoke();
    guarded.faults.push({ status: 400, body: '{"error":"invalid_client"}' });
    const said = await call("mcp__docs__lookup", { word: "tree" });
    expect(said).toMatch(
      /^error: The MCP server docs failed: .* refused the client \(400, invalid_client\)\. /,
    );
    expect(guarded.asked).toHaveLength(3);
    // The next call begins anew.
    expect(await call("mcp__docs__lookup", { word: "tree" })).toContain("tree means TREE");
  });

  it("is renewed before it ends", async () => {
    const { guarded, call } = await start({ auth: bySecret, options: { client, lifeSeconds: 0.001 } });
    await call("mcp__docs__lookup", { word: "a" });
    expect(guarded.issued.length).toBeGreaterThan(1);
  });

  it.each([
    [
      "another client",
      { client: { id: "team", secret: "other" } },
      /refused the client \(401, invalid_client\)/,
    ],
    ["no such client", {}, /refused the client \(401, invalid_client\)/],
  ])("is not available with %s, and is asked once", async (_title, options, why) => {
    const { guarded, record, expectHidden } = await start({ auth: bySecret, options });
    expect(record).toMatch(/^docs: not available: /);
    expect(record).toMatch(why);
    expect(guarded.asked).toHaveLength(1);
    expectHidden(SECRET);
  });

  it("shows its secret to no other authorization server than that of the definition", async () => {
    const { guarded, record } = await start({
      auth: bySecret,
      options: { client },
      before: (server, { port }) => {
        server.resourceMetadata = { authorization_servers: [`https://evil.example:${port}`] };
      },
    });
    expect(record).toContain('does not name the authorization server that "issuer" says: nothing was sent');
    expect(guarded.asked).toEqual([]);
  });

  it.each([
    [
      "metadata of another issuer",
      { issuer: "https://evil.example" },
      /metadata of files\.example:\d+ cannot be read/,
    ],
    [
      "a token endpoint without TLS",
      { token_endpoint: "http://files.example/token" },
      /not reached by https/,
    ],
    [
      "a token endpoint at an address of the cloud",
      { token_endpoint: "https://169.254.169.254/token" },
      /169\.254\.169\.254/,
    ],
    [
      "a token endpoint that the run may not reach",
      { token_endpoint: "https://evil.example/token" },
      /Add evil\.example to egress/,
    ],
    [
      "a token endpoint with credentials",
      { token_endpoint: "https://a:b@files.example/token" },
      /without credentials/,
    ],
  ])("refuses %s", async (_title, metadata, why) => {
    const { guarded, record } = await start({
      auth: bySecret,
      options: { client },
      before: (server) => {
        server.metadata = metadata;
      },
    });
    expect(record).toMatch(/^docs: not available: /);
    expect(record).toMatch(why);
    expect(guarded.asked).toEqual([]);
  });

  it.each([
    [
      "of another server",
      { resource: "https://evil.example/mcp" },
      /metadata of registry\.example:\d+ are about another server/,
    ],
    ["without an authorization server", { authorization_servers: [] }, /names no authorization server/],
  ])("refuses metadata %s", async (_title, resourceMetadata, why) => {
    const { record, guarded } = await start({
      auth: bySecret,
      options: { client },
      before: (server) => {
        server.resourceMetadata = resourceMetadata;
      },
    });
    expect(record).toMatch(why);
    expect(guarded.asked).toEqual([]);
  });

  it("names the authorization server where the run may not reach it", async () => {
    const { record, internet, guarded } = await start({
      auth: bySecret,
      options: { client },
      hosts: [`${SERVER}:PORT`],
    });
    expect(record).toContain(`Add ${ISSUER}:${internet.port} to egress.`);
    expect(guarded.asked).toEqual([]);
  });
});

describe("a server that takes the identity of the job", () => {
  async function jobs() {
    const issuer = await startIssuer();
    opened.push(() => issuer.close());
    const minted: { audience: string; token: string }[] = [];
    const mintIdToken: MintIdToken = async (audience) => {
      const token = issuer.sign(issuer.githubClaims({ aud: audience, repository: "octo-org/octo-repo" }));
      minted.push({ audience, token });
      return token;
    };
    const trust = { issuer: issuer.url, jwksUri: issuer.jwksUri, repository: "octo-org/octo-repo" };
    return { minted, mintIdToken, trust };
  }

  it("is shown an ID token that is made for its authorization server, by the grant jwt-bearer", async () => {
    const { minted, mintIdToken, trust } = await jobs();
    const { guarded, call, record, issuer, expectHidden } = await start({
      auth: { type: "job" },
      options: { trust },
      mintIdToken,
    });
    expect(record).toBe(`docs: 11 tools; access token of ${issuer} (the job's identity)`);
    expect(minted.map(({ audience }) => audience)).toEqual([issuer]);
    expect(guarded.asked).toMatchObject([
      { status: 200, form: { grant_type: JWT_BEARER, assertion: minted[0]?.token, scope: "tools" } },
    ]);
    expect(guarded.asked[0]?.form).not.toHaveProperty("client_id");
    expect(guarded.authorizations.join()).not.toContain(minted[0]?.token);
    guarded.revoke();
    expect(await call("mcp__docs__lookup", { word: "tree" })).toContain("tree means TREE");
    // Each token is made for one use.
    expect(new Set(minted.map(({ token }) => token)).size).toBe(2);
    expectHidden(...minted.map(({ token }) => token));
  });

  it("tries nothing else where the token is refused, and repeats nothing of what the server said", async () => {
    const { minted, mintIdToken, trust } = await jobs();
    const { guarded, record, expectHidden, issuer } = await start({
      auth: { type: "job", client_id: "team" },
      options: { trust: { ...trust, repository: "octo-org/another" } },
      mintIdToken,
    });
    expect(record).toContain(`refused the job's ID token (400, invalid_grant). Let it trust the CI's issuer`);
    expect(record).toContain(issuer);
    expect(guarded.asked).toMatchObject([{ status: 400, form: { client_id: "team" } }]);
    expect(minted).toHaveLength(1);
    expectHidden(...minted.map(({ token }) => token));
  });

  it("is shown none where its authorization server takes none", async () => {
    const { minted, mintIdToken, trust } = await jobs();
    const { record } = await start({
      auth: { type: "job" },
      options: { trust },
      mintIdToken,
      before: (server) => {
        server.metadata = { grant_types_supported: ["authorization_code"] };
      },
    });
    expect(record).toContain("takes no ID tokens of jobs");
    expect(minted).toEqual([]);
  });

  it("is shown none where the workflow names another authorization server", async () => {
    const { minted, mintIdToken, trust } = await jobs();
    const auth = { type: "job", issuer: "https://other.example" };
    const { record } = await start({ auth, options: { trust }, mintIdToken });
    expect(record).toContain('does not name the authorization server that "issuer" says');
    expect(minted).toEqual([]);
  });

  it("has the token that the job brought on a service, each request the newest", async () => {
    let token = "";
    const { guarded, call, record } = await start({
      auth: { type: "job" },
      options: { client },
      accessToken: async () => ok(token),
      before: async (server) => {
        // What the job has got.
        token = server.give();
      },
    });
    expect(record).toBe(
      "docs: 11 tools; access token of its authorization server, brought by the job (the job's identity)",
    );
    token = guarded.give();
    expect(await call("mcp__docs__lookup", { word: "tree" })).toContain("tree means TREE");
    expect(guarded.authorizations.at(-1)).toBe(`Bearer ${token}`);
    guarded.revoke();
    expect(await call("mcp__docs__lookup", { word: "tree" })).toBe(
      "error: The MCP server docs failed: it refuses the access token that the job brought",
    );
  });

  it("is not available where no job brought a token", async () => {
    const { record, guarded } = await start({ auth: { type: "job" } });
    expect(record).toBe("docs: not available: the run's job brought no access token for it");
    expect(guarded.asked).toEqual([]);
  });
});

describe("the definition of a server with OAuth", () => {
  const variables = { values: { SECRET, EMPTY: "" }, isWithheld: (name: string) => name === "GITHUB_TOKEN" };
  const problemOf = (
    auth: unknown,
    origin: "operator" | "workflow" | "repository" = "workflow",
    more: object = {},
  ) =>
    readServers({ a: { url: "https://a.example/mcp", auth, ...more } }, { origin, variables }).problems.join(
      "\n",
    );
  const secret = {
    type: "client_credentials",
    client_id: "c",
    client_secret: "${SECRET}",
    issuer: "https://auth.example",
  };

  it.each([
    [{ ...secret, client_secret: "in-the-open" }, ".auth.client_secret must be a variable in braces"],
    [{ ...secret, client_secret: "${EMPTY}" }, "the environment variable EMPTY is not set"],
    [{ ...secret, client_secret: "${GITHUB_TOKEN}" }, "it is a credential or a setting of the job itself"],
    [{ ...secret, issuer: undefined }, ".auth.issuer must be the issuer of an authorization server"],
    [{ ...secret, issuer: "http://auth.example" }, ".auth.issuer must be the issuer"],
    [{ ...secret, issuer: "https://me:pw@auth.example" }, ".auth.issuer must be the issuer"],
    [{ ...secret, issuer: "https://auth.example?a=b" }, ".auth.issuer must be the issuer"],
    [{ ...secret, scope: "a  b" }, ".auth.scope must be scopes with one space between"],
    [{ ...secret, client_id: "a b" }, ".auth.client_id must be visible ASCII"],
    [{ ...secret, clientId: "c" }, "clientId is not a known field"],
    [
      { type: "private_key_jwt", client_id: "c", private_key: "${SECRET}", issuer: "https://a.example" },
      "holds no private key (PKCS #8, in PEM)",
    ],
    [
      {
        type: "private_key_jwt",
        client_id: "c",
        private_key: "${SECRET}",
        issuer: "https://a.example",
        algorithm: "HS256",
      },
      ".auth.algorithm must be one of ES256",
    ],
    [{ type: "oauth" }, 'must be an object with "type", one of client_credentials, private_key_jwt, job'],
    ["job", 'must be an object with "type"'],
  ])("is refused with the reason: %j", (auth, why) => {
    expect(problemOf(auth)).toContain(why);
    expect(problemOf(auth)).not.toContain(SECRET);
  });

  it("lets a workflow alone use the identity of its job, and has one credential", () => {
    expect(problemOf({ type: "job" })).toBe("");
    expect(problemOf({ type: "job" }, "operator")).toContain("those of the operator have no job");
    expect(problemOf({ type: "job" }, "repository")).toContain("name this server there");
    expect(problemOf(secret, "workflow", { headers: { authorization: "Bearer x" } })).toContain(
      'has both "auth" and a header Authorization',
    );
    expect(problemOf(secret, "operator")).toBe("");
  });
});
