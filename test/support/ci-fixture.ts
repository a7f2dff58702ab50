// What a job of GitLab, CircleCI, Buildkite or Bitbucket plays on: an issuer with real keys, the real service behind a
// proxy that can go wrong, the provider's own tool on PATH, and the built command as a child process. Every run is
// searched for tokens out of place.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { type CodeHost, startCodeHost } from "../../fakes/code-host/code-host.ts";
import { type LoopbackServer, readBody, startLoopbackServer } from "../../fakes/code-host/server.ts";
import type { Claims } from "../../fakes/issuer/claims.ts";
import {
  bitbucketClaims,
  buildkiteClaims,
  circleciClaims,
  gitlabClaims,
  type ProviderClaimsContext,
} from "../../fakes/issuer/provider-claims.ts";
import type { Environment } from "../../src/ci/provider.ts";
import type { CiProviderName } from "../../src/contract/ci/providers.ts";
import type { Backend } from "../../src/service/executor/backend.ts";
import type { IssuerConfig } from "../../src/service/oidc/issuer-config.ts";
import type { Config } from "../../src/service/settings/config.ts";
import { bitbucketJob, buildkiteJob, circleciJob, gitlabJob } from "../ci/job-variables.ts";
import type { ManualClock } from "./clock-manual.ts";
import { type FaultProxy, type ProxiedRequest, startFaultProxy } from "./fault-proxy.ts";
import { startTestService, type TestService } from "./service.ts";

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const COMMAND = join(PROJECT, "npm/cli.mjs");
export const OUTPUT_DIR = "agent-service-output";
/** Where the examples take the command from. */
export const CI_PACKAGE = "https://files.example.com/agent-service-1.0.0.tgz";

/** Of a token that a tool mints. */
const TOOL_TOKEN_SECONDS = 300;

export type CiProviderKind = Exclude<CiProviderName, "github">;

type Kind = {
  readonly variables: Environment;
  readonly claims: (context: ProviderClaimsContext) => Record<string, unknown>;
  readonly entry: Partial<IssuerConfig>;
  /** The variable that holds a token, or the tool that mints one. */
  readonly token: { readonly variable: string } | { readonly tool: string };
};

const kinds: Readonly<Record<CiProviderKind, Kind>> = {
  gitlab: {
    variables: gitlabJob,
    claims: gitlabClaims,
    entry: {},
    token: { variable: "AGENT_SERVICE_ID_TOKEN" },
  },
  circleci: {
    variables: circleciJob,
    claims: circleciClaims,
    entry: { clone_url: "https://github.com/{repository}.git", visibility: "public" },
    token: { tool: "circleci" },
  },
  buildkite: {
    variables: buildkiteJob,
    claims: buildkiteClaims,
    entry: { visibility: "public" },
    token: { tool: "buildkite-agent" },
  },
  bitbucket: {
    variables: bitbucketJob,
    claims: bitbucketClaims,
    entry: { clone_url: "https://bitbucket.org/{repository}.git", visibility: "public" },
    token: { variable: "BITBUCKET_STEP_OIDC_TOKEN" },
  },
};

export type CiSceneOptions = {
  readonly provider: CiProviderKind;
  readonly backend: Backend;
  readonly config?: Partial<Config>;
  /** Fields of the issuer's entry, replaced. */
  readonly entry?: Partial<IssuerConfig>;
  /** For the service and the times in tokens. */
  readonly clock?: ManualClock;
};

export type CiRunOptions = {
  /** After `run --base-url <url>`. */
  readonly args?: readonly string[];
  /** Other words than `run --base-url <url>` before them. */
  readonly command?: readonly string[];
  /** In the place of all that: a shell's script, in which `npx --yes --package=<CI_PACKAGE> agent-service` is the built command. */
  readonly script?: string;
  /** Wins over the provider's variables; undefined takes one away. */
  readonly env?: Environment;
  /** Of the job's tokens, replaced. */
  readonly claims?: Claims;
  /** Whether the job was given what its token needs. True unless told. */
  readonly hasToken?: boolean;
  /** Whether the provider's tool gives a token when it is asked. True unless told. */
  readonly isTokenGiven?: boolean;
  /** Told of each line as it is printed; it may send the process a signal. */
  readonly onLine?: (line: string, kill: (signal: NodeJS.Signals) => void) => void;
};

export type CiRun = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly ProxiedRequest[];
  /** What is in the output folder, by name. */
  readonly files: Readonly<Record<string, string>>;
};

export type Annotation = { readonly args: readonly string[]; readonly body: string };

export class CiFixture {
  readonly proxy: FaultProxy;
  readonly service: TestService;
  /** What `buildkite-agent annotate` was given. */
  readonly annotations: Annotation[] = [];
  readonly #forge: CodeHost;
  readonly #kind: Kind;
  readonly #folder: string;
  readonly #now: () => number;
  #minting: LoopbackServer | null = null;
  #claims: Claims = {};
  #minted = 0;
  #isTokenGiven = true;

  static async open(options: CiSceneOptions): Promise<CiFixture> {
    const { provider, backend, clock } = options;
    const kind = kinds[provider];
    const now = clock?.now ?? Date.now;
    const forge = await startCodeHost({ repositories: {}, now });
    const proxy = await startFaultProxy();
    const entry = { ...forge.issuerEntry, provider, ...kind.entry, ...options.entry };
    const service = await startTestService({
      forge,
      backend,
      ...(clock === undefined ? {} : { clock }),
      config: { baseUrl: proxy.url, issuers: [entry], ...options.config },
    });
    proxy.forwardTo(service.url);
    const folder = await mkdtemp(join(tmpdir(), "ci-fixture-"));
    const fixture = new CiFixture({ forge, proxy, service, kind, folder, now });
    await fixture.#putTool();
    await putProgram(folder, { name: "npx", source: NPX_SOURCE });
    return fixture;
  }

  private constructor(parts: {
    forge: CodeHost;
    proxy: FaultProxy;
    service: TestService;
    kind: Kind;
    folder: string;
    now: () => number;
  }) {
    this.#forge = parts.forge;
    this.proxy = parts.proxy;
    this.service = parts.service;
    this.#kind = parts.kind;
    this.#folder = parts.folder;
    this.#now = parts.now;
  }

  get url(): string {
    return this.proxy.url;
  }

  get audience(): string {
    return new URL(this.url).host;
  }

  /** An ID token of the provider. Those that a tool mints differ by the second, as real ones do. */
  mint(claims: Claims = {}, audience = this.audience): string {
    const { issuer } = this.#forge;
    const nowMs = this.#now();
    const context = { issuer: issuer.url, nowMs, audience, overrides: claims };
    return issuer.sign(this.#kind.claims(context));
  }

  /** Runs the built command in a job, in an empty folder of its own. */
  async run(options: CiRunOptions = {}): Promise<CiRun> {
    const { args = ["Look around"], command = ["run", "--base-url", this.url], hasToken = true } = options;
    const cwd = await mkdtemp(join(this.#folder, "job-"));
    this.#claims = options.claims ?? {};
    this.#isTokenGiven = options.isTokenGiven ?? true;
    const before = this.proxy.requests.length;
    const env = { ...this.#kind.variables, ...this.#given(hasToken), ...options.env };
    const [program, ...words] =
      options.script === undefined
        ? [process.execPath, COMMAND, ...command, ...args]
        : ["bash", "-euc", options.script];
    const child = spawn(program ?? "", words, {
      cwd,
      env: { ...env, CI: "true", PATH: this.#path(hasToken), TMPDIR: this.#folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const kill = (signal: NodeJS.Signals) => void child.kill(signal);
    const text = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      let unread = "";
      child[name].setEncoding("utf8").on("data", (chunk: string) => {
        text[name] += chunk;
        const lines = (unread + chunk).split("\n");
        unread = lines.pop() ?? "";
        for (const line of lines) options.onLine?.(line, kill);
      });
    }
    const [code] = await once(child, "close");
    const run = {
      code,
      ...text,
      requests: this.proxy.requests.slice(before),
      files: await filesIn(join(cwd, OUTPUT_DIR)),
    };
    expectNoToken(run, this.service.logText());
    return run;
  }

  async close(): Promise<void> {
    await this.service.stop();
    await Promise.all([this.proxy.close(), this.#forge.close(), this.#minting?.close()]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #given(hasToken: boolean): Environment {
    const { token } = this.#kind;
    if (!("variable" in token) || !hasToken) return {};
    return { [token.variable]: this.mint({ iat: this.#nextSecond(), ...this.#claims }) };
  }

  /** Without its own tool a job has what every machine has. */
  #path(hasToken: boolean): string {
    const system = "/usr/bin:/bin";
    return hasToken ? `${this.#folder}:${system}` : system;
  }

  /** The provider's tool: a real program that asks the fixture for a token, or hands it an annotation. */
  async #putTool(): Promise<void> {
    const { token } = this.#kind;
    if (!("tool" in token)) return;
    this.#minting = await startLoopbackServer(async (request, response) => {
      const { args, body } = JSON.parse((await readBody(request)).toString());
      if (args[0] === "annotate") {
        this.annotations.push({ args, body });
        response.end("");
        return;
      }
      if (!this.#isTokenGiven) {
        response.writeHead(403).end("no identity for this job");
        return;
      }
      const iat = this.#nextSecond();
      response.end(this.mint({ iat, exp: iat + TOOL_TOKEN_SECONDS, ...this.#claims }, audienceOf(args)));
    });
    await putProgram(this.#folder, { name: token.tool, source: toolSource(this.#minting.url) });
  }

  /** No two tokens within one second, so that no test waits for the next one. */
  #nextSecond(): number {
    this.#minted += 1;
    return Math.floor(this.#now() / 1000) - 50 + this.#minted;
  }
}

/** The tarball that the examples name, as npx would take it, and no other. */
const NPX_SOURCE = `
const [yes, tarball, name, ...words] = process.argv.slice(2);
const isOurs = yes === "--yes" && tarball === "--package=${CI_PACKAGE}" && name === "agent-service";
if (!isOurs) throw new Error("npx was asked for something else");
const { status } = require("node:child_process").spawnSync(
  process.execPath, [${JSON.stringify(COMMAND)}, ...words], { stdio: "inherit" });
process.exitCode = status ?? 1;
`;

async function putProgram(folder: string, { name, source }: { name: string; source: string }): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, `#!${process.execPath}\n${source}`);
  await chmod(path, 0o755);
}

function toolSource(url: string): string {
  return `
const args = process.argv.slice(2);
const chunks = [];
if (args[0] === "annotate") process.stdin.on("data", (chunk) => chunks.push(chunk)).on("end", ask);
else ask();
async function ask() {
  const body = JSON.stringify({ args, body: Buffer.concat(chunks).toString() });
  const answer = await fetch(${JSON.stringify(url)}, { method: "POST", body });
  process.exitCode = answer.ok ? 0 : 1;
  process.stdout.write(await answer.text());
}
`;
}

/** As each tool is asked for it; anything else is refused by making a token for nobody. */
function audienceOf(args: readonly string[]): string {
  const [at, claims] = [args.indexOf("--audience"), args.indexOf("--claims")];
  if (args[0] === "oidc" && args[1] === "request-token" && at > 0) return args[at + 1] ?? "";
  if (args.slice(0, 3).join(" ") === "run oidc get" && claims > 0)
    return JSON.parse(args[claims + 1] ?? "{}").aud;
  return "nobody";
}

async function filesIn(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder).catch(() => []);
  const entries = names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** The job's tokens go into an exchange and a header, and nowhere that anybody reads. */
function expectNoToken(run: CiRun, serviceLog: string): void {
  const exchanges = run.requests.filter(({ route }) => route === "exchange");
  const idTokens = exchanges.map(({ body }) => String(JSON.parse(body).subject_token));
  const grants = exchanges.flatMap(({ answer }) => answer?.body.match(/svc_ci_[\w-]+/g) ?? []);
  const readable = [run.stdout, run.stderr, serviceLog, ...Object.values(run.files)];
  for (const secret of [...idTokens, ...grants]) {
    for (const text of readable) expect(text.includes(secret)).toBe(false);
  }
}
