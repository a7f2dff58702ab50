// Attests the commit that a job has pushed, in a bundle of its own (dist/attest.cjs): import it dynamically, or for its types.
// Why: docs/decisions/171-attested-commits.md

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as z from "zod/mini";
import { parseJson } from "../../base/json.ts";
import { serverUrl } from "../../ci/github-server.ts";
import {
  AGENT_RUN,
  type AgentRunStatement,
  commitName,
  STATEMENT_MEDIA_TYPE,
  STATEMENT_TYPE,
} from "../../contract/attestations/agent-run.ts";
import { type Visibility, visibilities } from "../../contract/ci/exchange.ts";
import { StepError } from "../../job/step-error.ts";
import type { Attestation } from "../../report/attestation.ts";
import { repositoryPage } from "../api/pages.ts";
import { agentRunOf } from "./agent-run.ts";
import type { AttestOptions } from "./attest-options.ts";
import { AttestationError } from "./attestation-error.ts";
import { type Bundle, signStatement } from "./sign-statement.ts";
import { signingServices } from "./signing-services.ts";

/** Every failure is an Attestation of type "failed": the push stands. Never rejects. */
export async function attestCommit(options: AttestOptions): Promise<Attestation> {
  const { commit, job, env } = options;
  try {
    const bundle = await signed(options);
    const id = await store(options, bundle);
    const url = `${repositoryPage(env, job.repository.name)}/attestations/${id}`;
    return { type: "attested", sha: commit.sha, url };
  } catch (cause) {
    return { type: "failed", message: `${unattested(commit.sha)} ${whyOf(cause, options.signal)}` };
  }
}

/** The beginning of a message. */
function unattested(sha: string): string {
  return `Commit ${sha.slice(0, 7)} is pushed, and not attested.`;
}

function whyOf(cause: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "The job was cancelled. Re-run it: it attests the commit that is there.";
  if (cause instanceof AttestationError) return cause.message;
  return `${cause instanceof Error ? cause.message : "Unexpected error."} Re-run the job: it attests the commit that is there.`;
}

async function signed(options: AttestOptions): Promise<Bundle> {
  const services = signingServices(await readVisibility(options), serverUrl(options.env));
  const body = Buffer.from(JSON.stringify(await statementOf(options)));
  const payload = { type: STATEMENT_MEDIA_TYPE, body };
  return await signStatement({ ...options, random: Math.random }, { services, payload });
}

async function statementOf(options: AttestOptions): Promise<AgentRunStatement> {
  const { commit, job } = options;
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: commitName(job.repository.name, commit.sha), digest: digestsOf(commit) }],
    predicateType: AGENT_RUN,
    predicate: await agentRunOf(options),
  };
}

/** GitHub finds it by the first; `gitCommit` and `sha1` are names of other verifiers for git's own. */
function digestsOf({ sha, object }: AttestOptions["commit"]): Readonly<Record<string, string>> {
  const digest = { sha256: createHash("sha256").update(object).digest("hex"), gitCommit: sha };
  return sha.length === SHA1_CHARS ? { ...digest, sha1: sha } : digest;
}

const SHA1_CHARS = 40;

const eventSchema = z.object({ repository: z.object({ visibility: z.enum(visibilities) }) });
const repositorySchema = z.object({ visibility: z.enum(visibilities) });

/** By the event; the API is asked where that does not say it. What is not known to be public is not published. */
async function readVisibility({ env, api }: AttestOptions): Promise<Visibility> {
  const text = await readFile(env.GITHUB_EVENT_PATH ?? "", "utf8").catch(() => "");
  const event = eventSchema.safeParse(parseJson(text));
  if (event.success) return event.data.repository.visibility;
  return (await api.read("", repositorySchema))?.visibility ?? "private";
}

async function store({ api }: AttestOptions, bundle: Bundle): Promise<number> {
  try {
    const body = { bundle };
    const write = { method: "POST", path: "/attestations", body, isRepeatable: false } as const;
    return (await api.write(write, z.object({ id: z.int() }))).id;
  } catch (cause) {
    throw StepError.is(cause) ? new AttestationError(refusalText(cause), { cause }) : cause;
  }
}

function refusalText(cause: StepError): string {
  const status = "status" in cause ? cause.status : null;
  // "Feature not available for user-owned private repositories."
  if (/not available/i.test(cause.message))
    return `${cause.message} In private repositories attestations take GitHub Enterprise Cloud: leave the input "attest" out.`;
  if (status === 403 || status === 404 || status === 401)
    return `${cause.message} Give the job "permissions: attestations: write".`;
  return `${cause.message} Re-run the job: it attests the commit that is there.`;
}
