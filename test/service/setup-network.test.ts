// Projects of npm and pip on a service with EGRESS=setup: their setup installs from a registry by the run's proxy, the agent
// tests them without a network, and the next run finds what was installed.

import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import type { Claims } from "../../fakes/issuer/claims.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { type PackageRegistry, startPackageRegistry } from "../../fakes/package-registry/package-registry.ts";
import { selfSigned } from "../../fakes/self-signed.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import { asRunEvent, EGRESS_EVENT, type RunEvent } from "../../src/contract/runs/run-event.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { makeTestKey } from "../support/account-key.ts";
import type { ServiceFixture } from "../support/fixtures/service-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";

const REPOSITORY = "octo-org/octo-repo";
const SETUP = ".github/agent/setup.sh";
/** The registry is called localhost, which programs do not look for behind a proxy unless they are told. */
const HEAD = "#!/bin/sh\nset -eu\nunset NO_PROXY no_proxy\n";

let folder: string;
let shown: string;
let registry: PackageRegistry;
let host: string;
let repository: TestRepository;
let model: ModelServer;
let fixture: ServiceFixture;
let claims: Claims;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "setup-network-"));
  shown = mkdtempSync(join(tmpdir(), "setup-network-ca-"));
  chmodSync(shown, 0o755);
  const identity = selfSigned(["localhost"]);
  writeFileSync(join(shown, "ca.pem"), identity.cert);
  registry = await startPackageRegistry(identity);
  host = new URL(registry.url).host;
  repository = new TestRepository(folder, "octo-repo.git");
});
afterEach(async () => {
  await fixture?.close();
  await model?.close();
  await registry.close();
  for (const path of [folder, shown]) await rm(path, { recursive: true, force: true });
});

/** A service with that setting, and a claimed repository of its own. Every run of it executes `commands`. */
async function start(egress: string, commands: readonly string[]): Promise<void> {
  model = await startModelServer({
    script: byTurn([...commands.map((command) => call("run_command", { command })), say("Done.")]),
  });
  const ca = join(shown, "ca.pem");
  const read = readConfig(
    { DATA_DIR: join(folder, "data") },
    {
      PATH: "/usr/bin:/bin",
      BACKEND: "model",
      MODEL: "scripted-model",
      MODEL_BASE_URL: model.baseUrl,
      SANDBOX: "bubblewrap",
      SANDBOX_READ_PATHS: shown,
      SANDBOX_ENV: "CURL_CA_BUNDLE,npm_config_cafile,PIP_CERT",
      CURL_CA_BUNDLE: ca,
      npm_config_cafile: ca,
      PIP_CERT: ca,
      EGRESS: egress,
      EGRESS_REGISTRIES: host,
      EGRESS_PRIVATE_HOSTS: "localhost=127.0.0.0/8, localhost=::1/128",
    },
  );
  if (!read.ok) throw new Error(read.refusal.join("\n"));
  const { backend, model: ofModel, sandbox, egress: network, rates } = read.value;
  fixture = await startFixture({
    level: "service",
    repositories: { [REPOSITORY]: { path: repository.path, visibility: "public" } },
    config: { backend, model: ofModel, sandbox, egress: network, rates },
  });
  await fixture.stop();
  const key = await makeTestKey(fixture.place);
  await fixture.restart();
  claims = fixture.freshRepository({ repository: REPOSITORY });
  // A public one gets its link once its credits are used up.
  const asking = await fixture.job({ ...claims, repository_visibility: "private" });
  const claim = asking.exchanged.claim_url?.split("/").at(-1);
  await fixture.call("/v1/ci/claim", { method: "POST", bearer: key.secret, json: { claim } });
  const json = { subject_token: fixture.mint(claims), account: key.accountId };
  const accepted = await fixture.call("/v1/ci/oidc/exchange", { method: "POST", json });
  expect(accepted.body).toMatchObject({ claim: "claimed" });
}

type Played = {
  /** What readers see of its setup. */
  readonly setup: string;
  /** The results of the commands. */
  readonly results: readonly string[];
  /** Its `egress` events. */
  readonly egress: readonly unknown[];
  /** Paths that the registry was asked for. */
  readonly asked: readonly string[];
};

async function play(message: string, egress: unknown = "setup"): Promise<Played> {
  const before = registry.requests.length;
  const sha = repository.git(["rev-parse", "refs/heads/main"]);
  const job = await fixture.job({ ...claims, sha });
  const answer = await job.submit({ message, egress });
  const { run_id: runId } = submitRunResponseSchema.parse(answer.body);
  const events = (await job.follow(runId)).flatMap(({ event }) => asRunEvent(event) ?? []);
  expect((await job.run(runId)).status).toBe("completed");
  return {
    setup: setupResult(events),
    results: model.toolResults(message).map(({ text }) => text),
    egress: events.flatMap((event) =>
      event.type === "CUSTOM" && event.name === EGRESS_EVENT ? [event.value] : [],
    ),
    asked: registry.requests.slice(before),
  };
}

function setupResult(events: readonly RunEvent[]): string {
  const start = events.find((event) => event.type === "TOOL_CALL_START" && event.toolCallName === "setup");
  const id = start?.type === "TOOL_CALL_START" ? start.toolCallId : null;
  const result = events.find((event) => event.type === "TOOL_CALL_RESULT" && event.toolCallId === id);
  return result?.type === "TOOL_CALL_RESULT" ? result.content : "";
}

function commitNpm(script = `${HEAD}npm ci --no-audit --no-fund --no-update-notifier\n`): void {
  const manifest = { name: "project", version: "1.0.0", dependencies: { "is-one": "1.0.0" } };
  const scripts = { test: "node -e \"require('is-one') === 1 && console.log('TESTED')\"" };
  repository.commit({
    files: {
      [SETUP]: script,
      ".gitignore": "node_modules/\n",
      "package.json": JSON.stringify({ ...manifest, scripts }),
      "package-lock.json": registry.npmLock,
    },
  });
}

/** Proxies are for the programs that know them: curl is told that localhost is no exception. */
const ask = (path: string) => `unset NO_PROXY no_proxy; curl -sS ${registry.url}${path}`;
const cached = /^\[An equal setup took [\d.]+ s: what it left was copied in [\d.]+ s\]$/;
const noNetwork = /Failed to connect|Couldn't connect/;

describe("with EGRESS=setup, a project", { tags: ["sandbox"] }, () => {
  it("of npm is set up by the run's proxy, and tested without a network, twice", {
    tags: ["npm"],
  }, async () => {
    commitNpm();
    await start("setup", ["npm test --silent", ask("/npm/is-one.tgz?by-the-agent")]);
    const first = await play("Test it.");
    expect(first.setup).toMatch(/added 1 package[\s\S]*\[exit code 0\]$/);
    expect(first.results[0]).toBe("TESTED\n[exit code 0]");
    expect(first.results[1]).toMatch(noNetwork);
    expect(first.asked).toEqual(["/npm/is-one.tgz"]);
    const reached = { host, connections: 1, bytes: expect.any(Number) };
    expect(first.egress).toEqual([{ withheld: [], allowed: [reached], blocked: [] }]);

    const second = await play("Test it again.");
    expect(second.setup).toMatch(cached);
    expect(second.results[0]).toBe("TESTED\n[exit code 0]");
    expect(second.results[1]).toMatch(noNetwork);
    expect(second.asked).toEqual([]);
    expect(second.egress).toEqual([]);
  });

  it("of pip has its virtual environment in the tree, twice", { tags: ["pip-python"] }, async () => {
    const index = `--index-url ${registry.url}/simple/`;
    const install = `python3 -m pip --python .venv/bin/python install --disable-pip-version-check ${index} -r requirements.txt`;
    repository.commit({
      files: {
        [SETUP]: `${HEAD}python3 -m venv --without-pip .venv\n${install}\n`,
        ".gitignore": ".venv/\n",
        "requirements.txt": "is-two==1.0.0\n",
        "test.py": "import is_two\nassert is_two.VALUE == 2\nprint('TESTED')\n",
      },
    });
    await start("setup", [".venv/bin/python test.py", ask("/simple/is-two/")]);
    const first = await play("Test it.");
    expect(first.setup).toMatch(/Successfully installed is-two-1\.0\.0[\s\S]*\[exit code 0\]$/);
    expect(first.asked).toEqual(["/simple/is-two/", "/files/is_two-1.0.0-py3-none-any.whl"]);
    const second = await play("Test it again.");
    expect(second.setup).toMatch(cached);
    expect(second).toMatchObject({ asked: [], egress: [] });
    for (const { results } of [first, second]) {
      expect(results[0]).toBe("TESTED\n[exit code 0]");
      expect(results[1]).toMatch(noNetwork);
    }
  });

  it("whose commands may reach another host finds the registry blocked, and its run says so", async () => {
    commitNpm(`${HEAD}curl -sS -o /dev/null ${registry.url}/npm/is-one.tgz\n`);
    await start("setup, docs.example", [ask("/npm/is-one.tgz?by-the-agent")]);
    const { setup, results, egress, asked } = await play("Test it.", ["setup", "docs.example"]);
    expect(setup).toContain("[exit code 0]");
    expect(results[0]).toContain(`[blocked by the network policy of this run: ${host} (not allowed)]`);
    expect(asked).toEqual(["/npm/is-one.tgz"]);
    const reached = { host, connections: 1, bytes: expect.any(Number) };
    const blocked = { host, times: 1, reason: "not_allowed" };
    expect(egress).toEqual([{ withheld: [], allowed: [reached], blocked: [blocked] }]);
  });
});

describe("with EGRESS=none, a project", { tags: ["sandbox"] }, () => {
  it("is not set up from the registry", async () => {
    commitNpm(`${HEAD}curl -sS -o /dev/null ${registry.url}/npm/is-one.tgz\n`);
    await start("none", ["test -d node_modules || echo missing"]);
    const { setup, egress, asked } = await play("Test it.");
    expect(setup).toMatch(noNetwork);
    expect(setup).not.toContain("[exit code 0]");
    expect(asked).toEqual([]);
    expect(egress).toEqual([{ withheld: ["setup"], allowed: [], blocked: [] }]);
  });
});
