// The service with BACKEND=model, as its settings make it: a clone, real tools, a sandbox, a scripted model.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import { byTurn } from "../../../fakes/model-server/script.ts";
import { editTestFix, storyTools, sumProject } from "../../../fakes/model-server/stories.ts";
import { call, say } from "../../../fakes/model-server/turn.ts";
import { agentSchema } from "../../../src/contract/agents/agent.ts";
import { modelPricingSchema } from "../../../src/contract/money/money.ts";
import { submitRunResponseSchema } from "../../../src/contract/runs/run.ts";
import { startService } from "../../../src/service/main.ts";
import { SandboxError } from "../../../src/service/sandbox/sandbox-error.ts";
import { type Config, readConfig } from "../../../src/service/settings/config.ts";
import { makeTestKey } from "../../support/account-key.ts";
import type { ServiceFixture } from "../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { ratesDocument } from "../../support/rates-document.ts";

const KEY = "sk-the-models-key-0123456789";
const REPOSITORY = "octo-org/octo-repo";
const tools = { ...storyTools, run: (command: string) => call("run_command", { command }) };

let folder: string;
let repository: TestRepository;
let model: ModelServer | null = null;
let fixture: ServiceFixture | null = null;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "model-test-"));
  repository = new TestRepository(folder, "octo-repo.git");
  repository.commit({ files: sumProject });
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  await fixture?.close();
  await model?.close();
  fixture = null;
  model = null;
});

/** What the settings of a model come to. */
function modelConfig(
  settings: Record<string, string>,
): Pick<Config, "backend" | "model" | "sandbox" | "rates"> {
  const data = { DATA_DIR: join(folder, "data") };
  const config = readConfig(data, { PATH: process.env.PATH, BACKEND: "model", ...settings });
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  const { backend, model, sandbox, rates } = config.value;
  return { backend, model, sandbox, rates };
}

async function play(script: Parameters<typeof startModelServer>[0]["script"], settings = {}) {
  model = await startModelServer({ script, apiKey: KEY });
  const of = { MODEL: "scripted-model", MODEL_BASE_URL: model.baseUrl, MODEL_API_KEY: KEY };
  fixture = await startFixture({
    level: "service",
    repositories: { [REPOSITORY]: { path: repository.path, visibility: "public" } },
    config: modelConfig({ ...of, ...settings }),
  });
  const job = await fixture.job({
    ...fixture.freshRepository(),
    repository: REPOSITORY,
    sha: repository.git(["rev-parse", "refs/heads/main"]),
  });
  const runId = await job.start("Make the test pass.");
  const events = await job.follow(runId);
  return { model, fixture, events, run: await job.run(runId) };
}

describe("a service with a model", () => {
  it("reports what the agent changed in its clone, and keeps the key to itself", async () => {
    const { fixture, events, run } = await play(editTestFix(tools));
    expect(run.status).toBe("completed");
    const changes = events.find(({ event }) => "name" in event && event.name === "repository.changes");
    expect(JSON.stringify(changes)).toContain("+export const sum = (a, b) => a + b;");
    expect(JSON.stringify(events) + fixture.logText()).not.toContain(KEY);
    expect(fixture.logText()).toMatch(/bubblewrap|No sandbox/);
  });

  it("lets commands ask git what has changed", { tags: ["sandbox"] }, async () => {
    const edit = tools.write("sum.mjs", "export const sum = (a, b) => a + b;\n");
    const { model } = await play(
      byTurn([edit, tools.run("git diff --stat && git log --format=%s"), say("Done.")]),
    );
    expect(model.toolResults().at(-1)?.text).toMatch(/sum\.mjs \| 2 \+-[\s\S]*\nchange\n\[exit code 0\]/);
  });

  it("tells the model where its commands are executed, as the commands find it", {
    tags: ["sandbox"],
  }, async () => {
    const found =
      "pwd; echo ~; node --version; curl -sS --max-time 5 http://example.com; npm config get offline";
    const { model } = await play(byTurn([tools.run(found), say("Done.")]));
    const [told = ""] = model.requests.map(({ system }) => system);
    const [result = ""] = model.toolResults().map(({ text }) => text);
    const [tree, home, version = ""] = result.split("\n");
    expect(told).toContain(`in a sandbox, in ${tree}. Commands have no network`);
    expect(told).toContain(`HOME is ${home},`);
    expect(told).toContain(`In PATH: node ${version.slice(1)}, `);
    expect(result).toMatch(/Could not resolve host|Couldn't connect/);
    expect(result).toContain("\ntrue\n[exit code 0]");
  });

  it("offers no shell to a stranger's repository where there is no sandbox", async () => {
    const { model, run } = await play(byTurn([say("Nothing to do.")]), { PATH: "" });
    expect(run.status).toBe("completed");
    const names = model.requests[0]?.tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["read_file", "write_file"]));
    expect(names).not.toContain("run_command");
    expect(names).not.toContain("fetch_url");
  });

  it("says what the model's server refused, as the run's own failure", async () => {
    const { fixture, events, run } = await play([], { MODEL_API_KEY: "another-key-of-nobody" });
    expect(run).toMatchObject({ status: "failed", cause: "backend_error" });
    expect(JSON.stringify(events.at(-1))).not.toContain("another-key-of-nobody");
    expect(fixture.logText()).not.toContain("backend failed");
  });

  it.each([
    [null, "scripted-model"],
    ["deep", "deep"],
  ])("shows of an agent that names the model %s the one that is asked", async (named, asked) => {
    model = await startModelServer({ script: byTurn([say("Hi.")]), apiKey: KEY });
    const rates = join(folder, "rates.json");
    const prices = { in_nano_usd_per_tok: 1, out_nano_usd_per_tok: 1, free_tier_eligible: true };
    const models = ["swift", "deep", "scripted-model"].map((id) => ({ id, ...prices }));
    await writeFile(rates, JSON.stringify(ratesDocument({ models })));
    const of = { MODEL: "scripted-model", MODEL_BASE_URL: model.baseUrl, MODEL_API_KEY: KEY };
    fixture = await startFixture({ level: "service", config: modelConfig({ ...of, RATES_FILE: rates }) });
    await fixture.stop();
    const { secret: bearer } = await makeTestKey(fixture.place);
    await fixture.restart();
    const json = { name: "helper", ...(named === null ? {} : { model: named }) };
    const agent = agentSchema.parse(
      (await fixture.call("/v1/agents", { method: "POST", bearer, json })).body,
    );
    expect(agent).toMatchObject({ backend: "model", model: asked });
    const runs = `/v1/agents/${agent.id}/runs`;
    const submitted = await fixture.call(runs, { method: "POST", bearer, json: { message: "Hello" } });
    const { run_id: runId } = submitRunResponseSchema.parse(submitted.body);
    await fixture.call(`/v1/ci/runs/${runId}?after=1&wait=30`, { bearer });
    expect(model.requests.map((request) => request.model)).toEqual([asked]);
    const card = modelPricingSchema.parse((await fixture.call("/v1/pricing/models")).body);
    expect(card.models.map(({ id }) => id)).toContain(asked);
  });

  it("does not start with less of a sandbox than was asked for", async () => {
    const config = readConfig(
      { PORT: "0", DATA_DIR: join(folder, "data") },
      {
        BACKEND: "model",
        MODEL: "m",
        MODEL_BASE_URL: "http://127.0.0.1:9/v1",
        SANDBOX: "bubblewrap",
        PATH: "",
      },
    );
    if (!config.ok) throw new Error(config.refusal.join("\n"));
    const starting = startService({ config: config.value, log: pino({ level: "silent" }) });
    await expect(starting).rejects.toThrow(SandboxError);
  });
});
