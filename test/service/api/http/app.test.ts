// What every request meets, whatever its route.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeSecretToken } from "../../../../src/base/secret-token.ts";
import { healthSchema } from "../../../../src/contract/operation.ts";
import { problemSchema } from "../../../../src/contract/problems/problem.ts";
import type { Store } from "../../../../src/service/core/ports/store.ts";
import { StoreUnavailableError } from "../../../../src/service/core/ports/store-unavailable.ts";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { openHttpApi } from "../../../support/service-api.ts";
import { call } from "../../../support/service-client.ts";
import { withReads } from "../../../support/wrapped-store.ts";

describe("the HTTP API", () => {
  let fixture: ServiceFixture;

  beforeAll(async () => {
    fixture = await startFixture({ level: "service", config: { freeCredits: 0 } });
  });

  afterAll(() => fixture.close());

  it.each(["/v1", "/v1/nothing", "/v2/ci/oidc/audience", "/%E0%A4%A", "//", "/v1/ci/runs/a/b"])(
    "answers 404 to GET %s, as it answers every problem",
    async (path) => {
      const answer = await fixture.call(path);
      expect(answer.status).toBe(404);
      const problem = problemSchema.parse(answer.body);
      expect(problem).toMatchObject({ code: "not_found", request_id: answer.headers.get("x-request-id") });
    },
  );

  it("gives each request an id of its own", async () => {
    const [first, second] = [await fixture.call("/healthz"), await fixture.call("/healthz")];
    expect(first.headers.get("x-request-id")).not.toBe(second.headers.get("x-request-id"));
  });

  it("lives and is ready", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      const answer = await fixture.call(path);
      expect([answer.status, healthSchema.parse(answer.body)]).toMatchObject([200, { status: "ok" }]);
    }
  });

  it("shows a claim link's page without script, referrer or cache, and logs no claim token", async () => {
    const { claim_url } = (await fixture.job()).exchanged;
    const page = await fixture.call(new URL(claim_url ?? "").pathname);
    expect(page.status).toBe(200);
    expect(page.text).toContain(" (public)</dd>");
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("cache-control")).toBe("private, no-store");
    const slip = `${claim_url?.slice(0, -1)}${claim_url?.endsWith("0") ? "1" : "0"}`;
    expect((await fixture.call(new URL(slip).pathname)).status).toBe(404);
    expect((await fixture.call("/claim/x/y")).text).not.toContain("x/y");
    for (const secret of fixture.secrets) expect(fixture.logText()).not.toContain(secret);
  });
});

describe("the HTTP API when the store is away", () => {
  it("answers 503 with Retry-After, and says nothing of the cause", async () => {
    const fail = async () => {
      throw new StoreUnavailableError(new Error("password=hunter2 at 10.0.0.1"));
    };
    const wrapStore = (store: Store): Store => withReads(store, { claims: { findTicket: fail } });
    const fixture = await startFixture({ level: "core", wrapStore });
    const api = await openHttpApi(fixture);
    const { text } = makeSecretToken("svc_claim_", new Uint8Array(32));
    const answer = await call(`${api.url}/claim/${text}`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(problemSchema.parse(answer.body)).toEqual({
      error: "The service's store cannot answer now. Try again in a moment.",
      code: "unavailable",
      request_id: answer.headers.get("x-request-id"),
    });
    await api.close();
  });

  it("answers 500 with nothing but an id, logs the cause, and is not ready", async () => {
    const fail = async () => {
      throw new Error("password=hunter2 at 10.0.0.1");
    };
    const wrapStore = (store: Store): Store => ({
      ...withReads(store, { claims: { findTicket: fail } }),
      ping: fail,
    });
    const fixture = await startFixture({ level: "core", wrapStore });
    const api = await openHttpApi(fixture);
    const { text } = makeSecretToken("svc_claim_", new Uint8Array(32));
    const answer = await call(`${api.url}/claim/${text}`);
    expect(answer.status).toBe(500);
    expect(problemSchema.parse(answer.body)).toEqual({
      error: "internal error",
      code: "internal",
      request_id: answer.headers.get("x-request-id"),
    });
    const logs = fixture.logs.join("\n");
    expect(logs).toContain("internal error");
    expect(logs).not.toContain(text);
    const ready = await call(`${api.url}/readyz`);
    expect([ready.status, healthSchema.parse(ready.body)]).toMatchObject([503, { status: "unavailable" }]);
    await api.close();
  });

  it("is not ready while it stops", async () => {
    const fixture = await startFixture({ level: "core" });
    const api = await openHttpApi(fixture);
    fixture.core.signals.close();
    const ready = await call(`${api.url}/readyz`);
    expect([ready.status, healthSchema.parse(ready.body)]).toMatchObject([503, { status: "draining" }]);
    expect((await call(`${api.url}/healthz`)).status).toBe(200);
    await api.close();
  });
});
