// A runner behind a proxy: the service and the REST API are reached through it, and what no_proxy names is not.

import { createServer, type IncomingMessage, request as open, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { routesOf, type ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { briefingBackend } from "../support/scripted-backend.ts";

type JobProxy = {
  readonly url: string;
  /** `CONNECT host:port`, or method and URL. */
  readonly asked: string[];
  close(): Promise<void>;
};

/** A forward proxy that knows names which no resolver does. */
async function startJobProxy(addresses: () => Readonly<Record<string, string>>): Promise<JobProxy> {
  const asked: string[] = [];
  const targetOf = (host: string): URL => new URL(addresses()[host] ?? `http://${host}`);
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${request.method} ${request.url}`);
    const url = new URL(request.url ?? "");
    const target = new URL(url.pathname + url.search, targetOf(url.host));
    const { method, headers } = request;
    const outgoing = open(target, { method: method ?? "GET", headers }, (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, incoming.headers);
      incoming.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    request.pipe(outgoing);
  });
  server.on("connect", (request, socket, head) => {
    asked.push(`CONNECT ${request.url}`);
    const { hostname, port } = targetOf(request.url ?? "");
    const upstream = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

describe("a runner behind a proxy", () => {
  const SERVICE = "agents.example:8080";
  const API = "code-host.example:8080";
  let fixture: ScenarioFixture;
  let proxy: JobProxy;
  beforeAll(async () => {
    fixture = await startFixture({
      level: "scenario",
      backend: briefingBackend,
      config: { audience: SERVICE },
    });
    proxy = await startJobProxy(() => ({ [SERVICE]: fixture.url, [API]: fixture.codeHost.url }));
  });
  afterEach(() => {
    proxy.asked.length = 0;
  });
  afterAll(async () => {
    await proxy.close();
    await fixture.close();
  });

  it.each(["http_proxy", "HTTP_PROXY"])("reaches the service through %s, in both steps", async (name) => {
    const env = { [name]: proxy.url };
    const inputs = { "base-url": `http://${SERVICE}` };
    const job = await fixture.job();
    const step = await fixture.main(job, { env, inputs });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(step.outputs["run-api-url"]).toBe(`http://${SERVICE}/v1/ci/runs/${step.outputs["run-id"]}`);
    expect(step.annotations).toMatchObject([
      {
        level: "warning",
        message:
          "The service's base URL is plain http: anybody on the network path can read the job's tokens. Use https.",
      },
    ]);
    expect(routesOf(step).slice(0, 2)).toEqual(["exchange", "submit"]);
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${SERVICE}`]));

    proxy.asked.length = 0;
    const post = await fixture.post(job, step, { env, inputs });
    expect(routesOf(post)).toEqual(["revoke"]);
    expect(proxy.asked).toEqual([`CONNECT ${SERVICE}`]);
  });

  it("reads a prompt file through it", async () => {
    const job = await fixture.job({ event: "pull_request" });
    const step = await fixture.main(job, {
      env: { http_proxy: proxy.url, GITHUB_API_URL: `http://${API}/api/v3` },
      inputs: { "base-url": `http://${SERVICE}`, "prompt-file": "README.md" },
    });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(proxy.asked.filter((line) => line.includes(API))).not.toEqual([]);
    const submit = step.requests.find(({ route }) => route === "submit");
    expect(JSON.parse(submit?.body ?? "").message).toContain("# Octo repo");
  });

  // 0.0.0.0 is this machine, and no loopback address by its name, which would pass a proxy by in any case.
  it("passes it by for what no_proxy names", { tags: ["posix"] }, async () => {
    const direct = fixture.url.replace("127.0.0.1", "0.0.0.0");
    const inputs = { "base-url": direct, audience: SERVICE };
    const through = await fixture.main(await fixture.job(), { env: { http_proxy: proxy.url }, inputs });
    expect(through).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(proxy.asked).not.toEqual([]);

    proxy.asked.length = 0;
    const env = { http_proxy: proxy.url, no_proxy: "example.com,0.0.0.0" };
    const past = await fixture.main(await fixture.job(), { env, inputs });
    expect(past).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(proxy.asked).toEqual([]);
  });
});
