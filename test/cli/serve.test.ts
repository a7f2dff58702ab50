// The command as an operator meets it: a process, its exit code, what it prints.

import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startCodeHost } from "../../fakes/code-host/code-host.ts";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { healthSchema } from "../../src/contract/operation.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { runCommand } from "../support/run/run-command.ts";
import { call } from "../support/service-client.ts";
import { CiJob } from "../support/service-job.ts";
import { expectValidStream } from "../support/service-streams.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-service-cli-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const serve = (...args: string[]) =>
  new ServiceProcess(["serve", "--port", "0", "--data-dir", folder, ...args]);

describe("agent-service serve", () => {
  it("serves from an empty folder, and ends with 0 on SIGTERM and on SIGINT", async () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const service = serve();
      const url = await service.ready();
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const ready = await call(`${url}/readyz`);
      expect([ready.status, healthSchema.parse(ready.body).status]).toEqual([200, "ok"]);
      service.signal(signal);
      const { code, stdout, stderr } = await service.ended;
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/"msg":"stopped"/);
    }
    expect(await readdir(folder)).not.toContain("agent-service.pid");
  });

  it.each([
    [{}, "no model: runs get a briefing, and conclude as skipped"],
    [{ BACKEND: "noop" }, "nothing: runs end at once (noop)"],
    [
      {
        BACKEND: "model",
        MODEL: "some-model",
        MODEL_BASE_URL: "http://127.0.0.1:9/v1",
        MODEL_API_KEY: "key-that-is-secret",
      },
      "the model some-model",
    ],
    [
      { BACKEND: "acp", ACP_COMMAND: JSON.stringify(["/opt/bin/opencode", "acp"]) },
      "the coding agent opencode, by ACP",
    ],
  ])("says at its start what executes runs (%j)", async (settings, executes) => {
    const service = new ServiceProcess(["serve", "--port", "0", "--data-dir", folder], {
      ...settings,
      SANDBOX: "off",
    });
    await service.ready();
    service.signal("SIGTERM");
    const { stdout } = await service.ended;
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.find(({ msg }) => msg === "ready")).toMatchObject({ executes });
    expect(stdout.includes("No model is configured")).toBe(!("BACKEND" in settings));
    expect(stdout).not.toContain("key-that-is-secret");
  });

  it("lets flags win over the environment", async () => {
    const service = new ServiceProcess(
      ["serve", "--port", "0", "--data-dir", folder, "--base-url", "https://agents.example/x/"],
      { PORT: "1", DATA_DIR: "/nowhere", BASE_URL: "https://other.example" },
    );
    const url = await service.ready();
    const audience = await call(`${url}/v1/ci/oidc/audience`);
    expect(audience.body).toEqual({ audience: "agents.example" });
    const { servers } = (await call(`${url}/openapi.json`)).body as { servers: unknown };
    expect(servers).toEqual([{ url: "https://agents.example/x" }]);
    service.signal("SIGTERM");
    expect((await service.ended).code).toBe(0);
  });

  it.each<Record<string, string>>([
    { BACKEND: "model", MODEL_PROVIDER: "anthropic" },
    { BACKEND: "acp", ACP_AGENT: "codex" },
  ])("is not ready without the key that its model needs: %o", async (settings) => {
    const env = { MODEL: "some-model", MODEL_API_KEY: "", ...settings };
    const { code, stdout, stderr } = await runCommand(["serve", "--port", "0", "--data-dir", folder], env);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^MODEL_API_KEY must be set: /);
    // A node that only answers requests asks no model.
    const api = await runCommand(["serve", "--port", "0"], { ...env, ROLE: "api" });
    expect(api.stderr).not.toContain("MODEL_API_KEY");
  });

  it("names every wrong setting at once, and ends with 2", async () => {
    const { code, stdout, stderr } = await runCommand(["serve", "--port", "http"], {
      BASE_URL: "ftp://example.com",
      DATABASE_URL: "mysql://user:hunter2@host/db",
      LOG_LEVEL: "loud",
      CI_FREE_CREDITS: "-1",
      CI_ISSUERS: '[{"provider":"github"}]',
    });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.trim().split("\n")).toEqual([
      'PORT must be an integer from 0 to 65535, got "http".',
      'BASE_URL must be an http:// or https:// URL without user, query or fragment, got "ftp://example.com".',
      "DATABASE_URL must be a postgres:// URL, got something else.",
      'LOG_LEVEL must be one of trace, debug, info, warn, error, silent, got "loud".',
      "CI_ISSUERS[0].issuer must be a URL.",
      "CI_ISSUERS[0].jwks_uri must be a URL.",
      "CI_ISSUERS[0].clone_url must be a URL.",
      'CI_FREE_CREDITS must be an integer from 0 to 1000000000, got "-1".',
    ]);
  });

  it.each([
    [["--prot", "1"], "--prot"],
    [["--port"], "--port"],
    [["extra"], "extra"],
  ])("refuses %j, and ends with 2", async (args, named) => {
    const { code, stdout, stderr } = await runCommand(["serve", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(named);
    expect(stderr).toContain("See agent-service serve --help.");
    expect(stderr).not.toContain("    at ");
  });

  it("refuses a port that is taken, and ends with 1", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await runCommand(["serve", "--data-dir", folder, "--port", String(port)]);
    other.close();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Port ${port} on 127.0.0.1 is taken. Choose another with --port or PORT (0 takes a free one).\n`,
    );
    // What it held is free again.
    const service = serve();
    await service.ready();
    await service.kill();
  });

  it("drains on SIGTERM: ends what is at work as interrupted, and exits with 0", async () => {
    const codeHost = await startCodeHost({ repositories: { "octo/project": folder } });
    codeHost.faults.git.always({ type: "hang" });
    const env = {
      CI_AUDIENCE: "drain.example",
      CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
      DRAIN_SECONDS: "0",
    };
    const claims = { aud: "drain.example", repository: "octo/project" };
    const enter = async (url: string) => {
      const token = codeHost.issuer.sign(codeHost.issuer.githubClaims(claims));
      const json = { subject_token: token };
      const { body } = await call(`${url}/v1/ci/oidc/exchange`, { method: "POST", json });
      const exchanged = exchangeResponseSchema.parse(body);
      return new CiJob({ fixture: { call: (path, options) => call(url + path, options) }, exchanged });
    };

    const first = new ServiceProcess(["serve", "--port", "0", "--data-dir", folder], env);
    const job = await enter(await first.ready());
    const runId = await job.start();
    await job.readUntil(runId, ({ event }) => event.type === "RUN_STARTED");
    first.signal("SIGTERM");
    const { code, stdout } = await first.ended;
    expect(code).toBe(0);
    expect(stdout).toContain('"msg":"stopped"');

    const second = new ServiceProcess(["serve", "--port", "0", "--data-dir", folder], env);
    const later = await enter(await second.ready());
    expect(await later.run(runId)).toMatchObject({ status: "failed", cause: "interrupted", retryable: true });
    await expectValidStream(await later.follow(runId));
    await second.kill();
    await codeHost.close();
  });
});

onEveryStore((kind) => {
  describe("a second service", () => {
    it("is refused with 1 and told who has it, until the first is gone, however it went", async () => {
      const place = await kind.make({ isEmpty: true });
      const { dataDir, databaseUrl } = place.settings;
      const env = {
        PORT: "0",
        DATA_DIR: dataDir,
        ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      };
      const first = new ServiceProcess(["serve"], env);
      await first.ready();

      const { code, stdout, stderr } = await runCommand(["serve"], env);
      expect([code, stdout]).toEqual([1, ""]);
      // On PostgreSQL it is not the database that is taken, but the folder of this node's checkouts.
      expect(stderr).toMatch(
        new RegExp(`^Data folder ".+" is in use by process ${first.pid}\\. Stop that process, or .+\\n$`),
      );

      await first.kill();
      const third = new ServiceProcess(["serve"], env);
      await third.ready();
      third.signal("SIGTERM");
      expect((await third.ended).code).toBe(0);
      await place.remove();
    });
  });
});
