// A service that is overloaded, down, or behind somebody's error page: waited for within a bound, then named.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ProxyFault, problemFault, type Route } from "../support/fault-proxy.ts";
import {
  eventsOf,
  routesOf,
  type ScenarioFixture,
  type StepResult,
  sentTokens,
} from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../support/scripted-backend.ts";

const REQUEST_ID = "0197c0de-0000-7000-8000-000000000001";
const ROUTES = ["exchange", "submit", "poll"] as const;

/** Longer than the Action is willing to wait. */
const FAR_TOO_LONG = { "retry-after": "3600" };

const refusal = (status: number, headers: Readonly<Record<string, string>> = {}): ProxyFault =>
  problemFault(status, {
    code: status === 429 ? "rate_limited" : "unavailable",
    requestId: REQUEST_ID,
    headers,
  });

const page = (headers: Readonly<Record<string, string>> = {}): ProxyFault => ({
  type: "status",
  status: 502,
  headers: { "content-type": "text/html", "x-request-id": REQUEST_ID, ...headers },
  body: "<!doctype html><title>502 Bad Gateway</title><h1>::error::Bad Gateway</h1>",
});

describe("when the service is unavailable", () => {
  let fixture: ScenarioFixture;
  let isSlow = false;
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      await say(task, "At work.\n");
      if (isSlow) await untilStopped(task);
    });
    fixture = await startFixture({ level: "scenario", backend });
  });
  afterEach(() => {
    isSlow = false;
    fixture.proxy.heal();
  });
  afterAll(async () => await fixture.close());

  const expectSuccess = async (step: StepResult) => {
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(await eventsOf(step)).toEqual(await fixture.storedEvents(step.outputs["run-id"] ?? ""));
    const submits = step.requests.filter(({ route }) => route === "submit");
    expect(new Set(submits.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(new Set(submits.map(({ body }) => body)).size).toBe(1);
    const jtis = sentTokens(step).map(({ jti }) => jti);
    expect(new Set(jtis).size).toBe(jtis.length);
  };
  it("is final at once where DNS knows no such host, before the first answer", async () => {
    // A label of more than 63 characters is refused without a question to any server.
    const host = `${"a".repeat(64)}.invalid`;
    const step = await fixture.main(await fixture.job(), { inputs: { "base-url": `http://${host}` } });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason: "host_not_found" } });
    expect(step.annotations.at(-1)).toMatchObject({
      level: "error",
      message: `DNS knows no host "${host}". Correct the address of the service in "base-url".`,
    });
    expect(step.log).not.toContain("Trying again");
  });

  const mints = () => fixture.codeHost.requests.filter(({ path }) => path.includes("/idtoken")).length;
  const tries = (step: StepResult, route: Route) => routesOf(step).filter((other) => other === route).length;

  it.each([503, 429])("waits as Retry-After asks, wherever it is answered %i", async (status) => {
    for (const route of ROUTES) fixture.proxy.next(route, refusal(status, { "retry-after": "1" }));
    const before = (await fixture.runs()).length;
    const mintsBefore = mints();
    const step = await fixture.main(await fixture.job());
    await expectSuccess(step);
    expect(await fixture.runs()).toHaveLength(before + 1);
    const { host } = new URL(fixture.url);
    const notes = step.log.split("\n").filter((line) => line.startsWith("Attempt"));
    expect(notes).toEqual(
      ROUTES.map(() =>
        expect.stringMatching(
          `^Attempt 1 failed: (GET|POST) ${host}/v1/\\S+ answered ${status} \\(request ${REQUEST_ID}\\): Not now\\. Trying again in 1\\.[01] s\\.$`,
        ),
      ),
    );
    expect([tries(step, "exchange"), tries(step, "submit")]).toEqual([2, 2]);
    expect(mints() - mintsBefore).toBe(2);
  });

  it("asks again, with a token of its own each time, when a proxy answers with its page", async () => {
    for (const route of ROUTES) fixture.proxy.next(route, page());
    const step = await fixture.main(await fixture.job());
    await expectSuccess(step);
    expect(tries(step, "exchange")).toBe(2);
    expect(
      step.log.match(/answered 502 with an HTML page instead of JSON \(request \S+\)\. Trying again/g),
    ).toHaveLength(3);
    expect(step.log).not.toContain("Bad Gateway");
  });

  it.each(ROUTES)("gives up at %s when it lasts, and names address and request", async (route) => {
    isSlow = true;
    fixture.proxy.always(route, refusal(503, FAR_TOO_LONG));
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "service_unavailable" },
    });
    expect(tries(step, route)).toBe(1);
    const call = step.requests.find((request) => request.route === route);
    const asked = `${call?.method} ${new URL(fixture.url).host}${call?.path.replace(/\?.*$/, "")}`;
    const message = `The service is unavailable: ${asked} answered 503 (request ${REQUEST_ID}). Re-run the job.`;
    expect(step.annotations).toEqual([{ level: "error", message, title: "The service is unavailable" }]);
    expect(step.summary).toContain("## ❌ The service is unavailable");
    expect(step.summary).toContain(REQUEST_ID);
    expect(step.outputs["run-id"] !== "").toBe(route === "poll");
  });

  it.each(ROUTES)("gives up at %s when a proxy's page lasts, and names the address", async (route) => {
    fixture.proxy.always(route, page(FAR_TOO_LONG));
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "service_unavailable" },
    });
    const [annotation, ...more] = step.annotations;
    expect(more).toEqual([]);
    expect(annotation?.message).toMatch(
      /^The service is unavailable: (GET|POST) 127\.0\.0\.1:\d+\/v1\/\S+ answered 502 with an HTML page instead of JSON \(request [0-9a-f-]+\)\. Re-run the job\.$/,
    );
    expect(annotation?.message).toContain(REQUEST_ID);
    expect(step.log + step.summary).not.toContain("Bad Gateway");
  });

  it("leaves a run that it lost sight of to a re-run of the job", async () => {
    isSlow = true;
    fixture.proxy.next("poll", { type: "none" });
    fixture.proxy.always("poll", refusal(503, FAR_TOO_LONG));
    const job = await fixture.job();
    const lost = await fixture.main(job);
    expect(lost.outputs).toMatchObject({ conclusion: "failure", reason: "service_unavailable" });
    expect(lost.log).toMatch(/Run \S+ started\./);
    expect(routesOf(await fixture.post(job, lost))).toEqual(["revoke"]);
    expect(await fixture.run(lost)).toMatchObject({ status: "running" });

    fixture.proxy.heal();
    const again = await fixture.job({ runId: String(job.claims.run_id), runAttempt: "2" });
    const controller = new AbortController();
    const step = await fixture.main(again, {
      signal: controller.signal,
      onLine: (line) => {
        if (line === "At work.") controller.abort();
      },
    });
    expect(step.outputs["run-id"]).toBe(lost.outputs["run-id"]);
    expect(step.outputs.conclusion).toBe("cancelled");
  });

  it.each([
    ["submit", 400, "invalid_request"],
    ["submit", 403, "forbidden"],
    ["poll", 404, "not_found"],
  ] as const)("does not repeat what the service refuses: %s, %i", async (route, status, code) => {
    fixture.proxy.always(route, problemFault(status, { code, requestId: REQUEST_ID }));
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason: code } });
    expect(tries(step, route)).toBe(1);
    const message = `The service refused (${code}): Not now. (request ${REQUEST_ID})`;
    expect(step.annotations).toEqual([{ level: "error", message, title: "The step failed" }]);
  });

  it("says that an answer is not the service's", async () => {
    fixture.proxy.next("exchange", { type: "html" });
    fixture.proxy.next("exchange", { type: "huge", bytes: 1024 * 1024 });
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "unexpected_answer" },
    });
    expect(step.log).toMatch(
      /^Attempt 1 failed: POST \S+ answered 200 with an HTML page instead of JSON\. /m,
    );
    expect(step.annotations[0]?.message).toMatch(
      /^POST \S+ answered with a body that is not in the contract\.$/,
    );
    expect(routesOf(step)).toEqual(["exchange", "exchange"]);
  });

  it.each(["lost", "halved"] as const)("exchanges again when the capability was %s", async (type) => {
    fixture.proxy.next("exchange", { type });
    const step = await fixture.main(await fixture.job());
    await expectSuccess(step);
    expect(routesOf(step).slice(0, 3)).toEqual(["exchange", "exchange", "submit"]);
  });

  it("says that the token was used when something on the way sent it twice", async () => {
    fixture.proxy.next("exchange", { type: "twice" });
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason: "token_replayed" } });
    expect(step.annotations[0]?.message).toMatch(
      /^The ID token had been used before\. Re-run the job\. \(request \S+\)$/,
    );
    expect(routesOf(step)).toEqual(["exchange"]);
  });

  it("does not follow a redirect, and says where it leads", async () => {
    fixture.proxy.always("exchange", { type: "redirect", location: "https://elsewhere.example/v1?token=1" });
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "unexpected_answer" } });
    expect(routesOf(step)).toEqual(["exchange"]);
    expect(step.annotations[0]?.message).toContain(
      "redirects (302) to https://elsewhere.example; give the final",
    );
  });

  it("names base-url and the address where nothing listens, after a few attempts", async () => {
    const nobody = "http://127.0.0.1:9";
    const step = await fixture.main(await fixture.job(), { inputs: { "base-url": nobody } });
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "service_unavailable" },
    });
    expect(step.log.match(/^Attempt \d failed: /gm)).toHaveLength(4);
    expect(step.annotations).toEqual([
      {
        level: "error",
        message: `Nothing takes connections at ${nobody} (ECONNREFUSED). Correct the address of the service in "base-url", or start the service.`,
        title: "The service is unavailable",
      },
    ]);
  });

  it("says which address refuses connections while it tries again, and hears a cancel", async () => {
    const controller = new AbortController();
    const nobody = "http://127.0.0.1:9";
    const step = await fixture.main(await fixture.job(), {
      inputs: { "base-url": nobody },
      signal: controller.signal,
      onLine: (line) => {
        if (line.startsWith("Attempt 2")) controller.abort();
      },
    });
    expect(step.log).toMatch(
      /^Attempt 1 failed: No answer to POST 127\.0\.0\.1:9\/v1\/ci\/oidc\/exchange: ECONNREFUSED\. Trying again in 0\.\d s\.$/m,
    );
    expect(step.outputs).toMatchObject({ conclusion: "cancelled", reason: "user_stop", "run-id": "" });
    expect(step.state.phase).toBe("concluded");
  });
});
