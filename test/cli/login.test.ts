// Signing a machine in: the command as a process, the page as a browser, the key in a file for its person alone.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browser, type OAuthFixture, openOAuthFixture } from "../service/api/oauth/oauth-fixture.ts";
import type { Exit } from "../support/fixtures/service-process.ts";
import { runCommand } from "../support/run/run-command.ts";
import { signInTo } from "../support/web-sign-in.ts";

const command = join(import.meta.dirname, "../../npm/cli.mjs");

describe("agent-service login", () => {
  let oauth: OAuthFixture;
  let home: string;

  beforeAll(async () => {
    oauth = await openOAuthFixture();
    Object.assign(oauth.fixture.core.policy, { baseUrl: oauth.api.url, webUrl: oauth.api.url });
    home = mkdtempSync(join(tmpdir(), "agent-service-home-"));
  });

  afterAll(async () => {
    await oauth.close();
    rmSync(home, { recursive: true, force: true });
  });

  const environment = () => ({ AGENT_SERVICE_URL: oauth.api.url, XDG_CONFIG_HOME: home });
  const run = async (...args: string[]): Promise<Exit> => await runCommand(args, environment());
  const browser = async () => {
    const { cookie } = await signInTo(oauth.fixture.core, oauth.account.id);
    return new Browser(oauth.api.url, oauth.api.url, cookie);
  };

  /** What a person does once the command shows its code. */
  const login = async (decide: (code: string) => Promise<void>) => {
    const child = spawn(process.execPath, [command, "login", "--name", "my laptop"], {
      env: { ...process.env, ...environment(), AGENT_SERVICE_KEY: undefined },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    let isDecided = false;
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      stdout += part;
    });
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      stderr += part;
      const code = /code ([A-Z]{4}-[A-Z]{4})/.exec(stderr)?.[1];
      if (code === undefined || isDecided) return;
      isDecided = true;
      decide(code).catch(() => child.kill());
    });
    const [code] = await once(child, "close");
    return { code, stdout, stderr };
  };

  it("gets a key that the machine's commands use, until it signs out", async () => {
    expect((await run("agents", "list")).stderr).toContain("agent-service login");
    const signedIn = await login(async (code) => {
      await (await browser()).post("/device", { code, decision: "allow" });
    });
    expect([signedIn.code, signedIn.stderr]).toEqual([
      0,
      expect.stringContaining(`Open ${oauth.api.url}/device`),
    ]);
    expect(signedIn.stdout).toContain(oauth.account.id);
    expect(signedIn.stdout).toContain("\n    export AGENT_SERVICE_URL=http://");
    const file = join(home, "agent-service", "keys.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const stored = JSON.parse(readFileSync(file, "utf8"))[oauth.api.url];
    expect(stored.key).toMatch(/^svc_sk_/);
    expect(signedIn.stdout + signedIn.stderr).not.toContain(stored.key);
    expect((await (await browser()).get("/settings/keys")).text).toContain("my laptop");
    expect((await (await browser()).get("/settings/apps")).text).toContain("No application is signed in");
    const listed = await run("agents", "list");
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining("helper")]);
    expect((await run("logout")).stdout).toContain("the key has ended");
    expect((await oauth.ask("/v1/agents", { bearer: stored.key })).status).toBe(401);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({});
    expect((await run("logout")).stdout).toContain("not signed in");
  });

  it("says that somebody refused", async () => {
    const refused = await login(async (code) => {
      await (await browser()).post("/device", { code, decision: "deny" });
    });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("refused on the page")]);
  });

  it("gives one key for one token, and none for a token of another application", async () => {
    const form = { client_id: "agent-service" };
    const begun = await oauth.ask("/oauth/device_authorization", { method: "POST", form });
    const device = begun.body as { device_code: string; user_code: string };
    await (await browser()).post("/device", { code: device.user_code, decision: "allow" });
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    const polled = await oauth.ask("/oauth/token", {
      method: "POST",
      form: { ...form, grant_type, device_code: device.device_code },
    });
    const { access_token: bearer, ...rest } = polled.body as { access_token: string };
    expect(rest).not.toHaveProperty("refresh_token");
    expect((await oauth.ask("/v1/agents", { bearer })).status).toBe(403);
    const json = { name: "machine" };
    const made = await Promise.all(
      Array.from({ length: 8 }, () => oauth.ask("/oauth/key", { method: "POST", bearer, json })),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await oauth.ask("/oauth/key", { method: "POST", bearer, json })).status).toBe(401);
    for (const other of [oauth.account.aiClient, oauth.account.owner]) {
      expect((await oauth.ask("/oauth/key", { method: "POST", bearer: other, json })).status).toBe(403);
    }
    expect((await oauth.ask("/oauth/key", { method: "POST", json })).status).toBe(401);
  });
});
