import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { ApiError, DecodeError, TimeoutError } from "../../src/client/errors.ts";
import type { Credential } from "../../src/client/request.ts";
import { fetchTransport } from "../../src/client/transport.ts";
import { ID_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT } from "../../src/contract/ci/exchange.ts";
import type { SubmitRunRequest } from "../../src/contract/runs/run-requests.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";
import { AGENT_ID, completedRun, exchangeBody, RUN_ID, runningRun, SESSION_ID } from "./run-fixtures.ts";
import {
  cutOff,
  html,
  json,
  openScriptedServer,
  problem,
  type Reply,
  reset,
  silence,
} from "./scripted-server.ts";

async function start(script: readonly Reply[], credential: Credential = { token: () => "svc_ci_first" }) {
  const server = await openScriptedServer(script);
  const clock = instantClock();
  const client = createClient({ baseUrl: `${server.url}/`, credential, clock, random: () => 0 });
  return { server, clock, client, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const submitted = json(202, { run_id: RUN_ID, session_id: SESSION_ID });
const body = { message: "hello" };

describe("request", () => {
  it("sends credential, key and body, and reads the replay header", async () => {
    await using at = await start([
      json(202, { run_id: RUN_ID, session_id: SESSION_ID }, { "x-svc-idempotent-replay": "true" }),
    ]);
    const run = await at.client.runs.submit({ agentId: AGENT_ID, body, idempotencyKey: "key-1" });
    expect(run).toEqual({ runId: RUN_ID, sessionId: SESSION_ID, replayed: true, continuedAfter: null });
    const [request] = at.server.seen;
    expect(request).toMatchObject({ method: "POST", path: `/v1/agents/${AGENT_ID}/runs` });
    expect(request?.headers).toMatchObject({
      authorization: "Bearer svc_ci_first",
      "idempotency-key": "key-1",
      "content-type": "application/json",
      "user-agent": "agent-service-client",
    });
    expect(JSON.parse(request?.body ?? "")).toEqual(body);
  });

  it("repeats a read after a reset, a cut-off answer, a 503 and an HTML page", async () => {
    await using at = await start([
      reset,
      cutOff,
      problem(503, "unavailable"),
      html(502),
      html(200),
      json(200, completedRun),
    ]);
    expect(await at.client.runs.get({ agentId: AGENT_ID, runId: RUN_ID })).toEqual(completedRun);
    expect(at.clock.sleeps).toEqual([250, 500, 1000, 2000, 4000]);
  });

  it("waits as long as Retry-After asks", async () => {
    await using at = await start([
      problem(429, "rate_limited", { headers: { "retry-after": "7" } }),
      json(200, runningRun),
    ]);
    await at.client.runs.get({ agentId: AGENT_ID, runId: RUN_ID });
    expect(at.clock.sleeps).toEqual([7000]);
  });

  it("repeats a submission that came too often under its key, when Retry-After says", async () => {
    const limited = problem(429, "rate_limited", { headers: { "retry-after": "3" } });
    await using at = await start([limited, limited, submitted]);
    const run = await at.client.runs.submit({ agentId: AGENT_ID, body });
    expect(run.runId).toBe(RUN_ID);
    expect(at.clock.sleeps).toEqual([3000, 3000]);
    const keys = at.server.seen.map((request) => request.headers["idempotency-key"]);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it("says that events are not kept any more, and does not ask again", async () => {
    await using at = await start([problem(410, "events_expired")]);
    const failure = at.client.ci.readRun({ runId: RUN_ID });
    await expect(failure).rejects.toMatchObject({ name: "ApiError", status: 410, code: "events_expired" });
    expect(at.server.seen).toHaveLength(1);
  });

  it("gives up within its bound, with the last failure", async () => {
    await using at = await start([problem(503, "unavailable")]);
    const failure = at.client.runs.get({ agentId: AGENT_ID, runId: RUN_ID });
    await expect(failure).rejects.toMatchObject({ status: 503, code: "unavailable" });
    expect(at.server.seen).toHaveLength(8);
  });

  it("gives up at once when the service asks for longer than the bound", async () => {
    await using at = await start([problem(503, "unavailable", { headers: { "retry-after": "3600" } })]);
    const failure = at.client.runs.get({ agentId: AGENT_ID, runId: RUN_ID });
    await expect(failure).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
    expect(at.server.seen).toHaveLength(1);
  });

  it("does not repeat a 4xx, and tells all that the refusal says", async () => {
    await using at = await start([
      problem(402, "insufficient_credits", {
        audience: "anon",
        claim_url: "https://x/claim",
        reason: "credits_ended",
      }),
    ]);
    const error = await at.client.runs
      .submit({ agentId: AGENT_ID, body, idempotencyKey: "k" })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 402,
      code: "insufficient_credits",
      reason: "credits_ended",
      audience: "anon",
      claimUrl: "https://x/claim",
      requestId: "req-1",
    });
    expect(at.server.seen).toHaveLength(1);
  });

  it("repeats a submission under one key: the caller's, the body's, or one of its own", async () => {
    const keysOf = async (options: { idempotencyKey?: string; body: SubmitRunRequest }) => {
      await using at = await start([reset, submitted]);
      await at.client.runs.submit({ agentId: AGENT_ID, ...options });
      return at.server.seen.map((request) => request.headers["idempotency-key"]);
    };
    expect(await keysOf({ body, idempotencyKey: "k" })).toEqual(["k", "k"]);
    expect(await keysOf({ body: { ...body, idempotency_key: "b" } })).toEqual(["b", "b"]);
    const [first, second] = await keysOf({ body });
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(second).toBe(first);
    expect(await keysOf({ body })).not.toContain(first);
  });

  it("waits for a key in flight, not for a key of another request", async () => {
    await using at = await start([
      problem(409, "idempotency_key_in_flight", { headers: { "retry-after": "2" } }),
      submitted,
    ]);
    await at.client.runs.submit({ agentId: AGENT_ID, body, idempotencyKey: "k" });
    expect(at.clock.sleeps).toEqual([2000]);
    await using reused = await start([problem(422, "idempotency_key_reused")]);
    const failure = reused.client.runs.submit({ agentId: AGENT_ID, body, idempotencyKey: "k" });
    await expect(failure).rejects.toMatchObject({ code: "idempotency_key_reused" });
    expect(reused.server.seen).toHaveLength(1);
  });

  it("sends a session key and a pull request as they are, and again while another takes the key", async () => {
    const asked = {
      message: "hello",
      session_key: "thread-7",
      pull_request: { number: 7, head_sha: "a".repeat(40), base_ref: "main" },
    };
    await using at = await start([
      problem(409, "session_key_in_flight", { headers: { "retry-after": "2" } }),
      submitted,
    ]);
    await at.client.runs.submit({ agentId: AGENT_ID, body: asked, idempotencyKey: "k" });
    expect(at.clock.sleeps).toEqual([2000]);
    expect(at.server.seen.map(({ body: sent }) => JSON.parse(sent))).toEqual([asked, asked]);
  });

  it("refreshes a refused credential once and goes on", async () => {
    let token = "old";
    const credential = {
      token: () => token,
      refresh: async () => {
        token = "new";
      },
    };
    await using at = await start([problem(401, "unauthorized"), json(200, runningRun)], credential);
    await at.client.runs.get({ agentId: AGENT_ID, runId: RUN_ID });
    expect(at.server.seen.map((request) => request.headers.authorization)).toEqual([
      "Bearer old",
      "Bearer new",
    ]);
    expect(at.clock.sleeps).toEqual([]);

    await using refused = await start([problem(401, "unauthorized")], credential);
    const failure = refused.client.runs.get({ agentId: AGENT_ID, runId: RUN_ID });
    await expect(failure).rejects.toMatchObject({ status: 401 });
    expect(refused.server.seen).toHaveLength(2);
  });

  it("says what came instead of the contract's JSON", async () => {
    const get = async (reply: Reply) => {
      await using at = await start([reply]);
      return await at.client.runs
        .get({ agentId: AGENT_ID, runId: RUN_ID })
        .catch((caught: unknown) => caught);
    };
    const page = await get(html(404));
    expect(page).toBeInstanceOf(DecodeError);
    expect(page).toHaveProperty(
      "message",
      expect.stringMatching(/answered 404 with an HTML page instead of JSON/),
    );
    expect(await get(json(200, { status: "running" }))).toHaveProperty(
      "message",
      expect.stringMatching(/body that is not in the contract/),
    );
    const moved = await get((_request, response) => {
      response.writeHead(301, { location: "https://agents.example.com/secret?x=1" }).end();
    });
    expect(moved).toHaveProperty(
      "message",
      expect.stringMatching(/redirects \(301\) to https:\/\/agents\.example\.com; give the final address/),
    );
    expect(moved).not.toHaveProperty("message", expect.stringContaining("secret"));
  });

  it("never quotes the body of an answer", async () => {
    await using at = await start([
      (_request, response) => {
        response.writeHead(200, { "content-type": "application/json" }).end('{"token":"svc_ci_leak"');
      },
    ]);
    const error = await at.client.ci.audience().catch((caught: unknown) => caught);
    expect(String(error)).not.toContain("svc_ci_leak");
  });

  it("ends with the signal's reason", async () => {
    await using at = await start([silence]);
    const controller = new AbortController();
    const failure = at.client.ci.audience({ signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(failure).rejects.toThrow("enough");
  });
});

describe("transport", () => {
  const request = (url: string) => ({
    method: "GET" as const,
    url,
    headers: {},
    timeoutMs: 50,
    maxBodyBytes: 100,
  });

  it("gives up on a server that does not answer", async () => {
    await using server = await openScriptedServer([silence]);
    await expect(fetchTransport(request(`${server.url}/x?secret=1`))).rejects.toThrow(TimeoutError);
    await expect(fetchTransport(request(`${server.url}/x?secret=1`))).rejects.not.toThrow(/secret/);
  });

  it("refuses an answer beyond the cap", async () => {
    await using server = await openScriptedServer([json(200, "x".repeat(200))]);
    await expect(fetchTransport({ ...request(server.url), timeoutMs: 30_000 })).rejects.toThrow(DecodeError);
  });
});

describe("exchange", () => {
  it("mints a fresh token for every attempt", async () => {
    await using at = await start([reset, problem(503, "unavailable"), json(200, exchangeBody)]);
    let minted = 0;
    const grant = await at.client.ci.exchange({
      subjectToken: async () => `token-${++minted}`,
      account: "acme",
    });
    expect(grant.access_token).toBe("svc_ci_first");
    const bodies = at.server.seen.map((request) => JSON.parse(request.body));
    expect(bodies.map((sent) => sent.subject_token)).toEqual(["token-1", "token-2", "token-3"]);
    expect(bodies[0]).toMatchObject({
      account: "acme",
      grant_type: TOKEN_EXCHANGE_GRANT,
      subject_token_type: ID_TOKEN_TYPE,
    });
    expect(at.server.seen[0]?.headers.authorization).toBeUndefined();
  });

  it("does not repeat a refusal", async () => {
    await using at = await start([
      problem(401, "invalid_target", { reason: "audience_mismatch", expected: "a", got: "b" }),
    ]);
    const failure = at.client.ci.exchange({ subjectToken: async () => "t" });
    await expect(failure).rejects.toMatchObject({ reason: "audience_mismatch", expected: "a", got: "b" });
    expect(at.server.seen).toHaveLength(1);
  });

  it("revokes without asking for a new capability", async () => {
    await using at = await start([problem(401, "unauthorized")], {
      token: () => "old",
      refresh: () => Promise.reject(new Error("asked for a new one")),
    });
    await expect(at.client.ci.revoke()).rejects.toMatchObject({ status: 401 });
  });

  it("accepts an empty answer to a revocation", async () => {
    await using at = await start([(_request, response) => response.writeHead(204).end()]);
    await at.client.ci.revoke();
    expect(at.server.seen[0]).toMatchObject({ method: "DELETE", path: "/v1/ci/oidc/exchange" });
  });
});
