// The built command "doctor" and a service that is not as the job expects: down, somebody else, of another clock, behind
// a certificate or a proxy. Each page names the trouble and the fix.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request as open } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../fakes/code-host/code-host.ts";
import {
  type LoopbackServer,
  readBody,
  sendJson,
  startLoopbackServer,
} from "../../fakes/code-host/server.ts";
import { checkOf, examine, factsOf, fixesOf, pageOf, statesOf } from "../support/doctor-command.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { startTunnelProxy } from "../support/tunnel-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server that ends with the test. */
async function server(...args: Parameters<typeof startLoopbackServer>): Promise<LoopbackServer> {
  const started = await startLoopbackServer(...args);
  closers.push(started.close);
  return started;
}

describe("agent-service doctor and another service", () => {
  let codeHost: CodeHost;
  beforeAll(async () => {
    codeHost = await startCodeHost({ repositories: { "octo-org/octo-repo": "/nowhere" } });
  });
  afterAll(() => codeHost.close());

  const at = async (url: string, env: Readonly<Record<string, string>> = {}) => {
    const job = await codeHost.job();
    const examined = await examine(job, ["--base-url", url, "--json"], env);
    return { ...examined, page: pageOf(examined) };
  };

  it("that does not know the issuer: the operator's line is on the page", async () => {
    const fixture = await startFixture({ level: "scenario" });
    closers.push(() => fixture.close());
    const { code, page } = await at(fixture.url);
    expect(code).toBe(1);
    expect(factsOf(page, "exchange").reason).toBe("issuer_unknown");
    const fix = fixesOf(page, "exchange");
    const entries = JSON.parse(/CI_ISSUERS='(.*)'/.exec(fix)?.[1] ?? "null");
    const { provider, issuer, jwks_uri } = codeHost.issuerEntry;
    expect(entries).toEqual([{ provider, issuer, jwks_uri, clone_url: `${codeHost.url}/{repository}.git` }]);
  });

  it("that is down", async () => {
    const gone = await startLoopbackServer(async () => {});
    await gone.close();
    const { code, page } = await at(gone.url);
    expect(code).toBe(1);
    expect(statesOf(page)).toEqual({
      job: "ok",
      token: "ok",
      service: "fault",
      audience: "skipped",
      clock: "skipped",
      exchange: "skipped",
      identity: "skipped",
      quota: "skipped",
      "github-token": "skipped",
      runner: "ok",
    });
    expect(checkOf(page, "service").found).toMatch(
      /^Nothing listens at 127\.0\.0\.1, port \d+ \(ECONNREFUSED\)\.$/,
    );
    expect(checkOf(page, "exchange").found).toBe("Not tried: the service was not reached.");
  });

  it("whose name nobody knows", async () => {
    const { page } = await at("http://agents.invalid");
    expect(checkOf(page, "service").found).toMatch(/^There is no address for the name "agents\.invalid"/);
  });

  it("that is a web page", async () => {
    const site = await server(async (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html><h1>Sign in</h1></html>");
    });
    const { code, page } = await at(site.url);
    expect(code).toBe(1);
    expect(checkOf(page, "service").found).toMatch(/^A web page answers \(200\) where JSON should/);
    expect(statesOf(page)).toMatchObject({ audience: "skipped", exchange: "skipped" });
  });

  it("that sends to a login", async () => {
    const site = await server(async (_request, response) => {
      response.writeHead(302, { location: "https://login.example/authorize?state=secret" }).end();
    });
    const { page } = await at(site.url);
    expect(checkOf(page, "service").found).toContain("redirect (302) to https://login.example.");
    expect(JSON.stringify(page)).not.toContain("state=secret");
  });

  it("that vouches for its runs where no cloud can read its keys", async () => {
    const site = await server(async (request, response) => {
      if (request.url === "/healthz" || request.url === "/readyz")
        return sendJson(response, 200, { status: "ok" });
      const isIssuer = request.url === "/id/.well-known/openid-configuration";
      sendJson(response, isIssuer ? 200 : 404, isIssuer ? { issuer: `${site.url}/id` } : {});
    });
    const { page } = await at(site.url);
    expect(checkOf(page, "service").facts).toContainEqual({
      name: "issuer for its runs",
      value: `${site.url}/id; clouds cannot read its keys: it is not https`,
    });
  });

  it("that repeats in its errors what it was sent", async () => {
    const sent: string[] = [];
    const site = await server(async (request, response) => {
      if (request.url === "/healthz" || request.url === "/readyz")
        return sendJson(response, 200, { status: "ok" });
      if (request.url?.endsWith("/audience"))
        return sendJson(response, 200, { audience: new URL(site.url).host });
      if (request.method !== "POST") return sendJson(response, 404, {});
      const token = String(JSON.parse((await readBody(request)).toString() || "{}").subject_token);
      sent.push(token);
      sendJson(response, 401, { error: `I do not like ${token}`, code: "invalid_grant", request_id: token });
    });
    const { code, page } = await at(site.url);
    expect(code).toBe(1);
    expect(sent).toHaveLength(1);
    expect(JSON.stringify(page)).not.toContain(sent[0]);
    expect(checkOf(page, "exchange").found).toContain("I do not like ***");
  });

  it.each([
    [45, "warning", 0],
    [-45, "warning", 0],
    [90, "fault", 1],
    [-90, "fault", 1],
  ])("whose clock is %d s off: a %s", async (seconds, state, code) => {
    const fixture = await startFixture({ level: "scenario" });
    closers.push(() => fixture.close());
    const shifted = await server(async (request, response) => {
      const body = await readBody(request);
      const headers = { ...request.headers, host: new URL(fixture.serviceUrl).host };
      const inner = open(new URL(request.url ?? "/", fixture.serviceUrl), {
        method: request.method ?? "GET",
        headers,
      });
      inner.on("response", (answer) => {
        const date = new Date(Date.now() + seconds * 1000).toUTCString();
        response.writeHead(answer.statusCode ?? 502, { ...answer.headers, date });
        answer.pipe(response);
      });
      inner.end(body);
    });
    const job = await fixture.job();
    const audience = new URL(fixture.url).host;
    const examined = await examine(job, ["--base-url", shifted.url, "--audience", audience, "--json"]);
    const page = pageOf(examined);
    expect(examined.code).toBe(code);
    expect(checkOf(page, "clock")).toMatchObject({
      state,
      found: expect.stringMatching(seconds > 0 ? /ahead of this runner's/ : /behind this runner's/),
    });
    expect(fixesOf(page, "clock")).toContain("The token's issuer agrees with this runner");
  });

  it("with a certificate of an authority of its own: NODE_EXTRA_CA_CERTS is the fix", {
    tags: ["openssl"],
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "private-ca-"));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
    const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    openssl(
      "req",
      "-x509",
      ...ec,
      "-keyout",
      "ca.key",
      "-out",
      "ca.pem",
      "-subj",
      "/CN=Example Root",
      "-days",
      "30",
    );
    openssl(
      "req",
      ...ec,
      "-keyout",
      "host.key",
      "-out",
      "host.csr",
      "-subj",
      "/CN=localhost",
      "-addext",
      "subjectAltName=DNS:localhost",
    );
    openssl(
      "x509",
      "-req",
      "-in",
      "host.csr",
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-out",
      "host.pem",
      "-days",
      "30",
      "-copy_extensions",
      "copyall",
    );
    const fixture = await startFixture({ level: "scenario", config: { audience: "private.example" } });
    closers.push(() => fixture.close());
    const read = (name: string) => readFileSync(join(folder, name));
    const site = createTlsServer({ key: read("host.key"), cert: read("host.pem") }, (request, response) => {
      const { method = "GET", url = "/", headers } = request;
      const inner = open(new URL(url, fixture.serviceUrl), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      request.pipe(inner);
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    closers.push(() => new Promise((resolve) => site.close(resolve).closeAllConnections()));
    const url = `https://localhost:${(site.address() as AddressInfo).port}`;
    const job = await fixture.job();
    const args = ["--base-url", url, "--audience", "private.example", "--json"];

    const untrusted = await examine(job, args);
    const page = pageOf(untrusted);
    expect(untrusted.code).toBe(1);
    expect(checkOf(page, "service").found).toBe(
      'The certificate of localhost is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE): it was issued by "Example Root", which this runner does not know.',
    );
    expect(fixesOf(page, "service")).toContain("env:\n  NODE_EXTRA_CA_CERTS: /");
    expect(statesOf(page)).toMatchObject({ exchange: "skipped", clock: "skipped" });

    const trusted = await examine(job, args, { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") });
    expect(statesOf(pageOf(trusted))).toMatchObject({ service: "ok", exchange: "ok" });
    expect(factsOf(pageOf(trusted), "service").TLS).toMatch(
      /^TLSv1\.\d, certificate of localhost by Example Root, until /,
    );

    const byAddress = pageOf(
      await examine(job, ["--base-url", url.replace("localhost", "127.0.0.1"), "--json"], {
        NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
      }),
    );
    expect(checkOf(byAddress, "service").found).toContain("ERR_TLS_CERT_ALTNAME_INVALID");
  });

  it("says that a proxy is set and not used, and uses it where Node is told to", async () => {
    const fixture = await startFixture({ level: "scenario" });
    closers.push(() => fixture.close());
    const proxy = await startTunnelProxy("tunnels");
    closers.push(proxy.close);
    const job = await fixture.job();
    const args = ["--base-url", fixture.url, "--json"];
    const withPassword = proxy.url.replace("http://", "http://someone:pass-of-the-proxy@");
    const past = pageOf(await examine(job, args, { HTTP_PROXY: withPassword }));
    expect(checkOf(past, "service")).toMatchObject({ state: "warning" });
    expect(fixesOf(past, "service")).toContain('NODE_USE_ENV_PROXY: "1"');
    expect(JSON.stringify(past)).not.toContain("pass-of-the-proxy");
    expect(proxy.asked).toEqual([]);

    const env = {
      HTTP_PROXY: proxy.url,
      NODE_USE_ENV_PROXY: "1",
      NO_PROXY: new URL(fixture.codeHost.url).host,
    };
    const through = pageOf(await examine(job, args, env));
    expect(factsOf(through, "service").proxy).toBe(`${proxy.url} (HTTP_PROXY)`);
    expect(checkOf(through, "service").state).toBe("ok");
    const { host } = new URL(fixture.url);
    expect(new Set(proxy.asked)).toEqual(new Set([host]));

    await proxy.close();
    const dead = pageOf(await examine(job, args, env));
    expect(checkOf(dead, "service")).toMatchObject({
      state: "fault",
      found: expect.stringMatching(/^Nothing listens at 127\.0\.0\.1, port \d+ \(ECONNREFUSED\)\.$/),
    });
  });

  it.each(["refuses", "hangs up"] as const)("says that a proxy %s", async (manner) => {
    const fixture = await startFixture({ level: "scenario" });
    closers.push(() => fixture.close());
    const proxy = await startTunnelProxy(manner);
    closers.push(proxy.close);
    const env = {
      HTTP_PROXY: proxy.url,
      NODE_USE_ENV_PROXY: "1",
      NO_PROXY: new URL(fixture.codeHost.url).host,
    };
    const page = pageOf(await examine(await fixture.job(), ["--base-url", fixture.url, "--json"], env));
    expect(checkOf(page, "service").found).toContain(`through the proxy ${proxy.url} (HTTP_PROXY)`);
    expect(fixesOf(page, "service")).toContain("NO_PROXY: ");
  });
});
