// CORS_ORIGINS: which web pages may call the API, as a browser asks and as it reads the answers.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { sessionEndpoints } from "../../../../src/contract/sessions/endpoints.ts";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";

const PAGE = "https://app.example.com";
const OTHER = "https://other.example";

describe("CORS_ORIGINS", () => {
  let fixture: ServiceFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "service", config: { corsOrigins: [PAGE] } });
  });
  afterAll(() => fixture.close());

  const preflight = async (origin: string, path = "/v1/agents"): Promise<Response> =>
    await fetch(`${fixture.url}${path}`, {
      method: "OPTIONS",
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
      },
    });
  const openSocket = async (origin: string): Promise<number> => {
    const socket = new WebSocket(`${fixture.url.replace(/^http/, "ws")}${sessionEndpoints.follow.path}`, {
      origin,
    });
    const status = await new Promise<number>((resolve) => {
      socket.on("open", () => resolve(101));
      socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
      socket.on("error", () => {});
    });
    socket.terminate();
    return status;
  };

  it("lets a page that is named ask for what the client sends", async () => {
    const answer = await preflight(PAGE);
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(answer.headers.get("vary")).toContain("Origin");
    expect(answer.headers.get("access-control-allow-methods")).toContain("PATCH");
    const headers = (answer.headers.get("access-control-allow-headers") ?? "").toLowerCase().split(",");
    expect(headers).toEqual(expect.arrayContaining(["authorization", "content-type", "idempotency-key"]));
    expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
  });

  it("lets that page read answers, refusals and the headers of both", async () => {
    const { status, headers } = await fetch(`${fixture.url}/v1/agents`, { headers: { Origin: PAGE } });
    expect([status, headers.get("access-control-allow-origin")]).toEqual([401, PAGE]);
    const exposed = (headers.get("access-control-expose-headers") ?? "").split(",");
    expect(exposed).toEqual(expect.arrayContaining(["X-Request-Id", "Retry-After", "ETag"]));
    expect(headers.has("access-control-allow-credentials")).toBe(false);
  });

  it("says nothing of it to another page, or outside of /v1", async () => {
    expect((await preflight(OTHER)).headers.has("access-control-allow-origin")).toBe(false);
    for (const path of ["/healthz", "/readyz", "/openapi.json", "/claim/x"]) {
      const answer = await fetch(`${fixture.url}${path}`, { headers: { Origin: PAGE } });
      expect([path, answer.headers.has("access-control-allow-origin")]).toEqual([path, false]);
    }
  });

  it("holds for sockets too", async () => {
    expect([await openSocket(PAGE), await openSocket(OTHER)]).toEqual([101, 403]);
  });

  it("is off by default", async () => {
    const plain = await startFixture({ level: "service" });
    const answer = await fetch(`${plain.url}/v1/agents`, { headers: { Origin: PAGE } });
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    await plain.close();
  });
});
