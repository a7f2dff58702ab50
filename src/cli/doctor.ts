// agent-service doctor: one page on who this CI job is and how it gets on with the service, with the fix for each trouble.

import { appendFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { systemClock } from "../base/clock.ts";
import { singleLine } from "../base/untrusted-text.ts";
import { jobEnvironment } from "../ci/environment.ts";
import type { Environment } from "../ci/provider.ts";
import { fetchTransport } from "../client/transport.ts";
import type { GitHubToken } from "../doctor/examination.ts";
import { examineJob } from "../doctor/examine-job.ts";
import { renderDoctorMarkdown, renderDoctorText } from "../render/doctor-page.ts";
import { readServiceUrl } from "./account.ts";
import { readFlags, takeArguments, UsageError } from "./flags.ts";
import { version } from "./help.ts";
import { printJson } from "./print.ts";

const flags = {
  "base-url": { type: "string" },
  audience: { type: "string" },
  "github-token-env": { type: "string" },
  json: { type: "boolean" },
} as const;

const MAX_AUDIENCE_CHARS = 255;
const EXIT_MS = 500;

/** Resolves to the exit code: 0 without a fault, 1 with one. Throws UsageError. */
export async function doctor(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, flags);
  takeArguments("doctor", positionals);
  const env = jobEnvironment;
  const page = await examineJob({
    version,
    env,
    face: "command",
    baseUrl: readBaseUrl(values["base-url"], env),
    audience: readAudience(values.audience),
    folder: process.cwd(),
    transport: fetchTransport,
    usesProxy: nodeUsesProxy(env),
    githubToken: readGitHubToken(values["github-token-env"], env),
    examineEmbedded: async () => {
      const { examineEmbedded } = await import("../service/embedded/embedded.ts");
      return await examineEmbedded({ environment: env, model: {}, tempFolder: env.RUNNER_TEMP || tmpdir() });
    },
    clock: systemClock,
    random: Math.random,
  });
  if (values.json === true) printJson(page);
  else process.stdout.write(`${renderDoctorText(page)}\n`);
  if (env.GITHUB_STEP_SUMMARY) await appendSummary(env.GITHUB_STEP_SUMMARY, renderDoctorMarkdown(page));
  // Node's own support of proxies goes on knocking at one that hangs up, also when nobody waits for it any more.
  setTimeout(() => process.exit(), EXIT_MS).unref();
  return page.state === "fault" ? 1 : 0;
}

/** Null where none is named: then the agent works without a server. */
function readBaseUrl(value: string | undefined, env: Environment): string | null {
  if (value === undefined && !env.AGENT_SERVICE_URL) return null;
  const { origin, pathname } = new URL(readServiceUrl({ flag: "--base-url", value }));
  return origin + pathname.replace(/\/+$/, "");
}

function readAudience(flag: string | undefined): string | null {
  if (flag === undefined) return null;
  if (flag !== "" && flag.length <= MAX_AUDIENCE_CHARS && !/\p{Cc}/u.test(flag)) return flag;
  throw new UsageError(
    `--audience must be one line of 1 to ${MAX_AUDIENCE_CHARS} characters, got "${singleLine(flag, 100)}".`,
  );
}

/** The value is a secret: a flag names the variable that holds it. */
function readGitHubToken(flag: string | undefined, env: Environment): GitHubToken | null {
  const name = flag ?? "GITHUB_TOKEN";
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    throw new UsageError(
      "--github-token-env must be the name of a variable, not the token itself: --github-token-env GITHUB_TOKEN.",
    );
  }
  const value = (env[name] ?? "").trim();
  if (value !== "") return { from: `the variable ${name}`, value };
  if (flag === undefined) return null;
  throw new UsageError(`--github-token-env names ${name}, and there is no such variable in this job.`);
}

/** What Node's own fetch does is decided before it starts. */
function nodeUsesProxy(env: Environment): boolean {
  const words = [...process.execArgv, ...(env.NODE_OPTIONS ?? "").split(/\s+/)];
  return env.NODE_USE_ENV_PROXY === "1" || words.includes("--use-env-proxy");
}

/** A page that cannot be kept in the summary is in the log all the same. */
async function appendSummary(path: string, markdown: string): Promise<void> {
  await appendFile(path, markdown).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : "unknown";
    process.stderr.write(`The job summary was not written: ${why}\n`);
  });
}
