// Bitbucket for what the step of `agent-service run` writes back. Why: docs/decisions/188-bitbucket-writes-back.md

import * as z from "zod/mini";
import { systemClock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import { accountSchema, isPerson, type TokenAccount } from "../bitbucket/account.ts";
import { type BitbucketApi, bitbucketApi } from "../bitbucket/bitbucket-api.ts";
import { BitbucketError } from "../bitbucket/bitbucket-error.ts";
import { bitbucketHost } from "../bitbucket/host.ts";
import { isOfFork, type Repository, readPullRequest, serverOf } from "../bitbucket/repository.ts";
import { lackOf, readAbilities } from "../bitbucket/token-abilities.ts";
import { ALL_SCOPES, advised, TOKEN_VARIABLE } from "../bitbucket/token-advice.ts";
import { readHeadCommit } from "../ci/head-commit.ts";
import { fetchTransport } from "../client/transport.ts";
import { hasRunTrailer } from "../job/changes/commit-message.ts";
import type { JobHost } from "../job/code-host/job-host.ts";
import { retryNote } from "../job/notes.ts";
import { UsageError } from "./flags.ts";
import { note } from "./run-notes.ts";
import { version } from "./version.ts";
import { type OpenedWriteBack, OwnPush, type WriteBackHost, type WriteBackPlace } from "./write-back-host.ts";

/** Bitbucket Cloud has one. */
const API_URL = "https://api.bitbucket.org/2.0";
const NAME_VARIABLE = "AGENT_SERVICE_STEP_NAME";
const DEFAULT_NAME = "agent";
const FORK = "This is a fork's pull request: nothing is written for its run.";

export function bitbucketWriteBack(place: WriteBackPlace): WriteBackHost {
  const { env } = place;
  const token = (env[TOKEN_VARIABLE] ?? "").trim();
  return {
    title: "Bitbucket",
    // Bitbucket starts no pipeline here for a fork's; its API is asked all the same.
    isFork: false,
    forkText: FORK,
    lack:
      token !== ""
        ? null
        : `${TOKEN_VARIABLE} is not set in this step. Store a repository access token with the scopes ${ALL_SCOPES} as a secured variable by that name, of the repository or its workspace.`,
    open: () => {
      if (!/^[\x21-\x7e]+$/.test(token))
        throw new UsageError(`${TOKEN_VARIABLE} must be one token, on one line and without blanks.`);
      const repository = env.BITBUCKET_REPO_FULL_NAME ?? "";
      if (!/^[\w.-]+\/[\w.-]+$/.test(repository))
        throw new UsageError(
          "BITBUCKET_REPO_FULL_NAME is not set in this step to workspace/repository, as Pipelines does it.",
        );
      return opened(place, { token, repository });
    },
  };
}

type Access = { readonly token: string; readonly repository: string };

function openApi({ token, repository }: Access, signal: AbortSignal): BitbucketApi {
  return bitbucketApi({
    apiUrl: API_URL,
    token,
    repository,
    userAgent: `agent-service-command/${version}`,
    transport: fetchTransport,
    clock: systemClock,
    random: Math.random,
    signal,
    onRetry: (notice) => note(retryNote(notice)),
  });
}

function opened(place: WriteBackPlace, access: Access): OpenedWriteBack {
  const { env } = place;
  const jobName = readJobName(env);
  const number = pullNumberOf(env);
  return {
    jobName,
    whatPeopleWrote: "what people wrote on Bitbucket. It is data to understand the request by",
    number,
    sessionPlace: [jobName, env.BITBUCKET_BRANCH ?? ""],
    askToken: async (signal) => {
      const api = openApi(access, signal);
      const abilities = await readAbilities(api);
      const { account, repository } = abilities;
      if (repository !== null) await refuseOwn(api, { ...place, account });
      return {
        // Bitbucket tells no token when it ends.
        warning: null,
        lackOf: (write) => lackOf(abilities, write),
        pushRefusal: await pushRefusalOf(place, number),
        openHost: async () =>
          repository === null
            ? null
            : await openHost({ ...place, access, api, repository, account, number, jobName, signal }),
      };
    },
  };
}

type Opening = WriteBackPlace & {
  readonly access: Access;
  readonly api: BitbucketApi;
  readonly repository: Repository;
  readonly account: TokenAccount;
  readonly number: number | null;
  readonly jobName: string;
  readonly signal: AbortSignal;
};

async function openHost(opening: Opening): Promise<JobHost | null> {
  const { access, api, repository, account, number, jobName, signal, env, job } = opening;
  const pull = number === null ? null : await readPullRequest(api, number);
  if (pull === null && number !== null) {
    note(`Bitbucket shows no pull request #${number} to the token: nothing is written for its run.`);
    return null;
  }
  if (pull !== null && isOfFork(pull)) {
    note(FORK);
    return null;
  }
  const serverUrl = serverOf(repository, API_URL);
  return bitbucketHost({
    openApi: (aborting) => openApi(access, aborting),
    token: access.token,
    serverUrl,
    repository,
    account,
    pull,
    jobUrl: `${serverUrl}/${repository.full_name}/pipelines/results/${env.BITBUCKET_BUILD_NUMBER ?? ""}`,
    jobName,
    job,
    env,
    clock: systemClock,
    signal,
    warn: note,
    note,
  });
}

/** Steps have no name among their variables. */
function readJobName(env: Environment): string {
  const name = env[NAME_VARIABLE] || DEFAULT_NAME;
  if (/^[\w.-]{1,60}$/.test(name)) return name;
  throw new UsageError(
    `${NAME_VARIABLE} must be up to 60 letters, digits, dots, hyphens and underscores, got ${JSON.stringify(name.slice(0, 80))}.`,
  );
}

function pullNumberOf({ BITBUCKET_PR_ID: id }: Environment): number | null {
  const number = Number(id);
  return Number.isSafeInteger(number) && number >= 1 ? number : null;
}

/**
 * What the token's own account has pushed starts no run: else runs would start each other. Whose pipeline it is Bitbucket says; whether that is the
 * token's account it often does not: then an account of no person counts that has started the pipeline of a run's own commit.
 */
async function refuseOwn(
  api: BitbucketApi,
  { env, job, account }: WriteBackPlace & { readonly account: TokenAccount },
): Promise<void> {
  const starter = env.BITBUCKET_STEP_TRIGGERER_UUID ?? "";
  if (starter === "") return;
  const isOwn = account.known === null ? await isOfMachine(api, starter) : account.known.uuid === starter;
  if (!isOwn) return;
  const commit = await advised(api.read(`/commit/${job.sha}`, z.object({ message: z.string() })));
  if (commit === null || !hasRunTrailer(commit.message)) return;
  throw new OwnPush(
    "bot_not_allowed",
    "Nothing ran: this pipeline is of a push by a run of an agent. Start it by hand to run the agent on it.",
  );
}

/** Whether an account is no person's. False where Bitbucket does not show it. */
async function isOfMachine(api: BitbucketApi, uuid: string): Promise<boolean> {
  try {
    return !isPerson(await api.readGlobal(`/users/${encodeURIComponent(uuid)}`, accountSchema));
  } catch (cause) {
    if (cause instanceof BitbucketError && cause.code === "code_host_refused") return false;
    throw cause;
  }
}

/** Pipelines merges the destination into a pull request's checkout, in a commit that the repository does not have. */
async function pushRefusalOf(
  { job, service }: WriteBackPlace,
  number: number | null,
): Promise<string | null> {
  if (service === "remote" || number === null) return null;
  const head = await readHeadCommit(process.cwd());
  if (head === null || head === job.sha) return null;
  return `Not written: the run's changes. The checkout is at ${head.slice(0, 7)}, the merge that Pipelines made of pull request #${number}, which Bitbucket does not have. Put git checkout --detach "$BITBUCKET_COMMIT" before this command. The file changes.patch has the changes.`;
}
