import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Environment } from "../../../src/base/environment.ts";
import { sealingKeyOf } from "../../../src/base/sealed-text.ts";
import { noKnownHosts } from "../../../src/service/checkouts/remotes/known-hosts.ts";
import { packageRegistries } from "../../../src/service/core/egress/registries.ts";
import { githubIssuer } from "../../../src/service/oidc/issuer-config.ts";
import { readConfig } from "../../../src/service/settings/config.ts";
import { defaultRates, ratesWithoutPrices } from "../../../src/service/settings/default-rates.ts";
import { serviceSettings } from "../../../src/service/settings/service-settings.ts";

const issuer = {
  provider: "github",
  issuer: "https://ghes.example/_services/token",
  jwks_uri: "https://ghes.example/_services/token/.well-known/jwks",
  clone_url: "https://ghes.example/{repository}.git",
};

function read(environment: Environment, flags: Parameters<typeof readConfig>[0] = {}) {
  const config = readConfig(flags, environment);
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  return config.value;
}

function problemsOf(environment: Environment): readonly string[] {
  const config = readConfig({}, environment);
  return config.ok ? [] : config.refusal;
}

describe("the configuration", () => {
  it("is sensible when nobody says anything", () => {
    expect(read({})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      baseUrl: null,
      webUrl: null,
      dataDir: "agent-service-data",
      databaseUrl: null,
      databaseWaitSeconds: 60,
      secretKeys: null,
      egress: { cap: [], registries: packageRegistries, privateHosts: [], maxBytes: 4_294_967_296 },
      mcp: { servers: [], usesRepositorys: false, repositoryVariables: null },
      operators: { identities: [], settings: expect.any(Function) },
      signIn: { providers: [], signUp: { kind: "closed" } },
      remotes: { knownHosts: noKnownHosts, app: null, appKeyFile: null },
      role: "all",
      stalledSeconds: 30,
      logLevel: "info",
      audience: null,
      issuers: [githubIssuer],
      freeCredits: 100,
      refundsPerDay: 20,
      capabilitySeconds: 900,
      exchangeRatePerMinute: 120,
      ratePerMinute: 6_000,
      addressRatePerMinute: 600,
      maxSockets: 100,
      loadLimits: { requests: 2_000, polls: 20_000, sockets: 10_000 },
      trustedProxyHops: 0,
      corsOrigins: [],
      backend: "offline",
      model: null,
      brought: { limits: {}, effort: null },
      acp: null,
      secrets: [],
      sandbox: expect.objectContaining({ mode: "auto", network: "off" }),
      maxRunningRuns: expect.any(Number),
      registersClients: true,
      readsClientDocuments: true,
      maxQueuedRuns: 10_000,
      maxCostMicroUsd: null,
      drainSeconds: 10,
      retentionDays: 90,
      archiveDays: 0,
      journalDays: 7,
      blobs: { store: "folder", folder: null },
      commits: { maxBytes: 1e9, quotaBytes: 4e9, keptDays: 14, cacheBytes: 4e9 },
      workspaces: {
        takesWork: true,
        takesFiles: true,
        accounts: null,
        keptDays: 30,
        siteUrl: null,
        keepsPathsPortable: true,
        maxFileBytes: 1_024_000_000,
        editorCapBytes: 1_048_576,
      },
      metricsPort: null,
      traces: null,
      rates: defaultRates,
      gitEnvironment: {},
    });
  });

  it("takes every setting from the environment, without the space around it", () => {
    const given = {
      HOST: "0.0.0.0",
      PORT: " 0 ",
      BASE_URL: "https://agents.example/base//",
      WEB_URL: "https://web.example",
      DATA_DIR: "/var/lib/agents",
      DATABASE_URL: "postgresql://user:secret@db/agents",
      DATABASE_WAIT_SECONDS: "5",
      RUN_SECRETS_KEY: Buffer.alloc(32, 1).toString("base64"),
      RUN_SECRETS_PREVIOUS_KEY: Buffer.alloc(32, 2).toString("base64"),
      ROLE: "worker",
      STALLED_SECONDS: "2",
      LOG_LEVEL: "silent",
      CI_AUDIENCE: "agents",
      CI_ISSUERS: JSON.stringify([{ ...issuer, enabled: false, allow_events: ["workflow_run"] }]),
      CI_FREE_CREDITS: "0",
      REFUNDS_PER_DAY: "0",
      CI_CAPABILITY_SECONDS: "10",
      CI_RATE_PER_MINUTE: "1",
      RATE_PER_MINUTE: "2",
      ADDRESS_RATE_PER_MINUTE: "3",
      MAX_SOCKETS: "4",
      MAX_NODE_REQUESTS: "5",
      MAX_NODE_POLLS: "6",
      MAX_NODE_SOCKETS: "7",
      TRUSTED_PROXY_HOPS: "2",
      CORS_ORIGINS: "https://app.example, http://localhost:5173",
      BACKEND: "noop",
      MAX_RUNNING_RUNS: "1",
      OAUTH_REGISTRATION: "off",
      OAUTH_CLIENT_DOCUMENTS: "off",
      MAX_QUEUED_RUNS: "1",
      MAX_COST_USD: "2.50",
      DRAIN_SECONDS: "0",
      RETENTION_DAYS: "0",
      ARCHIVE_DAYS: "2",
      JOURNAL_DAYS: "3",
      BLOB_STORE: "folder",
      BLOB_DIR: "/srv/blobs",
      COMMIT_MAX_MB: "1",
      COMMIT_QUOTA_MB: "2",
      COMMIT_KEEP_DAYS: "3",
      COMMIT_CACHE_MB: "4",
      WORKSPACES: "off",
      WORKSPACE_FILES: "OFF",
      WORKSPACE_PATHS: "any",
      WORKSPACE_ACCOUNTS: "3f0e8a52-6f5b-4a8e-9a43-0a4f5d6e7b81, 7c9e6679-7425-40de-944b-e07fc1f90ae7",
      WORKSPACE_KEEP_DAYS: "0",
      WORKSPACE_MAX_FILE_MB: "5",
      EDITOR_CAP_KB: "6",
      SITE_URL: "https://{workspace}.sites.example",
      METRICS_PORT: "9464",
      RATES_FILE: "",
      MODEL_PRICE: "",
      SSH_KNOWN_HOSTS_FILE: "",
      GITHUB_APP_ID: "",
      GITHUB_APP_PRIVATE_KEY_FILE: "",
    };
    expect(Object.keys(serviceSettings).sort()).toEqual(Object.keys(given).sort());
    expect(read(given)).toEqual({
      host: "0.0.0.0",
      port: 0,
      baseUrl: "https://agents.example/base",
      webUrl: "https://web.example",
      dataDir: "/var/lib/agents",
      databaseUrl: "postgresql://user:secret@db/agents",
      databaseWaitSeconds: 5,
      egress: { cap: [], registries: packageRegistries, privateHosts: [], maxBytes: 4_294_967_296 },
      mcp: { servers: [], usesRepositorys: false, repositoryVariables: null },
      operators: { identities: [], settings: expect.any(Function) },
      signIn: { providers: [], signUp: { kind: "closed" } },
      remotes: { knownHosts: noKnownHosts, app: null, appKeyFile: null },
      secretKeys: { current: sealingKeyOf(Buffer.alloc(32, 1)), previous: sealingKeyOf(Buffer.alloc(32, 2)) },
      role: "worker",
      stalledSeconds: 2,
      logLevel: "silent",
      audience: "agents",
      issuers: [{ ...issuer, enabled: false, allow_events: ["workflow_run"] }],
      freeCredits: 0,
      refundsPerDay: 0,
      capabilitySeconds: 10,
      exchangeRatePerMinute: 1,
      ratePerMinute: 2,
      addressRatePerMinute: 3,
      maxSockets: 4,
      loadLimits: { requests: 5, polls: 6, sockets: 7 },
      trustedProxyHops: 2,
      corsOrigins: ["https://app.example", "http://localhost:5173"],
      backend: "noop",
      model: null,
      brought: { limits: {}, effort: null },
      acp: null,
      secrets: [given.RUN_SECRETS_KEY, given.RUN_SECRETS_PREVIOUS_KEY],
      sandbox: expect.objectContaining({ mode: "auto", hiddenPaths: ["/var/lib/agents", "/srv/blobs"] }),
      maxRunningRuns: 1,
      registersClients: false,
      readsClientDocuments: false,
      maxQueuedRuns: 1,
      maxCostMicroUsd: 2_500_000,
      drainSeconds: 0,
      retentionDays: 0,
      archiveDays: 2,
      journalDays: 3,
      blobs: { store: "folder", folder: "/srv/blobs" },
      commits: { maxBytes: 1e6, quotaBytes: 2e6, keptDays: 3, cacheBytes: 4e6 },
      workspaces: {
        takesWork: false,
        takesFiles: false,
        keptDays: 0,
        keepsPathsPortable: false,
        accounts: ["3f0e8a52-6f5b-4a8e-9a43-0a4f5d6e7b81", "7c9e6679-7425-40de-944b-e07fc1f90ae7"],
        maxFileBytes: 5_000_000,
        editorCapBytes: 6_144,
        siteUrl: "https://{workspace}.sites.example",
      },
      metricsPort: 9_464,
      traces: null,
      rates: ratesWithoutPrices(["noop"]),
      gitEnvironment: given,
    });
  });

  it("moves events out of a shared database a day after the end, where every node has the same blobs", () => {
    const s3 = {
      BLOB_STORE: "s3",
      S3_ENDPOINT: "https://s3.example",
      S3_BUCKET: "blobs",
      S3_ACCESS_KEY_ID: "id",
      S3_SECRET_ACCESS_KEY: "secret",
    };
    const shared = { DATABASE_URL: "postgres://db.example/service" };
    expect(read({ ...shared, ...s3 }).archiveDays).toBe(1);
    expect(read({ ...shared, ...s3, ARCHIVE_DAYS: "0" }).archiveDays).toBe(0);
    expect([read(shared), read(s3)].map(({ archiveDays }) => archiveDays)).toEqual([0, 0]);
  });

  it("lets flags win, and takes an empty setting for none", () => {
    expect(read({ PORT: "1" }, { PORT: "2" }).port).toBe(2);
    expect(read({ PORT: "", BASE_URL: " ", CI_ISSUERS: "" })).toMatchObject({
      port: 8080,
      baseUrl: null,
      issuers: [githubIssuer],
    });
  });

  it("lets a worker share a database, and take whatever port is free", () => {
    const shared = { DATABASE_URL: "postgres://db/agents", BASE_URL: "https://agents.example" };
    expect(read({ ...shared, ROLE: "worker" }).port).toBe(0);
    expect(read({ ...shared, ROLE: "api" }).port).toBe(8080);
    const alone = readConfig({}, { ROLE: "worker" });
    expect(alone).toEqual({
      ok: false,
      refusal: [
        "DATABASE_URL must be set for ROLE worker: nodes share a PostgreSQL database.",
        "BASE_URL must be set for a worker: the links in its runs lead there.",
      ],
    });
  });

  it.each(["https://agents.acme.example", "https://acme.example", "https://a.sites.acme.example"])(
    "refuses sites of agents on the same site as the service: %s",
    (baseUrl) => {
      const siteUrl = "https://{workspace}.sites.acme.example";
      expect(readConfig({ SITE_URL: siteUrl, BASE_URL: baseUrl })).toEqual({
        ok: false,
        refusal: [
          expect.stringContaining(
            `SITE_URL must be on another domain than BASE_URL, got "${siteUrl}" beside "${baseUrl}"`,
          ),
        ],
      });
      expect(readConfig({ SITE_URL: siteUrl, BASE_URL: "https://acme-agents.example" })).toMatchObject({
        ok: true,
      });
    },
  );

  it.each([
    ["PORT", "65536", 'PORT must be an integer from 0 to 65535, got "65536".'],
    ["PORT", "1e3", 'PORT must be an integer from 0 to 65535, got "1e3".'],
    ["CI_RATE_PER_MINUTE", "0", 'CI_RATE_PER_MINUTE must be an integer from 1 to 1000000, got "0".'],
    [
      "CORS_ORIGINS",
      "https://app.example/",
      'CORS_ORIGINS must be origins such as https://app.example.com, separated by commas, or *, got "https://app.example/".',
    ],
    ["METRICS_PORT", "on", 'METRICS_PORT must be an integer from 0 to 65535, got "on".'],
    ["RATES_FILE", "/nowhere/rates.json", 'RATES_FILE "/nowhere/rates.json": cannot be read (ENOENT).'],
    ["BACKEND", "gpt", 'BACKEND must be one of offline, model, acp, noop, got "gpt".'],
    [
      "BACKEND",
      "acp",
      'ACP_COMMAND must be set for BACKEND acp: a JSON list, such as ["opencode", "acp"]. Or set ACP_AGENT and MODEL.',
    ],
    [
      "BASE_URL",
      "https://user:pw@example.com",
      'BASE_URL must be an http:// or https:// URL without user, query or fragment, got "https://…@example.com".',
    ],
    [
      "WEB_URL",
      "https://example.com/?a",
      'WEB_URL must be an http:// or https:// URL without user, query or fragment, got "https://example.com/?a".',
    ],
    ["DATABASE_URL", "sqlite://x:secret@y", "DATABASE_URL must be a postgres:// URL, got something else."],
    [
      "RUN_SECRETS_KEY",
      "c2hvcnQ=",
      'RUN_SECRETS_KEY must be 32 bytes in base64, as "openssl rand -base64 32" writes them, got something else.',
    ],
    [
      "RUN_SECRETS_PREVIOUS_KEY",
      Buffer.alloc(32, 1).toString("base64"),
      "RUN_SECRETS_KEY must be set beside RUN_SECRETS_PREVIOUS_KEY: it seals what comes from now on.",
    ],
    ["CI_ISSUERS", "{", "CI_ISSUERS must be a JSON list of issuers, got text that is not JSON."],
    ["CI_ISSUERS", "[]", "CI_ISSUERS must name an issuer."],
    [
      "CI_ISSUERS",
      JSON.stringify([{ ...issuer, jwks_uri: "http://ghes.example/jwks" }]),
      "CI_ISSUERS[0].jwks_uri must be an https URL without credentials (http only on loopback).",
    ],
  ])("refuses %s=%s", (name, value, problem) => {
    expect(problemsOf({ [name]: value })).toEqual([problem]);
  });

  it("takes a GitHub App and host keys from files, and hides the App's key from commands", async () => {
    const folder = await mkdtemp(join(tmpdir(), "agent-service-config-"));
    try {
      const [key, hosts] = [join(folder, "app.pem"), join(folder, "known_hosts")];
      const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
      await writeFile(key, privateKey.export({ type: "pkcs1", format: "pem" }));
      await writeFile(hosts, "# ours\n[git.example.com]:2222 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA\n");
      const given = {
        GITHUB_APP_ID: "Iv23liApp",
        GITHUB_APP_PRIVATE_KEY_FILE: key,
        SSH_KNOWN_HOSTS_FILE: hosts,
      };
      const { remotes, sandbox } = read(given);
      expect(remotes.app?.id).toBe("Iv23liApp");
      expect([...remotes.knownHosts.hosts]).toEqual(["[git.example.com]:2222"]);
      expect(sandbox.hiddenPaths).toContain(key);
      expect(problemsOf({ ...given, SSH_KNOWN_HOSTS_FILE: key })).toEqual([
        `SSH_KNOWN_HOSTS_FILE must be a known_hosts file with an entry, as ssh-keyscan writes them, got ${JSON.stringify(key)}, which is none.`,
      ]);
      expect(problemsOf({ ...given, GITHUB_APP_PRIVATE_KEY_FILE: hosts })).toEqual([
        `GITHUB_APP_PRIVATE_KEY_FILE must be an RSA key of 2048 bits or more in PEM, got ${JSON.stringify(hosts)}, which is none.`,
      ]);
      expect(problemsOf({ GITHUB_APP_ID: "Iv23liApp" })).toEqual([
        "GITHUB_APP_PRIVATE_KEY_FILE must be set beside GITHUB_APP_ID: an App has both.",
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("says everything that is wrong at once", () => {
    expect(problemsOf({ PORT: "x", LOG_LEVEL: "x", CI_ISSUERS: "x", DRAIN_SECONDS: "x" })).toHaveLength(4);
  });
});
