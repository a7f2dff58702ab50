// A job without a server whose repository names the job's own credentials in `.mcp.json`: no value of them reaches a server, its
// process, a command, the model, or whoever reads the run.

import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { writeServerProgram } from "../../../fakes/mcp-server/fake-mcp.ts";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import { byTurn } from "../../../fakes/model-server/script.ts";
import { call as callTool, say } from "../../../fakes/model-server/turn.ts";
import { exchangeResponseSchema } from "../../../src/contract/ci/exchange.ts";
import {
  type EmbeddedOptions,
  type EmbeddedService,
  EmbeddedSettingsError,
  startEmbeddedService,
} from "../../../src/service/embedded/embedded.ts";
import { call } from "../../support/service-client.ts";
import { CiJob } from "../../support/service-job.ts";
import { BorrowedFixture } from "../checkouts/borrowed-fixture.ts";

const credentials = [
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
  "ACTIONS_ID_TOKEN_REQUEST_URL",
  "ACTIONS_RUNTIME_TOKEN",
  "INPUT_GITHUB-TOKEN",
  "INPUT_TOKEN",
  "CI_JOB_TOKEN",
  "CI_JOB_JWT_V2",
  "CI_REGISTRY_PASSWORD",
  "CI_DEPLOY_PASSWORD",
  "CI_DEPENDENCY_PROXY_PASSWORD",
  "CI_REPOSITORY_URL",
  "AGENT_SERVICE_ID_TOKEN",
  "AGENT_SERVICE_ID_TOKEN_2",
  "AGENT_SERVICE_MODEL_ID_TOKEN",
  "AGENT_SERVICE_GITLAB_TOKEN",
  "AGENT_SERVICE_API_KEY",
  "CIRCLE_OIDC_TOKEN",
  "CIRCLE_OIDC_TOKEN_V2",
  "BUILDKITE_AGENT_ACCESS_TOKEN",
  "BITBUCKET_STEP_OIDC_TOKEN",
  "MODEL_API_KEY",
  "RUN_SECRETS_KEY",
  "DATABASE_URL",
  "OTEL_EXPORTER_OTLP_HEADERS",
];
/** No form that is known of a secret, and no letters and digits beside each other that a mask would go by. */
const canaryOf = (name: string) => `canary-of-${name.toLowerCase().replaceAll("_", "-")}`;
const OWN = "canary-of-the-maintainers-choice";
const SERVERS_A_RUN = 8;

let programs: string;
let program: string;
let checkout: BorrowedFixture;
let model: ModelServer;
let service: EmbeddedService | null = null;
const warnings: string[] = [];

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), "job-credentials-"));
  program = await writeServerProgram(programs);
});
afterAll(() => rm(programs, { recursive: true, force: true }));
afterEach(async () => {
  await service?.close();
  service = null;
  await model.close();
  await checkout.close();
});

/** The server notes down the environment that it was started with. */
function noting(name: string, env: Readonly<Record<string, string>>) {
  const note = join(programs, `env-of-${name}`);
  const command = `env > ${note} 2>/dev/null; exec node ${program} well`;
  return { command: "sh", args: ["-c", command], env };
}

function serversNaming(names: readonly string[]): string {
  const each = names.map((name, at): [string, object] =>
    at % 2 === 0
      ? [`s${at}`, noting(`s${at}`, { GIVEN: `\${${name}}` })]
      : [`s${at}`, { url: "https://mcp.example/mcp", headers: { "X-Given": `Bearer \${${name}}` } }],
  );
  const own = noting("own", { FAKE_TOKEN: `\${TRACKER}`, LITERAL: "x" });
  return JSON.stringify({ mcpServers: { ...Object.fromEntries(each), own } });
}

async function start(more: Pick<EmbeddedOptions, "model">, sandbox: string): Promise<void> {
  const tempFolder = join(checkout.folder, "temp");
  await mkdir(tempFolder, { recursive: true });
  service = await startEmbeddedService({
    job: {
      provider: "gitlab",
      repository: { id: "1", ownerId: "2" },
      repositoryName: "octo/fixture",
      event: "push",
      sha: checkout.headSha,
      ref: "refs/heads/main",
      baseRef: null,
      runId: "1",
      runAttempt: "1",
    },
    root: checkout.root,
    tempFolder,
    environment: {
      PATH: process.env.PATH,
      SANDBOX: sandbox,
      SANDBOX_READ_PATHS: programs,
      TRACKER: OWN,
      ...Object.fromEntries(credentials.map((name) => [name, canaryOf(name)])),
    },
    egress: [],
    onWarning: (line) => warnings.push(line),
    ...more,
  });
}

/** All that the run's readers, its model and its servers get to see. */
async function play(names: readonly string[], sandbox: string) {
  checkout = await BorrowedFixture.make({ "README.md": "# Fixture\n", ".mcp.json": serversNaming(names) });
  const look = "env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; echo over";
  model = await startModelServer({
    script: byTurn([
      callTool("mcp__own__whoami", {}),
      callTool("run_command", { command: look }),
      say("Done."),
    ]),
  });
  const { baseUrl } = model;
  const chosen = { MODEL: "scripted-model", MODEL_BASE_URL: baseUrl, MCP_SERVERS: ".mcp.json" };
  await start({ model: chosen }, sandbox);
  const url = service?.url ?? "";
  const answer = await call(`${url}/v1/ci/oidc/exchange`, {
    method: "POST",
    json: { subject_token: await service?.mintIdToken() },
  });
  const exchanged = exchangeResponseSchema.parse(answer.body);
  const job = new CiJob({ fixture: { call: (path, options) => call(url + path, options) }, exchanged });
  const runId = await job.start("Go on.");
  const events = JSON.stringify((await job.follow(runId)).map(({ event }) => event));
  const notes = (await readdir(programs)).filter((name) => name.startsWith("env-of-"));
  const environments = await Promise.all(notes.map((name) => readFile(join(programs, name), "utf8")));
  await Promise.all(notes.map((name) => rm(join(programs, name))));
  return {
    run: await job.run(runId),
    events,
    notes,
    environments: environments.join("\n"),
    asked: model.requests.map(({ body }) => JSON.stringify(body)).join("\n"),
  };
}

const chunks = Array.from({ length: Math.ceil(credentials.length / SERVERS_A_RUN) }, (_, at) =>
  credentials.slice(at * SERVERS_A_RUN, (at + 1) * SERVERS_A_RUN),
);

async function expectWithheld(names: readonly string[], sandbox: string): Promise<string> {
  const { run, events, environments, asked, notes } = await play(names, sandbox);
  expect(run.status).toBe("completed");
  const seen = [events, environments, asked, JSON.stringify(run), ...warnings].join("\n");
  for (const name of credentials) expect(seen).not.toContain(canaryOf(name));
  for (const name of names.filter((one) => /^\w+$/.test(one)))
    expect(events).toContain(`\${${name}} is refused: it is a credential or a setting of the job itself.`);
  expect(events).toContain("own: 11 tools");
  expect(asked).toContain("over");
  // What the server says of it, the model gets to hear, and nobody else.
  expect(events).not.toContain(OWN);
  return `${notes.join(" ")}\n${environments}`;
}

describe("credentials of a job that its repository's MCP servers name", () => {
  it.each(chunks)("are given to none of them: %s and the next", async (...names) => {
    const told = await expectWithheld(names, "off");
    // The one that names a variable of the maintainer's own has that, and no other.
    expect(told).toMatch(/^env-of-own\n/);
    expect(told).toContain(`FAKE_TOKEN=${OWN}`);
  });

  it.each(["CI_JOB_TOKEN", "GITHUB_TOKEN", "MODEL_API_KEY", "AGENT_SERVICE_ID_TOKEN"])(
    "are given to no server that the job names either: %s",
    async (name) => {
      checkout = await BorrowedFixture.make({ "README.md": "# Fixture\n" });
      model = await startModelServer({ script: byTurn([say("Done.")]) });
      const servers = JSON.stringify({ s: noting("s", { GIVEN: `\${${name}}` }) });
      const chosen = { MODEL: "scripted-model", MODEL_BASE_URL: model.baseUrl, MCP_SERVERS: servers };
      const started = start({ model: { ...chosen, MODEL_API_KEY: canaryOf(name) } }, "off");
      await expect(started).rejects.toThrow(EmbeddedSettingsError);
      await expect(started).rejects.toThrow(`"s" .env.GIVEN: \${${name}} is refused`);
    },
  );
});

describe("credentials of a job beside its sandbox", { tags: ["sandbox"] }, () => {
  it("reach no server, no command and nobody who reads the run", async () => {
    await expectWithheld(credentials.slice(0, SERVERS_A_RUN), "bubblewrap");
  });
});
