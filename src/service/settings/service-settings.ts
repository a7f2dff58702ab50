// The settings of every service, by the names of their environment variables, in the order of the documentation.

import { availableParallelism } from "node:os";
import { SEALING_KEY_BYTES, type SealingKey, sealingKeyOf } from "../../base/sealed-text.ts";
import { dollars, httpUrl, integer, line, listOf, matching, oneOf, text } from "../../base/settings/kinds.ts";
import { described, type Kind, kind } from "../../base/settings/setting.ts";
import { readSiteUrl } from "../../base/site-host.ts";
import { modelPrice } from "../../contract/models/model-price.ts";
import { LEAST_MAX_COST_USD, MOST_MAX_COST_USD } from "../../contract/runs/run-requests.ts";
import { githubIssuer, issuersKind } from "../oidc/issuer-config.ts";
import { blobStores } from "./blob-config.ts";

const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

const backendNames = ["offline", "model", "acp", "noop"] as const;

/** Roles of a node in the service's work, where several share one database. */
const roles = ["all", "api", "worker"] as const;
export type Role = (typeof roles)[number];

const sealingKey: Kind<SealingKey> = {
  ...kind(`${SEALING_KEY_BYTES} bytes in base64, as "openssl rand -base64 32" writes them`, (text) => {
    return /^[A-Za-z0-9+/]{43}=?$/.test(text) ? sealingKeyOf(Buffer.from(text, "base64")) : undefined;
  }),
  isSecret: true,
};

export const serviceSettings = {
  HOST: described({
    kind: text("an IP address or a host name"),
    fallback: "127.0.0.1",
    description: "The address to listen on. `0.0.0.0` is every address of the machine.",
  }),
  PORT: described({
    kind: integer({ min: 0, max: 65_535 }),
    fallback: 8080,
    description: "The port to listen on. 0 takes a free one, which the log names.",
    shownDefault: "`8080`; for `ROLE=worker` a free one",
  }),
  BASE_URL: described({
    kind: httpUrl,
    fallback: null,
    description:
      "The address at which jobs reach the service. Set it behind a proxy: the audience follows from it.",
    shownDefault: "the address it listens on",
  }),
  WEB_URL: described({
    kind: httpUrl,
    fallback: null,
    description: "The address at which claim links start.",
    shownDefault: "`BASE_URL`",
  }),
  DATA_DIR: described({
    kind: text("a folder"),
    fallback: "agent-service-data",
    description: "The folder of the embedded store and of the checkouts of running runs.",
  }),
  DATABASE_URL: described({
    kind: {
      ...kind("a postgres:// URL", (given) =>
        /^postgres(ql)?:\/\//.test(given) && URL.canParse(given) ? given : undefined,
      ),
      isSecret: true,
    },
    fallback: null,
    description: "A PostgreSQL database in place of the embedded store.",
    shownDefault: "the embedded store",
  }),
  DATABASE_WAIT_SECONDS: described({
    kind: integer({ min: 0, max: 3600 }),
    fallback: 60,
    description: "How long a start waits for a database at `DATABASE_URL` that does not answer yet.",
  }),
  RUN_SECRETS_KEY: described({
    kind: sealingKey,
    fallback: null,
    description:
      "The key that seals the access to a model that a run brings, and the journals from which runs go on when their worker is lost, 32 random bytes in base64 (`openssl rand -base64 32`), the same on every node. With `DATABASE_URL` a run that brings access is refused without it, and no journal is kept. Without `DATABASE_URL` runs that bring access outlive the process only with it: else their access is in memory alone. With every store: what seals deploy keys, the keys that [vouch for runs](run-identity.md) and the tokens of [connections](../connections.md), which are refused without it. Access tokens for MCP servers that a run brings are kept as its access to a model is.",
    shownDefault: "none; without `DATABASE_URL` one of each process",
  }),
  RUN_SECRETS_PREVIOUS_KEY: described({
    kind: sealingKey,
    fallback: null,
    description:
      "A second key, which opens and seals nothing: for a [change of the key](several-nodes.md#the-key-of-runs-secrets).",
    shownDefault: "none",
  }),
  SSH_KNOWN_HOSTS_FILE: described({
    kind: text("a file"),
    fallback: null,
    description:
      "Host keys of code hosts, as a `known_hosts` file, for [deploy keys](../private-repositories.md#a-deploy-key). Those that GitHub, GitLab.com and Bitbucket publish are built in; a host in this file has the keys of this file alone.",
    shownDefault: "the built-in ones",
  }),
  GITHUB_APP_ID: described({
    kind: matching("a GitHub App's client id, or its number", /^[\w.-]{1,100}$/),
    fallback: null,
    description:
      "A GitHub App whose installations owners may choose for [the newest commit](../private-repositories.md#the-github-app): its client id. It is of the first issuer of GitHub in `CI_ISSUERS`, and needs *Contents: read*.",
    shownDefault: "no App",
  }),
  GITHUB_APP_PRIVATE_KEY_FILE: described({
    kind: text("a file"),
    fallback: null,
    description:
      "The App's private key, as GitHub hands it out (PEM). Commands of agents do not see the file.",
    shownDefault: "no App",
  }),
  ROLE: described({
    kind: oneOf(roles),
    fallback: "all",
    description:
      "What this node does where several share `DATABASE_URL`: `api` answers requests, `worker` executes runs (as `agent-service work`).",
  }),
  STALLED_SECONDS: described({
    kind: integer({ min: 2, max: 3600 }),
    fallback: 30,
    description:
      "With `DATABASE_URL`: a run whose worker is silent for this long is taken by another one where it has a journal; else it ends as `stalled` and is refunded.",
  }),
  LOG_LEVEL: described({
    kind: oneOf(logLevels),
    fallback: "info",
    description: "The least severe log lines that go to standard output, as JSON.",
  }),
  CI_AUDIENCE: described({
    kind: line({ maxChars: 255 }),
    fallback: null,
    description: "The audience that ID tokens must have.",
    shownDefault: "the host of `BASE_URL`",
  }),
  CI_ISSUERS: described({
    kind: issuersKind,
    fallback: [githubIssuer],
    description: "The issuers whose ID tokens are accepted, and where their repositories are cloned from.",
    shownDefault: "GitHub's public issuer",
  }),
  CI_FREE_CREDITS: described({
    kind: integer({ min: 0, max: 1_000_000_000 }),
    fallback: 100,
    description:
      "Free credits of each repository owner a month (UTC). A run costs one, unless `RATES_FILE` says otherwise.",
  }),
  CI_CAPABILITY_SECONDS: described({
    kind: integer({ min: 10, max: 3600 }),
    fallback: 900,
    description: "How long a job's capability is valid.",
  }),
  CI_RATE_PER_MINUTE: described({
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: 120,
    description: "Token exchanges a minute from one address.",
  }),
  RATE_PER_MINUTE: described({
    kind: integer({ min: 1, max: 10_000_000 }),
    fallback: 6_000,
    description: "Requests a minute of one account, or of the jobs of one repository.",
  }),
  ADDRESS_RATE_PER_MINUTE: described({
    kind: integer({ min: 1, max: 10_000_000 }),
    fallback: 600,
    description: "Requests a minute from one address without a valid credential.",
  }),
  MAX_SOCKETS: described({
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: 100,
    description: "Open WebSockets of one account, or of the jobs of one repository, on this node.",
  }),
  MAX_NODE_REQUESTS: described({
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: 2_000,
    description: "Requests that a node works on at a time. Those that wait for an event do not count.",
  }),
  MAX_NODE_POLLS: described({
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: 20_000,
    description: "Requests of a node that wait for an event.",
  }),
  MAX_NODE_SOCKETS: described({
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: 10_000,
    description: "Open WebSockets of a node.",
  }),
  CORS_ORIGINS: described({
    kind: listOf({
      allowed: "origins such as https://app.example.com, separated by commas, or *",
      separator: /,/,
      item: (given) => (given === "*" || isOrigin(given) ? given : undefined),
    }),
    fallback: [],
    description:
      "Origins of web pages that may call `/v1`, sockets included, and `/mcp`. `*` is every one. Cookies are never accepted: a page sends its credential itself.",
    shownDefault: "none",
  }),
  TRUSTED_PROXY_HOPS: described({
    kind: integer({ min: 0, max: 10 }),
    fallback: 0,
    description: "The number of your own proxies in front: so many entries of `X-Forwarded-For` are trusted.",
  }),
  BACKEND: described({
    kind: oneOf(backendNames),
    fallback: "offline",
    description:
      "What executes runs: `model` uses a language model, `acp` another coding agent, `offline` writes a briefing without a model, `noop` does nothing (for load tests).",
  }),
  MAX_RUNNING_RUNS: described({
    kind: integer({ min: 1, max: 1000 }),
    fallback: Math.max(4, availableParallelism()),
    description: "Runs that this node executes at a time.",
    shownDefault: "one a processor, at least 4",
  }),
  OAUTH_REGISTRATION: described({
    kind: oneOf(["on", "off"]),
    fallback: "on",
    description:
      "Whether OAuth applications may register themselves. Those that have their metadata at an address of their own need no registration.",
  }),
  OAUTH_CLIENT_DOCUMENTS: described({
    kind: oneOf(["on", "off"]),
    fallback: "on",
    description:
      "Whether OAuth applications may have their metadata at an address of their own, which the service reads. `off` where it cannot reach the public internet: applications such as Claude Code then register themselves.",
  }),
  MAX_QUEUED_RUNS: described({
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: 10_000,
    description: "Runs that may wait. Beyond it a submission is answered 429.",
  }),
  MAX_COST_USD: described({
    kind: dollars({ min: LEAST_MAX_COST_USD, max: MOST_MAX_COST_USD }),
    fallback: null,
    description:
      "US dollars that the models of a run may cost which names no amount (`max_cost_usd`): by `RATES_FILE`, or by published prices.",
    shownDefault: "no limit",
  }),
  DRAIN_SECONDS: described({
    kind: integer({ min: 0, max: 600 }),
    fallback: 10,
    description:
      "How long a stop of the service waits at most: for runs with a journal to reach their next turn, at which they are handed over, and for other runs to end.",
  }),
  RETENTION_DAYS: described({
    kind: integer({ min: 0, max: 36_500 }),
    fallback: 90,
    description:
      "Days after a run's end until its messages and events are deleted; 0 keeps them. Its record and the ledger stay.",
  }),
  ARCHIVE_DAYS: described({
    kind: integer({ min: 0, max: 36_500 }),
    fallback: null,
    description:
      "Days after a run's end until its events and its journal leave the database for the blobs (`BLOB_STORE`), where they are read as before. 0: they stay. A node that does not see the blobs of the others moves none.",
    shownDefault: "1 with `DATABASE_URL` and `BLOB_STORE=s3`, otherwise 0",
  }),
  JOURNAL_DAYS: described({
    kind: integer({ min: 0, max: 365 }),
    fallback: 7,
    description:
      "Days after a run's end for which its journal is kept, sealed: its messages as the model was sent them, and its files turn by turn. For as long it can be forked. 0 keeps none.",
  }),
  WORKSPACES: described({
    kind: oneOf(["on", "off"]),
    fallback: "on",
    description:
      "`off`: no new work in workspaces. What deletes, cancels or rejects is taken nevertheless, and files are served: `WORKSPACE_FILES` is a gate of its own.",
  }),
  WORKSPACE_FILES: described({
    kind: oneOf(["on", "off"]),
    fallback: "on",
    description:
      "`off`: nobody lists, reads, downloads, writes or deletes a file of a workspace, exports a bundle, clones or pushes by git, reads a changeset's patch or follows a link to a file or a site, also a link made before. Runs work on.",
  }),
  WORKSPACE_ACCOUNTS: described({
    kind: listOf({
      allowed: "ids of accounts, separated by commas",
      separator: /,/,
      item: (id) => (/^[0-9a-f-]{36}$/.test(id) ? id : undefined),
    }),
    fallback: null,
    description: "The accounts that may begin work in workspaces.",
    shownDefault: "all",
  }),
  WORKSPACE_PATHS: described({
    kind: oneOf(["portable", "any"]),
    fallback: "portable",
    description:
      '`portable`: new files of workspaces have names that Windows and macOS can hold. Refused are `< > : " | ? * \\`, control characters, a dot or a space at the end, names of devices such as `aux.c`, and names that differ from another one of their folder in case alone. What is there already stays. `any`: whatever git takes.',
  }),
  WORKSPACE_MAX_FILE_MB: described({
    kind: integer({ min: 1, max: 100_000 }),
    fallback: 1_024,
    description: "The size of one file of a workspace at most, in MB.",
  }),
  WORKSPACE_KEEP_DAYS: described({
    kind: integer({ min: 0, max: 36_500 }),
    fallback: 30,
    description:
      "Days until a revision of a workspace that was never accepted and that nothing needs is deleted, and what is in the trash; 0 keeps both.",
  }),
  SITE_URL: described({
    kind: kind(
      "an origin such as https://{workspace}.sites.example",
      (given) => readSiteUrl(given) ?? undefined,
    ),
    fallback: null,
    description:
      "The origins of workspaces' sites: `{workspace}`, the first label of the host, stands for a workspace's id. On another registered domain than `BASE_URL` and `WEB_URL`: sites hold what agents write. Without it sites come from the service's origin, in a sandbox and without scripts.",
    shownDefault: "the service's origin",
  }),
  EDITOR_CAP_KB: described({
    kind: integer({ min: 1, max: 100_000 }),
    fallback: 1_024,
    description: "The size of a file at most that is read or written as text in one piece, in KB.",
  }),
  BLOB_STORE: described({
    kind: oneOf(blobStores),
    fallback: "folder",
    description:
      "Where the commits that jobs send, files of workspaces above 64 KB and what ended runs have left (`ARCHIVE_DAYS`) are kept: `folder` is `BLOB_DIR`, which nodes that share `DATABASE_URL` have to share, too; `s3` a bucket.",
  }),
  BLOB_DIR: described({
    kind: text("a folder"),
    fallback: null,
    description: "The folder of `BLOB_STORE=folder`.",
    shownDefault: "`blobs` in `DATA_DIR`",
  }),
  COMMIT_MAX_MB: described({
    kind: integer({ min: 1, max: 16_000 }),
    fallback: 1_000,
    description:
      "Megabytes of one commit with its history, as a job sends it, and of one push to a workspace.",
  }),
  COMMIT_QUOTA_MB: described({
    kind: integer({ min: 1, max: 10_000_000 }),
    fallback: 4_000,
    description: "Megabytes of all commits of one repository. What was not used for longest makes room.",
  }),
  COMMIT_KEEP_DAYS: described({
    kind: integer({ min: 1, max: 3650 }),
    fallback: 14,
    description: "Days after its last use until a commit is deleted. Until then only what is new is sent.",
  }),
  COMMIT_CACHE_MB: described({
    kind: integer({ min: 0, max: 10_000_000 }),
    fallback: 4_000,
    description: "Megabytes of commits that this node keeps in `DATA_DIR`, beside those of runs at work.",
  }),
  METRICS_PORT: described({
    kind: integer({ min: 0, max: 65_535 }),
    fallback: null,
    description:
      "The port on which `GET /metrics` answers a Prometheus scraper, at `HOST`. Keep the public from it. 0 takes a free one, which the log names.",
    shownDefault: "no metrics",
  }),
  REFUNDS_PER_DAY: described({
    kind: integer({ min: 0, max: 1_000_000 }),
    fallback: 20,
    description:
      "Runs of one billing account that are refunded a day (UTC) because they failed by what a caller can produce, such as a repository that cannot be cloned. Beyond it such a run is charged. Runs that failed by the fault of the service, its operator or its storage are always refunded, and not counted.",
  }),
  RATES_FILE: described({
    kind: text("a JSON file"),
    fallback: null,
    description: "A file with prices and the limits of plans.",
    shownDefault: "built in: a run costs one credit",
  }),
  MODEL_PRICE: described({
    kind: modelPrice,
    fallback: null,
    description:
      "The price of `MODEL`, without `RATES_FILE`: for limits of cost (`max_cost_usd`) and for what runs say that they cost. Nobody is charged by it.",
    shownDefault: "the published one, where it is known",
  }),
};

export type SettingName = keyof typeof serviceSettings;

/** As a browser sends it: no path, no trailing slash. */
function isOrigin(given: string): boolean {
  const url = URL.parse(given);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === given;
}
