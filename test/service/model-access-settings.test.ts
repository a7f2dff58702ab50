// Runs that bring their own access to a model, on a service whose operator has configured a model or another agent, or has not
// configured what such runs need.

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { everyTime } from "../../fakes/model-server/script.ts";
import { answer, fault, say } from "../../fakes/model-server/turn.ts";
import type { AgentStep } from "../support/acp-agent.ts";
import { BroughtFixture, type BroughtOptions } from "../support/fixtures/brought-fixture.ts";
import { ratesDocument } from "../support/rates-document.ts";
import { ACP_AGENT } from "../support/run/acp-agent-setup.ts";
import { postgresStore } from "../support/stores/stores.ts";

const OPERATORS_KEY = "sk-the-operators-own-key-0123456789";
/** Nobody listens there. */
const NOWHERE = "http://127.0.0.1:1/v1";

let folder: string;
let fixture: BroughtFixture | null = null;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "access-settings-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  await fixture?.close();
  fixture = null;
});

async function start(
  settings: Record<string, string>,
  options: Partial<BroughtOptions> = {},
): Promise<BroughtFixture> {
  const script = everyTime(({ firstUserMessage }) =>
    firstUserMessage.includes("[redirect]")
      ? fault({ status: 307, headers: { location: "https://evil.example/v1/messages" } })
      : answer([say("Good day.")]),
  );
  fixture = await BroughtFixture.start({ script, settings, ...options });
  return fixture;
}

describe("a run that brings access to a model", () => {
  it("goes to its provider alone where the operator has another model, and needs no price", async () => {
    const rates = join(folder, "rates.json");
    await writeFile(rates, JSON.stringify(ratesDocument()));
    const service = await start({
      BACKEND: "model",
      MODEL: "swift",
      ADVISOR_MODEL: "deep",
      REVIEWER_MODEL: "deep",
      MODEL_BASE_URL: NOWHERE,
      MODEL_API_KEY: OPERATORS_KEY,
      RATES_FILE: rates,
    });
    const access = await service.access();
    const job = await service.job();
    const run = await job.ended(await service.submit(job, "Say it.", access));
    expect(run).toMatchObject({ status: "completed", credits: 1, tokens: 120, model_billing: "repository" });
    expect("usage_by_role" in run ? Object.keys(run.usage_by_role ?? {}) : []).toEqual(["executor"]);
    expect(service.house.model.requests).toHaveLength(1);
    expect(JSON.stringify(service.house.model.requests[0]?.headers)).not.toContain(OPERATORS_KEY);
  });

  describe("on a service with another agent", () => {
    const acp = async (turn: readonly AgentStep[], settings: Record<string, string> = {}) => {
      const path = join(folder, "script.json");
      await writeFile(path, JSON.stringify({ turn }));
      return await start({
        BACKEND: "acp",
        ACP_COMMAND: JSON.stringify([process.execPath, ACP_AGENT]),
        ACP_ENV: JSON.stringify({
          ACP_SCRIPT: path,
          AGENT_MODEL_URL: "{model_url}",
          AGENT_MODEL_KEY: "{model_key}",
        }),
        MODEL_PROVIDER: "anthropic",
        MODEL_BASE_URL: NOWHERE,
        MODEL_API_KEY: OPERATORS_KEY,
        SANDBOX: "off",
        ...settings,
      });
    };
    const ask = (content: string): AgentStep => ({
      do: "request",
      path: "/v1/messages",
      body: { model: "the-agents-own", max_tokens: 9, messages: [{ role: "user", content }] },
    });
    const done: AgentStep = { do: "stop", answer: { stopReason: "end_turn" } };
    const tell: AgentStep = {
      do: "update",
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Two it is." } },
    };

    it("is reached through the proxy that has the token, for the model that the job named", async () => {
      const service = await acp([ask("Hello"), tell, done]);
      const access = await service.access();
      const job = await service.job();
      const runId = await service.submit(job, "Make it two.", access);
      const events = await job.follow(runId);
      expect(await job.run(runId)).toMatchObject({
        status: "completed",
        credits: 1,
        tokens: 120,
        model_billing: "repository",
      });
      const { requests } = service.house.model;
      expect(requests).toMatchObject([{ model: "claude-x", wire: "anthropic" }]);
      expect(requests[0]?.headers).toMatchObject({ authorization: `Bearer ${access.access_token}` });
      expect(requests[0]?.headers).not.toHaveProperty("x-api-key");
      expect(service.house.refusedCalls).toEqual([]);
      const left = JSON.stringify(events) + (await service.leftBehind());
      for (const secret of service.house.secrets()) expect(left.includes(secret)).toBe(false);
    });

    it("holds the run's budget of tokens", async () => {
      const service = await acp([ask("Hello"), tell, done]);
      const job = await service.job();
      const access = await service.access();
      const { body } = await job.submit({ message: "go", max_turn_tokens: 1, model_access: access });
      const run = await job.ended((body as { run_id: string }).run_id);
      expect(run).toMatchObject({ status: "failed", stop_reason: "max_tokens", credits: 1 });
      expect(service.house.model.requests).toEqual([]);
    });

    it("follows no redirect", async () => {
      const service = await acp([ask("[redirect]"), tell, done]);
      const job = await service.job();
      await job.ended(await service.submit(job, "Make it two.", await service.access()));
      expect(service.house.model.requests).toHaveLength(1);
      expect(new Set(service.house.tunnels)).toEqual(new Set(["api.anthropic.com:443"]));
    });

    it("is refused where the agent speaks another protocol", async () => {
      const service = await acp([done], { MODEL_PROVIDER: "openai-compatible" });
      const job = await service.job();
      const refused = await job.submit({ message: "go", model_access: await service.access() });
      expect(refused.body).toMatchObject({ code: "model_access_refused", reason: "wire_unsupported" });
      const openai = await job.submit({ message: "go", model_access: await service.access("openai") });
      expect(openai.status).toBe(202);
    });
  });

  it("fails and says so when its token has ended meanwhile, and nobody renewed it", {
    tags: ["postgres"],
  }, async () => {
    const store = postgresStore;
    const gate = Promise.withResolvers<void>();
    const script = everyTime(({ assistantTurns }) =>
      assistantTurns === 0
        ? async () => {
            await gate.promise;
            return answer([{ type: "call", tool: "read_file", input: '{"path":"a.txt"}' }]);
          }
        : answer([say("No.")]),
    );
    const service = await start({}, { store, script });
    const job = await service.job();
    const runId = await service.submit(job, "Say it.", await service.access());
    await service.house.model.arrival(1);
    await service.place.query("update run_secrets set expires_at = 1000");
    gate.resolve();
    const events = await job.follow(runId);
    expect(await job.run(runId)).toMatchObject({ status: "failed", cause: "backend_error", retryable: true });
    expect(JSON.stringify(events.at(-1)?.event)).toContain(
      "The access to the repository's model at Anthropic ended at 1970-01-01T00:00:01.000Z and was not renewed.",
    );
    expect(service.house.model.requests).toHaveLength(1);
  });

  it("is refused where nodes share a database and have no key for it", { tags: ["postgres"] }, async () => {
    const store = postgresStore;
    const service = await start({ RUN_SECRETS_KEY: "" }, { store });
    const job = await service.job();
    const refused = await job.submit({ message: "go", model_access: await service.access() });
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { code: "model_access_refused", reason: "secrets_key_missing" },
    ]);
    expect(await service.place.query("select id from runs")).toEqual([]);
  });

  it("fails and says so where the sandbox that its operator wants is not there", async () => {
    // A folder with git alone: there is no bwrap.
    const bin = join(folder, "bin");
    await mkdir(bin);
    await symlink(execFileSync("which", ["git"], { encoding: "utf8" }).trim(), join(bin, "git"));
    const service = await start({ SANDBOX: "bubblewrap", PATH: bin });
    const job = await service.job();
    const runId = await service.submit(job, "Say it.", await service.access());
    const events = await job.follow(runId);
    expect(events.at(-1)?.event).toMatchObject({
      type: "RUN_ERROR",
      message: "The sandbox of this service does not start: its log says why. Tell its operator.",
    });
    expect(service.house.model.requests).toEqual([]);
  });

  it("is refused where the service is reached without TLS", async () => {
    const service = await start({ BASE_URL: "http://brought.example" });
    const job = await service.job();
    const refused = await job.submit({ message: "go", model_access: await service.access() });
    expect(refused.body).toMatchObject({ code: "model_access_refused", reason: "service_insecure" });
    const left = await service.leftBehind();
    for (const secret of service.house.secrets()) expect(left.includes(secret)).toBe(false);
  });
});
