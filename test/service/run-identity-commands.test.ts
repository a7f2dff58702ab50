// Commands of a run ask for its ID tokens by the clients that people use in jobs of GitHub Actions, in the sandbox and without one, and the
// tokens verify against the service as an issuer. What a run says shows none of it.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createRemoteJWKSet, jwtVerify } from "jose";
import * as openid from "openid-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { agentSchema } from "../../src/contract/agents/agent.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { makeTestKey } from "../support/account-key.ts";
import type { ServiceFixture } from "../support/fixtures/service-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { dumpPlace } from "../support/service-dump.ts";

const KEY = "sk-the-models-key-0123456789";
const AWS = "sts.amazonaws.com";
const STEPS_OWN = "the-request-token-of-the-step-itself";
const modules = resolve(dirname(fileURLToPath(import.meta.url)), "../../node_modules");

let folder: string;
let fixture: ServiceFixture | null = null;
let model: ModelServer | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "run-identity-"));
});
afterEach(async () => {
  await fixture?.close();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
  fixture = null;
  model = null;
});

type Played = {
  readonly sandbox: Readonly<Record<string, string>>;
  readonly audiences: readonly string[];
  readonly calls: readonly { readonly command: string; readonly run_in_background?: boolean }[];
};

/** One run of an account's agent, and the results of its calls as the model reads them. */
async function play({ sandbox: variables, audiences, calls }: Played) {
  model = await startModelServer({
    script: byTurn([...calls.map((input) => call("run_command", input)), say("Done.")]),
    apiKey: KEY,
  });
  const read = readConfig(
    { DATA_DIR: folder },
    {
      PATH: process.env.PATH,
      BACKEND: "model",
      MODEL: "scripted-model",
      MODEL_BASE_URL: model.baseUrl,
      MODEL_API_KEY: KEY,
      RUN_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      // As of a job that the service is in.
      ACTIONS_ID_TOKEN_REQUEST_URL: "http://127.0.0.1:1/steps?api-version=2.0",
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: STEPS_OWN,
      ...variables,
    },
  );
  if (!read.ok) throw new Error(read.refusal.join("\n"));
  const { backend, model: ofModel, sandbox, rates, secretKeys } = read.value;
  fixture = await startFixture({
    level: "service",
    config: { backend, model: ofModel, sandbox, rates, secretKeys },
  });
  const service = fixture;
  await service.stop();
  const { secret: bearer } = await makeTestKey(service.place);
  await service.restart();
  const made = await service.call("/v1/agents", { method: "POST", bearer, json: { name: "helper" } });
  const agent = agentSchema.parse(made.body);
  const json = { audiences: audiences.map((audience) => ({ audience })) };
  const path = `/v1/agents/${agent.id}/audiences`;
  expect((await service.call(path, { method: "PUT", bearer, json })).status).toBe(200);
  const submitted = await service.call(`/v1/agents/${agent.id}/runs`, {
    method: "POST",
    bearer,
    json: { message: "Go on." },
  });
  const { run_id: runId } = submitRunResponseSchema.parse(submitted.body);
  const events: unknown[] = [];
  for (let after = 0, done = false; !done; ) {
    const { body } = await service.call(`/v1/ci/runs/${runId}?after=${after}&wait=30`, { bearer });
    const polled = body as { next: number; done: boolean; events: unknown[] };
    events.push(...polled.events);
    ({ next: after, done } = polled);
  }
  const [{ system = "" } = {}] = model.requests;
  const results = model.toolResults().map(({ text }) => text);
  const shown = `${JSON.stringify(events)}${service.logText()}${await dumpPlace(service.place)}`;
  return { agent, runId, results, system, shown, requests: JSON.stringify(model.requests), service };
}

const client = (audience: string) => ({
  command: [
    `${process.execPath} --input-type=module -e '`,
    `import { getIDToken } from "${modules}/@actions/core/lib/core.js";`,
    `const token = await getIDToken("${audience}").catch((cause) => console.log(cause.message));`,
    // No mask knows a token from its end.
    `if (token) console.log("reversed: " + [...token].reverse().join(""));'`,
  ].join("\n"),
});
const curl = (audience: string) =>
  `curl -sS -H "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${audience}"`;

async function expectTokens(sandbox: Readonly<Record<string, string>>): Promise<string> {
  const played = await play({
    sandbox,
    audiences: [AWS, "vault"],
    calls: [
      client(AWS),
      client("https://another.example"),
      { command: curl("vault") },
      { command: `env | grep ^ACTIONS_; ${curl(AWS)} | tr -d '\\n' | base64 -w0` },
      { command: curl("vault"), run_in_background: true },
    ],
  });
  const { results, service, shown, requests, runId } = played;
  const token = [...(/reversed: (\S+)/.exec(results[0] ?? "")?.[1] ?? "")].reverse().join("");
  const issuer = await openid.discovery(new URL(`${service.url}/id`), "cloud", undefined, undefined, {
    execute: [openid.allowInsecureRequests],
  });
  const { jwks_uri: keys = "", issuer: name } = issuer.serverMetadata();
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(keys)), {
    issuer: name,
    audience: AWS,
    algorithms: ["RS256"],
    currentDate: new Date(service.clock.now()),
  });
  expect(payload).toMatchObject({ run_id: runId, trust: "trusted" });
  expect(service.logText()).toContain(
    `Clouds cannot read the keys that vouch for runs at ${service.url}/id/jwks`,
  );
  // @actions/core masks it on its own: the line is masked, too.
  expect(results[0]).toContain("::add-mask::***");
  expect(results[1]).toContain("Error Code : 403");
  expect(results[1]).toContain('get no ID token for "https://another.example": its owner has not granted it');
  expect(results[2]).toBe('{"value":"***"}\n[exit code 0]');
  expect(results[3]).toContain("ACTIONS_ID_TOKEN_REQUEST_TOKEN=***\n");
  expect(results[4]).toContain('{"value":"***"}');
  const rows = await service.place.query(
    "select outcome, request_id from audit_entries where action = 'run_token' order by outcome",
  );
  expect(rows).toEqual([AWS, AWS, "vault", "vault"].map((outcome) => ({ outcome, request_id: runId })));
  for (const text of [shown, requests]) {
    expect(text).not.toContain(token);
    expect(text).not.toMatch(/svc_run_\w/);
    expect(text).not.toContain(STEPS_OWN);
  }
  return results[3] ?? "";
}

describe("commands of a run", () => {
  it("get ID tokens without a sandbox, at a port of this machine", async () => {
    const seen = await expectTokens({ SANDBOX: "off" });
    expect(seen).toMatch(
      /ACTIONS_ID_TOKEN_REQUEST_URL=http:\/\/127\.0\.0\.1:\d+\/id-token\?api-version=2\.0\n/,
    );
  });

  it("have neither variable where nothing is granted, whatever the service's own environment has", async () => {
    const { results, system } = await play({
      sandbox: { SANDBOX: "off" },
      audiences: [],
      calls: [{ command: "env | grep -c ACTIONS_" }],
    });
    expect(results[0]).toBe("0\n[exit code 1]");
    expect(system).not.toContain("ID tokens");
  });

  describe("in the sandbox", { tags: ["sandbox"] }, () => {
    it("get ID tokens at the sandbox's own loopback, without a network, and are told for whom", async () => {
      const seen = await expectTokens({
        SANDBOX: "bubblewrap",
        SANDBOX_READ_PATHS: modules,
      });
      expect(seen).toContain("ACTIONS_ID_TOKEN_REQUEST_URL=http://127.0.0.1:4143/id-token?api-version=2.0\n");
      expect(model?.requests[0]?.system).toContain(`for these audiences alone: ${AWS}, vault.`);
    });
  });
});
