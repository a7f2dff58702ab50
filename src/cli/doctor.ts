// agent-service doctor: one page on this CI job's identity and its access to the service, with the fix for each trouble.

import { appendFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { systemClock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import { line, matching, oneOf } from "../base/settings/kinds.ts";
import type { ValuesOf } from "../base/settings/setting.ts";
import { jobEnvironment } from "../ci/environment.ts";
import { fetchTransport } from "../client/transport.ts";
import { type CodingAgentName, codingAgentNames } from "../contract/ci/coding-agents.ts";
import type { GitHubToken } from "../doctor/examination.ts";
import { examineJob } from "../doctor/examine-job.ts";
import type { ModelFederation } from "../federation/provider.ts";
import { renderDoctorMarkdown, renderDoctorText } from "../render/doctor-page.ts";
import { readServiceUrl, serviceUrlFlag } from "./account.ts";
import { command } from "./command.ts";
import { switchFlag, UsageError, valueFlag } from "./flags.ts";
import { federationFlags, readFederationFlags } from "./model-flags.ts";
import { printJson } from "./print.ts";
import { version } from "./version.ts";

/** Whoever gives the token itself must not find it in the log. */
const variableName = {
  ...matching(
    "the name of a variable, not the token itself: --github-token-env GITHUB_TOKEN",
    /^[A-Za-z_]\w*$/,
  ),
  isSecret: true,
};
const MAX_AUDIENCE_CHARS = 255;

export const doctor = command({
  summary: "Explain who this CI job is and how it reaches the service, with a fix for each fault.",
  notes: ["Ends with 1 where there is a fault."],
  flags: {
    "base-url": {
      ...serviceUrlFlag,
      description: "The address of the service. Without one, it checks what works without a server.",
    },
    audience: valueFlag({
      kind: line({ maxChars: MAX_AUDIENCE_CHARS }),
      fallback: null,
      takes: "<text>",
      description: "What the job's token is made for.",
      shownDefault: "the host of the base URL",
    }),
    "github-token-env": valueFlag({
      kind: variableName,
      fallback: null,
      takes: "<name>",
      description: "The variable that holds GitHub's token, which is only read with.",
      shownDefault: "GITHUB_TOKEN",
    }),
    agent: valueFlag({
      kind: oneOf(["built-in", ...codingAgentNames]),
      fallback: "built-in",
      takes: "<name>",
      description:
        "Without a service: the coding agent that is to work on the model. It has to be installed.",
    }),
    ...federationFlags,
    json: switchFlag("Print JSON on standard output."),
  },
  examples: ["doctor", "doctor --base-url https://agents.example.com"],
  run: async ({ flags }) => await printPage(flags),
});

type DoctorFlags = ValuesOf<typeof federationFlags> & {
  readonly "base-url": string | null;
  readonly audience: string | null;
  readonly "github-token-env": string | null;
  readonly agent: "built-in" | CodingAgentName;
  readonly json: boolean;
};

async function printPage(flags: DoctorFlags): Promise<number> {
  const env = jobEnvironment;
  return await printExamination({
    baseUrl: readBaseUrl(flags["base-url"], env),
    audience: flags.audience,
    githubToken: readGitHubToken(flags["github-token-env"], env),
    federation: readFederationFlags(flags),
    agent: flags.agent === "built-in" ? null : flags.agent,
    isJson: flags.json,
  });
}

type ExaminationChoices = {
  /** Null: what works without a server is checked. */
  readonly baseUrl: string | null;
  readonly audience?: string | null;
  readonly githubToken?: GitHubToken | null;
  readonly federation?: ModelFederation | null;
  /** Null: the built-in one. */
  readonly agent?: CodingAgentName | null;
  readonly isJson?: boolean;
};

/** Examines this process's job, or this machine. Resolves to the exit code: 0 without a fault, 1 with one. */
export async function printExamination(choices: ExaminationChoices): Promise<number> {
  const env = jobEnvironment;
  const page = await examineJob({
    version,
    env,
    face: "command",
    baseUrl: choices.baseUrl,
    audience: choices.audience ?? null,
    folder: process.cwd(),
    transport: fetchTransport,
    usesProxy: nodeUsesProxy(env),
    githubToken: choices.githubToken ?? null,
    federation: choices.federation ?? null,
    federatedModel: env.MODEL?.trim() || null,
    examineEmbedded: async () => {
      const { examineEmbedded } = await import("../service/embedded/embedded.ts");
      const tempFolder = env.RUNNER_TEMP || tmpdir();
      const { agent = null } = choices;
      const model: Readonly<Record<string, string>> = agent === null ? {} : { ACP_AGENT: agent };
      const asksByKey = (choices.federation ?? null) === null;
      return await examineEmbedded({ environment: env, model, asksByKey, root: process.cwd(), tempFolder });
    },
    clock: systemClock,
    random: Math.random,
  });
  if (choices.isJson === true) printJson(page);
  else process.stdout.write(`${renderDoctorText(page)}\n`);
  if (env.GITHUB_STEP_SUMMARY) await appendSummary(env.GITHUB_STEP_SUMMARY, renderDoctorMarkdown(page));
  return page.state === "fault" ? 1 : 0;
}

/** Null where none is named: then the agent works without a server. */
function readBaseUrl(value: string | null, env: Environment): string | null {
  return value ?? (env.AGENT_SERVICE_URL ? readServiceUrl("--base-url") : null);
}

/** The value is a secret: a flag names the variable that holds it. */
function readGitHubToken(flag: string | null, env: Environment): GitHubToken | null {
  const name = flag ?? "GITHUB_TOKEN";
  const value = (env[name] ?? "").trim();
  if (value !== "") return { from: `the variable ${name}`, value };
  if (flag === null) return null;
  throw new UsageError(`--github-token-env names ${name}, and there is no such variable in this job.`);
}

/** Whether Node's own fetch uses a proxy, which is decided before it starts. */
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
