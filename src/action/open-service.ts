// The service that the step uses: the one that the inputs name, or one inside the job, on the job's checkout.

import * as core from "@actions/core";
import { systemClock } from "../base/clock.ts";
import type { RenewedAccess } from "../federation/federated-access.ts";
import type { ModelFederation } from "../federation/provider.ts";
import type { HandedServer, JobService } from "../job/job-types.ts";
import { jobsServers, type NamedServers } from "../job/mcp-servers.ts";
import { retryNote } from "../job/notes.ts";
import type { AdmittedJob } from "../job/progress.ts";
import type { ActionStep, ActionTypes } from "./action-types.ts";
import { openCodeHost } from "./github-access.ts";
import { sayLine } from "./say-line.ts";

export async function openService(
  step: ActionStep,
  { settings, plan }: AdmittedJob<ActionTypes>,
): Promise<JobService> {
  const { service } = settings.inputs;
  const { env, github } = step;
  const modelAccess = await openModel(step, service.model?.federation ?? null);
  // GitHub's tokens name the commit.
  if (service.type === "remote") {
    const { baseUrl, audience } = service;
    const model =
      service.model === null || modelAccess === null
        ? null
        : { name: service.model.name, access: modelAccess };
    const { account } = settings.inputs;
    const servers = await openServers(step, settings.inputs.mcpServers);
    return { type: "remote", baseUrl, audience, tokens: github, account, sha: "", model, servers };
  }
  const changeNotice = await checkOutPullRequest(step, { settings, plan });
  const { startService } = await import("./embedded-service.ts");
  const { mcpServers } = settings.inputs;
  const egress = settings.inputs.egress ?? [];
  return await startService({
    env,
    job: github.job,
    tokens: github,
    model: service.model,
    egress,
    mcpServers,
    modelAccess,
    changeNotice,
  });
}

/** Most jobs name no such server, and load nothing for it. */
async function openServers(
  { github, interrupts, transport }: ActionStep,
  named: NamedServers | null,
): Promise<readonly HandedServer[]> {
  const servers = named === null ? [] : jobsServers(named);
  if (servers.length === 0) return [];
  const { openServerAccesses } = await import("../job/server-access.ts");
  return openServerAccesses({
    servers,
    job: github.job,
    tokens: github,
    transport,
    clock: systemClock,
    random: Math.random,
    setSecret: core.setSecret,
    onRetry: (notice) => sayLine(retryNote(notice)),
    signal: interrupts.first,
  });
}

/** The recipe asks for a token where it starts a run, and nowhere else. */
async function openModel(
  { github, interrupts, transport }: ActionStep,
  federation: ModelFederation | null,
): Promise<RenewedAccess | null> {
  if (federation === null) return null;
  const { openModelAccess } = await import("../job/model-access.ts");
  return openModelAccess({
    federation,
    job: github.job,
    tokens: github,
    transport,
    clock: systemClock,
    random: Math.random,
    setSecret: core.setSecret,
    onRetry: (notice) => sayLine(retryNote(notice)),
    signal: interrupts.first,
  });
}

/**
 * The checkout of a comment's job is the default branch, and the comment is about the head of the pull request. That of a
 * pull request's job is one commit, and shows no change. Null where the agent will see the change, else why it does not.
 */
async function checkOutPullRequest(
  step: ActionStep,
  { settings, plan }: Pick<AdmittedJob<ActionTypes>, "settings" | "plan">,
): Promise<string | null> {
  const subject = plan.request?.subject ?? null;
  if (subject === null || subject.refs === null) return null;
  const { headSha, baseRef } = subject.refs;
  const codeHost = await openCodeHost(step, settings.inputs);
  const options = { pullRequest: { number: subject.number, headSha, baseRef }, setSecret: core.setSecret };
  if (subject.comment === null) return await codeHost.fetchBase(options);
  await codeHost.checkOutHead(options);
  return null;
}
