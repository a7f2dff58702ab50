// CORS_ORIGINS: which web pages may call the API, as a browser asks and as it reads the answers.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { SOCKET_PATH } from "../../../../src/contract/sessions/socket.ts";
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
    const socket = new WebSocket(`${fixture.url.replace(/^http/, "ws")}${SOCKET_PATH}`, {
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

  it("opens /mcp to a page that is named, as an inspector in a browser asks", async () => {
    const ask = async (origin: string) =>
      await fetch(`${fixture.url}/mcp`, {
        method: "OPTIONS",
        headers: {
          Origin: origin,
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers":
            "authorization,content-type,mcp-protocol-version,mcp-session-id,mcp-method",
        },
      });
    const { status, headers } = await ask(PAGE);
    expect([status, headers.get("access-control-allow-origin")]).toEqual([204, PAGE]);
    const allowed = (headers.get("access-control-allow-headers") ?? "").toLowerCase().split(",");
    const needed = ["authorization", "content-type", "mcp-protocol-version", "mcp-session-id", "mcp-method"];
    expect(allowed).toEqual(expect.arrayContaining(needed));
    expect(headers.get("access-control-allow-methods")?.split(",")).toEqual(["GET", "POST", "DELETE"]);
    expect(headers.has("access-control-allow-credentials")).toBe(false);
    expect((await ask(OTHER)).headers.has("access-control-allow-origin")).toBe(false);
  });

  it("lets that page read what /mcp refuses and why, and another page nothing", async () => {
    const post = async (origin: string) =>
      await fetch(`${fixture.url}/mcp`, { method: "POST", headers: { Origin: origin } });
    const { status, headers } = await post(PAGE);
    expect([status, headers.get("access-control-allow-origin")]).toEqual([401, PAGE]);
    const exposed = (headers.get("access-control-expose-headers") ?? "").split(",");
    expect(exposed).toEqual(expect.arrayContaining(["Mcp-Session-Id", "WWW-Authenticate"]));
    expect(headers.get("www-authenticate")).toContain("resource_metadata=");
    const other = await post(OTHER);
    expect([other.status, other.headers.has("access-control-allow-origin")]).toEqual([403, false]);
  });

  it.each([
    ["/.well-known/oauth-protected-resource/mcp", "GET"],
    ["/.well-known/oauth-authorization-server", "GET"],
    ["/oauth/register", "POST"],
    ["/oauth/token", "POST"],
    ["/oauth/revoke", "POST"],
    ["/oauth/device_authorization", "POST"],
  ])("lets every page sign an application in: %s", async (path, method) => {
    const asked = await fetch(fixture.url + path, {
      method: "OPTIONS",
      headers: {
        Origin: OTHER,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "content-type,mcp-protocol-version",
      },
    });
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    const allowed = (asked.headers.get("access-control-allow-headers") ?? "").split(",");
    expect(allowed).toEqual(expect.arrayContaining(["content-type", "mcp-protocol-version"]));
    // What is refused can be read, too.
    const answer = await fetch(fixture.url + path, { method, headers: { Origin: OTHER } });
    expect(answer.status).toBe(method === "GET" ? 200 : 400);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });

  it("holds for sockets too", async () => {
    expect([await openSocket(PAGE), await openSocket(OTHER)]).toEqual([101, 403]);
  });

  it("is off by default", async () => {
    const plain = await startFixture({ level: "service" });
    for (const path of ["/v1/agents", "/mcp"]) {
      const answer = await fetch(plain.url + path, { headers: { Origin: PAGE } });
      expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    await plain.close();
  });
});
