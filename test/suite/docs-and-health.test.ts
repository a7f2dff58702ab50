// What is open to everybody: health, the description of the API; and what every answer carries.

import { expect, it } from "vitest";
import { call } from "../support/service-client.ts";
import { expectProblem, onEveryDeployment } from "./every-deployment.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

onEveryDeployment("docs and health", (service) => {
  it("every node lives and is ready, workers too", async () => {
    for (const { url } of service().handle.nodes) {
      for (const path of ["/healthz", "/readyz"]) {
        const answer = await call(url + path);
        expect([answer.status, answer.body]).toMatchObject([200, { status: "ok" }]);
      }
    }
  });

  it("workers answer nothing else", async () => {
    for (const { url, role } of service().handle.nodes) {
      if (role === "worker") expect((await call(`${url}/v1/ci/oidc/audience`)).status).toBe(404);
    }
  });

  it("describes the API: OpenAPI 3.1 for programs, a page for people, each to be kept", async () => {
    const document = await service().call("/openapi.json");
    expect(document.status).toBe(200);
    expect(document.body).toMatchObject({
      openapi: "3.1.0",
      info: { version: "1.0.0" },
      servers: [{ url: "http://nodes.example" }],
    });
    const page = await service().call("/docs");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const headers = { "if-none-match": page.headers.get("etag") ?? "" };
    for (const _ of service().apis) expect((await service().call("/docs", { headers })).status).toBe(304);
  });

  it("every answer has an id of its own, refusals too", async () => {
    const account = await service().account();
    const answers = await Promise.all([
      service().call("/healthz"),
      service().call("/readyz"),
      service().call("/openapi.json"),
      service().call("/docs"),
      service().call("/v1/pricing/models"),
      service().call("/v1/agents", { bearer: account.ownerKey }),
      service().call("/v1/agents"),
      service().call("/v1/ws"),
      service().call("/v1/agents", { method: "POST", bearer: account.ownerKey, raw: "{" }),
      service().call("/nowhere"),
      service().call("/v1/agents", { method: "PUT" }),
    ]);
    const ids = answers.map(({ headers }) => headers.get("x-request-id") ?? "");
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(ids.length);
    for (const answer of answers.slice(-2)) expectProblem(answer, [404, "not_found"]);
  });

  it("a path that holds a NUL is nothing", async () => {
    expectProblem(await service().call("/v1/pricing/%00"), [404, "not_found"]);
  });
});
