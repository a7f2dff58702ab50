// The examination, as a recipe: the job, its token, the service, the clocks, the exchange, its result, the code host's token,
// the machine. No trouble ends it: what hangs on another check says that it was not tried.

import type { BackoffPolicy } from "../base/backoff.ts";
import { createProvider, isInCi, NoProviderError } from "../ci/detect.ts";
import { readHeadCommit } from "../ci/head-commit.ts";
import type { CiProvider } from "../ci/provider.ts";
import { createJobClient, type JobClient } from "../client/job-client.ts";
import type { Transport } from "../client/transport.ts";
import type { DoctorCheck, DoctorPage } from "../report/doctor-page.ts";
import { AUDIENCE_HEADING, checkAudience } from "./check-audience.ts";
import { CLOCK_HEADING, checkClock, type IssuedToken } from "./check-clock.ts";
import { checkCommit } from "./check-commit.ts";
import { checkEmbedded } from "./check-embedded.ts";
import { checkExchange, EXCHANGE_HEADING } from "./check-exchange.ts";
import { checkGitHubToken, GITHUB_TOKEN_HEADING } from "./check-github-token.ts";
import { checkIdentity, IDENTITY_HEADING } from "./check-identity.ts";
import { checkJob, checkNoJob } from "./check-job.ts";
import { checkModel } from "./check-model.ts";
import { checkModelProvider } from "./check-model-provider.ts";
import { checkQuota, QUOTA_HEADING } from "./check-quota.ts";
import { checkRunner } from "./check-runner.ts";
import { checkService } from "./check-service.ts";
import { checkToken, type MintedToken, TOKEN_HEADING } from "./check-token.ts";
import { type ExamineOptions, notTried, worstOf } from "./examination.ts";
import { hideSecrets } from "./hide-secrets.ts";

/** Somebody waits: one more try, and no long one. */
const RETRY: BackoffPolicy = { attempts: 2, firstDelayMs: 500, maxDelayMs: 5_000 };
const CALL_MS = 15_000;

/**
 * Examines the job that this process runs in and its way to the service. Mints a token, exchanges it and ends the
 * capability again; starts no run and writes nothing to the code host. Rejects with the signal's reason alone.
 */
export async function examineJob(options: ExamineOptions): Promise<DoctorPage> {
  const secrets = new Set<string>(options.githubToken === null ? [] : [options.githubToken.value]);
  const examination: Examination = {
    ...options,
    provider: null,
    hide: (secret) => {
      secrets.add(secret);
      options.setSecret?.(secret);
    },
  };
  const checks = await runChecks(examination);
  const worst = worstOf(checks.map(({ state }) => state));
  const page: DoctorPage = {
    version: options.version,
    at: new Date(options.clock.now()).toISOString(),
    state: worst === "skipped" ? "ok" : worst,
    checks,
  };
  return hideSecrets(page, secrets);
}

type Examination = ExamineOptions & {
  /** Null outside of a CI job. */
  readonly provider: CiProvider | null;
  /** Keeps a value out of the page, and out of the log. */
  readonly hide: (secret: string) => void;
};

async function runChecks(options: Examination): Promise<readonly DoctorCheck[]> {
  const { env, provider, noJob } = recognise(options);
  const job = noJob ?? (provider === null ? null : await checkJob(provider, env));
  const examination = { ...options, provider };
  const { check: token, minted } = await mint(examination);
  return [
    ...(job === null ? [] : [job]),
    token,
    ...(options.baseUrl === null
      ? await withoutService(examination, minted)
      : await withService(examination, options.baseUrl, minted)),
    ...(await modelProvider(examination)),
    ...(await githubToken(examination)),
    await checkRunner(env, { signal: options.signal, isJob: isOfJob(examination) }),
  ];
}

function recognise({ env, transport, clock, random }: Examination): {
  env: ExamineOptions["env"];
  provider: CiProvider | null;
  noJob: DoctorCheck | null;
} {
  try {
    return { env, provider: createProvider({ env, transport, clock, random }), noJob: null };
  } catch (cause) {
    if (!(cause instanceof NoProviderError)) throw cause;
    return { env, provider: null, noJob: checkNoJob(cause, env) };
  }
}

type Minted = MintedToken & { readonly receivedAt: number };

async function mint(examination: Examination): Promise<{ check: DoctorCheck; minted: Minted | null }> {
  const { provider, clock, hide, signal } = examination;
  if (provider === null) return { check: notTried(TOKEN_HEADING, "this is no CI job"), minted: null };
  const { check, minted } = await checkToken({ provider, audience: audienceOf(examination), signal });
  if (minted === null) return { check, minted };
  hide(minted.token);
  return { check, minted: { ...minted, receivedAt: clock.now() } };
}

async function withService(
  examination: Examination,
  baseUrl: string,
  minted: Minted | null,
): Promise<readonly DoctorCheck[]> {
  const { clock, face, provider, signal } = examination;
  const { check: service, answer } = await checkService({ ...examination, baseUrl });
  if (answer === null) {
    const headings = [AUDIENCE_HEADING, CLOCK_HEADING, EXCHANGE_HEADING, IDENTITY_HEADING, QUOTA_HEADING];
    return [service, ...headings.map((heading) => notTried(heading, "the service was not reached"))];
  }
  const held: { token: string | null } = { token: null };
  const client = createJobClient({
    baseUrl,
    credential: () => held.token,
    transport: hurried(examination.transport),
    clock,
    random: examination.random,
    retry: RETRY,
    userAgent: `agent-service-doctor/${examination.version}`,
  });
  const name = provider?.job.provider ?? null;
  const audience = audienceOf(examination) ?? "";
  return [
    service,
    await checkAudience(client, { audience, face, provider: name, signal }),
    checkClock(answer, issuedAtOf(examination, minted)),
    ...(await exchange(examination, { client, held, minted, audience })),
  ];
}

async function exchange(
  examination: Examination,
  way: { client: JobClient; held: { token: string | null }; minted: Minted | null; audience: string },
): Promise<readonly DoctorCheck[]> {
  const { provider, env, face, folder = process.cwd(), hide, signal } = examination;
  const { client, held, minted, audience } = way;
  if (provider === null || minted === null) {
    const why = provider === null ? "this is no CI job" : "this job has no ID token";
    return [EXCHANGE_HEADING, IDENTITY_HEADING, QUOTA_HEADING].map((heading) => notTried(heading, why));
  }
  let unused: string | null = minted.token;
  const subjectToken = async () => {
    const token = unused ?? (await provider.mintIdToken(audience, signal));
    unused = null;
    hide(token);
    return token;
  };
  const issuer = minted.claims.facts.iss ?? null;
  const { check, grant } = await checkExchange(client, {
    provider,
    env,
    face,
    folder,
    issuer,
    subjectToken,
    signal,
  });
  if (grant === null) {
    const why = "the exchange was refused";
    return [check, notTried(IDENTITY_HEADING, why), notTried(QUOTA_HEADING, why)];
  }
  held.token = grant.access_token;
  hide(grant.access_token);
  try {
    const { check: seen, identity } = await checkIdentity(client, { job: provider.job, signal });
    const quota = checkQuota(grant, { identity, face, provider: provider.job.provider });
    if (grant.repository.visibility === "public") return [check, seen, quota];
    const sha = provider.job.sha || ((await readHeadCommit(folder)) ?? "");
    const until = signal ?? new AbortController().signal;
    const commit = await checkCommit(client, { ...examination, provider, folder, sha, signal: until });
    return [check, seen, quota, commit];
  } finally {
    // One that stays ends by itself, within minutes.
    await client.ci.revoke({ signal: AbortSignal.timeout(CALL_MS) }).catch(() => {});
  }
}

async function withoutService(
  examination: Examination,
  minted: Minted | null,
): Promise<readonly DoctorCheck[]> {
  const { examineEmbedded, face, transport, signal, hide } = examination;
  const issued = issuedAtOf(examination, minted);
  const clock = issued === null ? [] : [checkClock(null, issued)];
  if (examineEmbedded === null) return clock;
  const readiness = await examineEmbedded();
  const { api } = readiness;
  if (api !== null && api.secret !== null) hide(api.secret.value);
  return [
    ...clock,
    checkEmbedded(readiness, { face, isJob: isOfJob(examination) }),
    ...(api === null ? [] : [await checkModel(api, { face, transport, signal })]),
  ];
}

/** The time of the token; one that was given when the job began tells nothing of it. */
function issuedAtOf({ provider }: Examination, minted: Minted | null): IssuedToken | null {
  const issuedAt = provider?.tokenLimit === undefined ? (minted?.claims.issuedAt ?? null) : null;
  return minted === null || issuedAt === null ? null : { issuedAt, receivedAt: minted.receivedAt };
}

async function modelProvider(examination: Examination): Promise<readonly DoctorCheck[]> {
  const { federation, baseUrl } = examination;
  if (federation === null) return [];
  return [await checkModelProvider({ ...examination, federation, hasService: baseUrl !== null })];
}

/** A CI that is not supported has jobs, too. */
function isOfJob({ provider, env }: Examination): boolean {
  return provider !== null || isInCi(env);
}

async function githubToken(examination: Examination): Promise<readonly DoctorCheck[]> {
  const { env, githubToken: token, provider, signal, transport, version } = examination;
  if (provider?.job.provider !== "github") return [];
  if (token !== null) return [await checkGitHubToken({ token, env, transport, version, signal })];
  return [notTried(GITHUB_TOKEN_HEADING, "none was given, and none is needed but for comments and changes")];
}

function audienceOf({ audience, baseUrl }: ExamineOptions): string | null {
  if (audience !== null) return audience;
  return baseUrl === null ? null : new URL(baseUrl).host;
}

/** Whoever is stuck shall not wait long for each sign of it. */
function hurried(transport: Transport): Transport {
  return (request) => transport({ ...request, timeoutMs: Math.min(request.timeoutMs, CALL_MS) });
}
