// The network of runs, as the settings of a service make it: levels of policies, a scripted model whose commands go out by the
// proxy, what the model is told and what the run's stream records.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import { byTurn } from "../../../fakes/model-server/script.ts";
import { call, say } from "../../../fakes/model-server/turn.ts";
import { selfSigned } from "../../../fakes/self-signed.ts";
import { agentSchema } from "../../../src/contract/agents/agent.ts";
import { submitRunResponseSchema } from "../../../src/contract/runs/run.ts";
import { readConfig } from "../../../src/service/settings/config.ts";
import { makeTestKey } from "../../support/account-key.ts";
import type { ServiceFixture } from "../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";

const KEY = "sk-the-models-key-0123456789";

let page: Server;
let port: number;
let asked: string[];
beforeAll(async () => {
  page = createServer(selfSigned(["localhost"]), (request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    response.setHeader("content-type", "text/plain").end("from the host\n");
  });
  page.listen(0, "127.0.0.1");
  await once(page, "listening");
  port = (page.address() as AddressInfo).port;
});
afterAll(() => {
  page.closeAllConnections();
  page.close();
});

let folder: string;
let fixture: ServiceFixture | null = null;
let model: ModelServer | null = null;
beforeEach(async () => {
  asked = [];
  folder = await mkdtemp(join(tmpdir(), "egress-runs-"));
});
afterEach(async () => {
  await fixture?.close();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
  fixture = null;
  model = null;
});

type Levels = {
  readonly operator: string;
  readonly owner?: unknown;
  readonly run?: unknown;
};

/** One run of an account's agent. Its commands are curl's, which goes around a proxy for localhost unless it is told. */
async function play({ operator, owner, run }: Levels, commands: readonly string[]) {
  model = await startModelServer({
    script: byTurn([...commands.map((command) => call("run_command", { command })), say("Done.")]),
    apiKey: KEY,
  });
  // A folder of its own: a service that starts removes what it finds beside its data.
  const read = readConfig(
    { DATA_DIR: folder },
    {
      PATH: process.env.PATH,
      BACKEND: "model",
      MODEL: "scripted-model",
      MODEL_BASE_URL: model.baseUrl,
      MODEL_API_KEY: KEY,
      EGRESS: operator,
      EGRESS_REGISTRIES: `localhost:${port}`,
      EGRESS_PRIVATE_HOSTS: "localhost=127.0.0.0/8, localhost=::1/128",
    },
  );
  if (!read.ok) throw new Error(read.refusal.join("\n"));
  const { backend, model: ofModel, sandbox, egress, rates } = read.value;
  fixture = await startFixture({
    level: "service",
    config: { backend, model: ofModel, sandbox, egress, rates },
  });
  await fixture.stop();
  const { secret: bearer } = await makeTestKey(fixture.place);
  await fixture.restart();
  const { call: ask } = { call: fixture.call.bind(fixture) };
  const agent = agentSchema.parse(
    (await ask("/v1/agents", { method: "POST", bearer, json: { name: "helper" } })).body,
  );
  if (owner !== undefined) {
    const set = await ask(`/v1/agents/${agent.id}`, { method: "PATCH", bearer, json: { egress: owner } });
    expect(set.status).toBe(200);
  }
  const json = { message: "Go on.", ...(run === undefined ? {} : { egress: run }) };
  const submitted = await ask(`/v1/agents/${agent.id}/runs`, { method: "POST", bearer, json });
  const { run_id: runId } = submitRunResponseSchema.parse(submitted.body);
  const records: unknown[] = [];
  for (let after = 0, done = false; !done; ) {
    const { body } = await ask(`/v1/ci/runs/${runId}?after=${after}&wait=30`, { bearer });
    const polled = body as {
      next: number;
      done: boolean;
      events: { event: { name?: string; value?: unknown } }[];
    };
    records.push(
      ...polled.events.filter(({ event }) => event.name === "egress").map(({ event }) => event.value),
    );
    ({ next: after, done } = polled);
  }
  const [{ system = "", tools = [] } = {}] = model.requests;
  return {
    records,
    told: system,
    tools: tools.map(({ name }) => name),
    results: model.toolResults().map(({ text }) => text),
  };
}

const get = () => `curl -sSk --noproxy "" https://localhost:${port}/`;

describe("a run's network on a service", { tags: ["sandbox"] }, () => {
  it("is what run, owner and operator agree on, and is recorded with what was blocked", async () => {
    const host = `localhost:${port}`;
    const { records, told, tools, results } = await play(
      { operator: `${host}, other.example`, owner: [host, "docs.example"], run: [host, "other.example"] },
      [
        get(),
        "curl -sS https://evil.example; curl -sS https://evil.example",
        `curl -sS https://other.example`,
      ],
    );
    expect(results[0]).toBe("from the host\n[exit code 0]");
    expect(results[1]).toContain("[blocked by the network policy of this run: evil.example (not allowed)]");
    expect(results[2]).toContain("[blocked by the network policy of this run: other.example (not allowed)]");
    expect(asked).toEqual([`${host}/`]);
    expect(told).toContain(
      `Commands reach these hosts alone, by https, through the proxy that HTTPS_PROXY names: ${host}.`,
    );
    expect(told).toContain("Asked for and not allowed: other.example.");
    expect(tools).toContain("fetch_url");
    expect(records).toEqual([
      { withheld: ["other.example"], allowed: [], blocked: [] },
      {
        withheld: ["other.example"],
        allowed: [{ host, connections: 1, bytes: expect.any(Number) }],
        blocked: [
          { host: "evil.example", times: 2, reason: "not_allowed" },
          { host: "other.example", times: 1, reason: "not_allowed" },
        ],
      },
    ]);
  });

  it.each<[string, Levels]>([
    ["nobody asks", { operator: "registries" }],
    ["the run asks for none", { operator: "registries", owner: "registries", run: "none" }],
    ["only setup may", { operator: "registries", owner: "setup", run: "setup" }],
  ])("is none where %s, and nothing is recorded", async (_why, levels) => {
    const { records, told, tools, results } = await play(levels, [get()]);
    expect(results[0]).toMatch(/Failed to connect|Couldn't connect/);
    expect(told).toContain("Commands have no network: nothing can be downloaded.");
    expect(tools).not.toContain("fetch_url");
    expect(records).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("is none where the operator allows none, and the run is told", async () => {
    const { records, told, results } = await play(
      { operator: "none", owner: "registries", run: "registries" },
      [get()],
    );
    expect(results[0]).not.toContain("from the host");
    expect(told).toContain("Asked for and not allowed: registries.");
    expect(records).toEqual([{ withheld: ["registries"], allowed: [], blocked: [] }]);
  });

  it("is the owner's policy where the run names none", async () => {
    const { results } = await play({ operator: "registries", owner: "registries" }, [get()]);
    expect(results[0]).toContain("from the host");
  });
});
