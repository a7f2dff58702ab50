// The proxy between an agent and its model: a scripted agent as a process, the model's server a fake.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../../../fakes/model-server/model-server.ts";
import { everyTime } from "../../../../../../fakes/model-server/script.ts";
import { answer, breakOff, fault, type Step, say } from "../../../../../../fakes/model-server/turn.ts";
import type { CodingAgentWire } from "../../../../../../src/contract/models/protocols.ts";
import { UsageMeter } from "../../../../../../src/service/executor/usage-meter.ts";
import { defaultRates } from "../../../../../../src/service/settings/default-rates.ts";
import type { AgentStep } from "../../../../../support/acp-agent.ts";
import {
  type AcpFixtureOptions,
  type AcpRun,
  closeFixtures,
  runAgent,
} from "../../../../../support/fixtures/acp-fixture.ts";

const KEY = "sk-the-operators-own-key-0123456789";
const usage = { input: 1000, output: 50, cacheRead: 400, cacheWrite: 0, reasoning: 0 };
const done: AgentStep = {
  do: "update",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Done." } },
};

const messages = [{ role: "user", content: "Hello" }];
const bodies: Readonly<Record<string, { wire: CodingAgentWire; path: string; body: object }>> = {
  "anthropic, whole": {
    wire: "anthropic",
    path: "/v1/messages?beta=true",
    body: { model: "scripted-model", max_tokens: 100, messages },
  },
  "anthropic, streamed": {
    wire: "anthropic",
    path: "/v1/messages",
    body: { model: "scripted-model", max_tokens: 100, messages, stream: true },
  },
  "openai chat, whole": {
    wire: "openai-compatible",
    path: "/chat/completions",
    body: { model: "scripted-model", messages },
  },
  "openai chat, streamed": {
    wire: "openai-compatible",
    path: "/chat/completions",
    body: { model: "scripted-model", messages, stream: true, stream_options: { include_usage: true } },
  },
  "openai responses, whole": {
    wire: "openai-compatible",
    path: "/responses",
    body: { model: "scripted-model", input: messages },
  },
  "openai responses, streamed": {
    wire: "openai-compatible",
    path: "/responses",
    body: { model: "scripted-model", input: messages, stream: true },
  },
  "gemini, whole": {
    wire: "gemini",
    path: "/v1beta/models/scripted-model:generateContent",
    body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  },
  "gemini, streamed": {
    wire: "gemini",
    path: "/v1beta/models/scripted-model:streamGenerateContent?alt=sse",
    body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  },
};

const anthropicCall = bodies["anthropic, whole"] as (typeof bodies)[string];

let server: ModelServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});
afterAll(closeFixtures);

async function runWith(
  step: Step,
  { wire = "anthropic", ...options }: AcpFixtureOptions & { wire?: CodingAgentWire },
): Promise<AcpRun & { model: ModelServer }> {
  const model = await startModelServer({ script: everyTime(() => step), apiKey: KEY });
  server = model;
  const baseUrl = wire === "gemini" ? `${model.url}/v1beta` : model.baseUrl;
  const run = await runAgent({
    ...options,
    settings: {
      environment: { AGENT_MODEL_URL: "{model_url}", AGENT_MODEL_KEY: "{model_key}" },
      model: { wire, baseUrl, apiKey: KEY },
      ...options.settings,
    },
  });
  return { ...run, model };
}

function answersOf({ heard }: AcpRun): { status: number; text: string }[] {
  return heard.filter(({ what }) => what === "answer").map(({ value }) => value as never);
}

describe("the proxy of a model", () => {
  it.each(Object.keys(bodies))("passes requests on with the key, and counts the tokens: %s", async (name) => {
    const { wire, path, body } = bodies[name] as (typeof bodies)[string];
    const run = await runWith(answer([say("Good "), say("day.")], { usage }), {
      wire,
      turn: [{ do: "request", path, body }, done],
    });
    expect(run.outcome).toEqual({ stopReason: "end_turn" });
    const [got] = answersOf(run);
    expect(got).toMatchObject({ status: 200, text: expect.stringContaining("day.") });
    expect(run.model.requests.map(({ apiKey }) => apiKey)).toEqual([KEY]);
    expect(run.recorder.usage.roles.executor).toMatchObject({ tokens: 1050, calls: 1 });
    expect(JSON.stringify(run.heard)).not.toContain(KEY);
  });

  it("charges by the rates, cached input at its own", async () => {
    const rate = { inNanoUsdPerToken: 3000, cachedInNanoUsdPerToken: 300, outNanoUsdPerToken: 15_000 };
    const rates = {
      ...defaultRates,
      models: [{ id: "scripted-model", isFreeTierEligible: false, ...rate }] as const,
    };
    const run = await runWith(answer([say("Good day.")], { usage }), {
      turn: [
        { do: "request", path: anthropicCall.path, body: anthropicCall.body },
        // What the agent reports of itself is not charged beside it.
        { do: "update", update: { sessionUpdate: "usage_update", used: 9_000_000, size: 1 } },
        done,
      ],
      settings: { rates },
    });
    expect(run.recorder.usage.roles.executor).toEqual({
      tokens: 1050,
      calls: 1,
      microUsd: 600 * 3 + 400 * 0.3 + 50 * 15,
    });
  });

  it("ends the run at its bound of tokens, whatever the agent reports", async () => {
    const request: AgentStep = { do: "request", path: anthropicCall.path, body: anthropicCall.body };
    const run = await runWith(answer([say("Good day.")], { usage }), {
      turn: [request, request, request, request, done, { do: "hang" }],
      settings: { stopGraceMs: 100 },
      task: { maxTurnTokens: 2000 },
    });
    expect(run.outcome).toEqual({ stopReason: "max_tokens" });
    // Each counts as 690: of 1,000 tokens of input 400 came from the cache. A fourth request is not forwarded.
    expect(run.model.requests).toHaveLength(3);
    expect(run.recorder.usage.roles.executor).toMatchObject({ tokens: 3150, calls: 3 });
  });

  it("ends the run where its billing account cannot pay for a request", async () => {
    const rate = { inNanoUsdPerToken: 3000, outNanoUsdPerToken: 15_000 };
    const models = [{ id: "scripted-model", isFreeTierEligible: false, ...rate }] as const;
    const run = await runWith(answer([say("Good day.")], { usage }), {
      turn: [{ do: "request", path: anthropicCall.path, body: anthropicCall.body }, done, { do: "hang" }],
      settings: { rates: { ...defaultRates, models }, stopGraceMs: 100 },
      task: { meter: new UsageMeter({ holdMicroUsd: 10, raiseHold: async () => false }) },
    });
    expect(run.outcome).toEqual({ stopReason: "credits" });
    expect(run.model.requests).toEqual([]);
  });

  it("asks no model that has no price where the others have one", async () => {
    const run = await runWith(say("never"), {
      turn: [{ do: "request", path: anthropicCall.path, body: anthropicCall.body }, done],
      settings: { rates: { ...defaultRates, otherModels: "refused" } },
    });
    expect(answersOf(run)).toEqual([
      { status: 400, text: expect.stringContaining('no price for the model \\"scripted-model\\"') },
    ]);
    expect(run.model.requests).toEqual([]);
  });

  it("does not pass on what shows another key, or is none of the model's API", async () => {
    const { path, body } = anthropicCall;
    const run = await runWith(say("never"), {
      turn: [
        { do: "request", path, body, headers: { authorization: "Bearer guessed" } },
        { do: "request", path, body, headers: { authorization: `Bearer ${KEY}` } },
        { do: "request", path: "/v1/organizations/api_keys", method: "GET" },
        { do: "request", path: "/v1/files", body },
        { do: "request", path: "/v1/messages/../files", body },
        { do: "request", path: "/v1/models/..%2f..%2fadmin", method: "GET" },
        { do: "request", path: "/v1/messages", method: "DELETE" },
        { do: "request", path: "//other.example/v1/messages", body },
        done,
      ],
    });
    expect(answersOf(run).map(({ status }) => status)).toEqual([401, 401, 404, 404, 404, 404, 404, 404]);
    expect(run.model.requests).toEqual([]);
  });

  it("asks the provider to call, fetch or search nothing for an agent without a network, and the run goes on", async () => {
    const { path, body } = anthropicCall;
    const mcp_servers = [{ type: "url", name: "x", url: "https://evil.example/?d=contents" }];
    const run = await runWith(answer([say("Good day.")], { usage }), {
      turn: [
        { do: "request", path, body: { ...body, mcp_servers } },
        {
          do: "request",
          path,
          body: { ...body, tools: [{ type: "web_fetch_20250910", name: "web_fetch" }] },
        },
        { do: "request", path, body },
        done,
      ],
    });
    expect(answersOf(run)).toEqual([
      { status: 400, text: expect.stringContaining('\\"mcp_servers\\" is not passed on') },
      { status: 400, text: expect.stringContaining("web_fetch_20250910") },
      { status: 200, text: expect.stringContaining("Good day.") },
    ]);
    expect(run.outcome).toEqual({ stopReason: "end_turn" });
    expect(JSON.stringify(run.model.requests.map((request) => request.body))).not.toContain("evil");
    expect(run.recorder.usage.roles.executor).toMatchObject({ calls: 1 });
  });

  it("passes on no header and no query that would choose another account or key", async () => {
    const run = await runWith(answer([say("Good day.")], { usage }), {
      turn: [
        {
          do: "request",
          path: "/v1/messages?beta=true&key=other&access_token=other",
          body: anthropicCall.body,
          headers: {
            "anthropic-beta": "context-1m-2025-08-07",
            "openai-organization": "other",
            "x-goog-user-project": "other",
            cookie: "session=other",
            "x-api-key": "other",
          },
        },
        done,
      ],
    });
    const [request] = run.model.requests;
    expect(request?.path).toBe("/v1/messages?beta=true");
    expect(request?.headers["anthropic-beta"]).toBe("context-1m-2025-08-07");
    expect(JSON.stringify(request?.headers)).not.toContain("other");
  });

  it("follows no redirect with the key", async () => {
    const taken: string[] = [];
    const elsewhere = createServer((request, response) => {
      taken.push(JSON.stringify(request.headers));
      response.end("{}");
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    try {
      const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/v1/messages`;
      const run = await runWith(fault({ status: 307, headers: { location } }), {
        turn: [{ do: "request", path: anthropicCall.path, body: anthropicCall.body }, done],
      });
      expect(answersOf(run)).toEqual([
        { status: 502, text: expect.stringContaining("redirect, which is not followed") },
      ]);
      expect(taken).toEqual([]);
    } finally {
      await new Promise((resolve) => elsewhere.close(resolve));
    }
  });

  it("passes the model's own errors on, and masks the key in them", async () => {
    const run = await runWith(fault({ status: 529, retryAfter: 7, message: `Overloaded, ${KEY}` }), {
      turn: [{ do: "request", path: anthropicCall.path, body: anthropicCall.body }, done],
    });
    expect(answersOf(run)).toEqual([{ status: 529, text: expect.stringContaining("Overloaded, ***") }]);
    expect(run.recorder.usage.roles).toEqual({});
  });

  it("estimates the tokens of an answer that breaks off or counts none", async () => {
    const long = "word ".repeat(400);
    const { path, body } = bodies["openai chat, streamed"] as (typeof bodies)[string];
    const run = await runWith(answer([say(long), breakOff()]), {
      wire: "openai-compatible",
      turn: [{ do: "request", path, body }, done],
    });
    const { tokens = 0 } = run.recorder.usage.roles.executor ?? {};
    expect(tokens).toBeGreaterThan(500);
    expect(tokens).toBeLessThan(700);
  });

  it("counts an answer under way when the run is cancelled", async () => {
    const stopped = new AbortController();
    const waiting = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const run = runWith(answer([say("word ".repeat(400)), { type: "wait", until: waiting.promise }]), {
      turn: [
        {
          do: "request",
          path: "/v1/messages",
          body: { ...anthropicCall.body, stream: true },
          tellsBeginning: true,
        },
        { do: "hang" },
      ],
      settings: { stopGraceMs: 100 },
      task: { signal: stopped.signal, emit: async () => begun.resolve() },
    });
    await begun.promise;
    stopped.abort(new Error("Cancelled."));
    const { recorder, outcome, model } = await run;
    expect(outcome).toEqual({ stopped: expect.objectContaining({ message: "Cancelled." }) });
    expect(await model.requests[0]?.ended).toBe("hung-up");
    expect(recorder.usage.roles.executor).toMatchObject({ calls: 1 });
    waiting.resolve();
  });

  it("ends with the run: its token opens nothing afterwards", async () => {
    const run = await runWith(answer([say("Good day.")], { usage }), {
      turn: [{ do: "request", path: anthropicCall.path, body: anthropicCall.body }, done],
    });
    const { env } = run.answer("started") as { env: Record<string, string> };
    expect(env.AGENT_MODEL_KEY).toMatch(/^svc_model_/);
    const headers = { authorization: `Bearer ${env.AGENT_MODEL_KEY}` };
    await expect(fetch(`${env.AGENT_MODEL_URL}/v1/models`, { headers })).rejects.toThrow("fetch failed");
  });

  it.each([
    ["anthropic", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", ""],
    ["openai-compatible", "OPENAI_BASE_URL", "OPENAI_API_KEY", "/v1"],
    ["gemini", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY", ""],
  ] as const)("is what an agent of %s finds by its usual variables", async (wire, url, key, path) => {
    const run = await runWith(say("never"), { wire, turn: [done] });
    const { env } = run.answer("started") as { env: Record<string, string> };
    expect(env[url]).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+${path}$`));
    expect(env[key]).toBe(env.AGENT_MODEL_KEY);
    expect(JSON.stringify(env)).not.toContain(KEY);
  });
});
