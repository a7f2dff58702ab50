// The environment and the files that a GitHub runner gives a job's step.
// https://docs.github.com/en/actions/reference/workflows-and-actions/variables

import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type EventContext, isOnMergeCommit, type Payload } from "./event.ts";
import type { JobPlan } from "./job.ts";

export type JobFiles = {
  readonly event: string;
  readonly output: string;
  readonly env: string;
  readonly path: string;
  readonly state: string;
  readonly summary: string;
  readonly checkout: string;
  readonly temp: string;
};

export function pullRefs(context: EventContext): { readonly head_ref: string; readonly base_ref: string } {
  const fromPull = context.event === "pull_request" || context.event === "pull_request_target";
  const { headRef, baseRef } = context.pullRequest;
  return fromPull ? { head_ref: headRef, base_ref: baseRef } : { head_ref: "", base_ref: "" };
}

export function jobEnvironment(job: {
  plan: JobPlan;
  context: EventContext;
  files: JobFiles;
}): Record<string, string> {
  const { plan, context, files } = job;
  const { options, repository, serverUrl } = plan;
  const [owner = "", name = ""] = repository.fullName.split("/");
  const refs = pullRefs(context);
  const environment: Record<string, string> = {
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_ACTION: options.step ?? "agent",
    GITHUB_ACTION_REF: "v1",
    GITHUB_ACTION_REPOSITORY: "octo-org/agent-service",
    GITHUB_ACTOR: context.actor,
    GITHUB_ACTOR_ID: context.actorId,
    GITHUB_TRIGGERING_ACTOR: context.actor,
    GITHUB_API_URL: `${serverUrl}/api/v3`,
    GITHUB_GRAPHQL_URL: `${serverUrl}/api/graphql`,
    GITHUB_SERVER_URL: serverUrl,
    GITHUB_BASE_REF: refs.base_ref,
    GITHUB_HEAD_REF: refs.head_ref,
    GITHUB_ENV: files.env,
    GITHUB_EVENT_NAME: context.event,
    GITHUB_EVENT_PATH: files.event,
    GITHUB_JOB: options.job ?? "agent",
    GITHUB_OUTPUT: files.output,
    GITHUB_PATH: files.path,
    GITHUB_REF: context.ref,
    GITHUB_REF_NAME: context.ref.replace(/^refs\/(heads|tags|pull)\//, ""),
    GITHUB_REF_PROTECTED: "false",
    GITHUB_REF_TYPE: context.ref.startsWith("refs/tags/") ? "tag" : "branch",
    GITHUB_REPOSITORY: repository.fullName,
    GITHUB_REPOSITORY_ID: repository.id,
    GITHUB_REPOSITORY_OWNER: owner,
    GITHUB_REPOSITORY_OWNER_ID: repository.ownerId,
    GITHUB_RETENTION_DAYS: "90",
    GITHUB_RUN_ATTEMPT: options.runAttempt ?? "1",
    GITHUB_RUN_ID: options.runId ?? "1296269001",
    GITHUB_RUN_NUMBER: options.runNumber ?? "10",
    GITHUB_SHA: context.sha,
    GITHUB_STATE: files.state,
    GITHUB_STEP_SUMMARY: files.summary,
    GITHUB_WORKFLOW: options.workflow ?? "agent",
    GITHUB_WORKFLOW_REF: `${repository.fullName}/${context.workflowPath}@${context.ref}`,
    GITHUB_WORKFLOW_SHA: context.sha,
    GITHUB_WORKSPACE: files.checkout,
    RUNNER_ARCH: "X64",
    RUNNER_ENVIRONMENT: "github-hosted",
    RUNNER_NAME: "GitHub Actions 1",
    RUNNER_OS: "Linux",
    RUNNER_TEMP: files.temp,
    RUNNER_TOOL_CACHE: join(plan.directory, "toolcache"),
    RUNNER_WORKSPACE: join(plan.directory, "_work", name),
  };
  const { origin } = context.pullRequest;
  if (options.idToken ?? (!isOnMergeCommit(context.event) || origin === "branch")) {
    environment.ACTIONS_ID_TOKEN_REQUEST_URL = plan.idTokenUrl;
    environment.ACTIONS_ID_TOKEN_REQUEST_TOKEN = plan.idTokenRequestToken;
  }
  return { ...environment, ...options.env };
}

export async function writeJobFiles(plan: JobPlan, payload: Payload): Promise<JobFiles> {
  const { directory, repository } = plan;
  const name = repository.fullName.split("/")[1] ?? "";
  const temp = join(directory, "_work", "_temp");
  const commands = join(temp, "_runner_file_commands");
  const checkout = join(directory, "_work", name, name);
  for (const folder of [commands, join(temp, "_github_workflow"), checkout, join(directory, "toolcache")]) {
    await mkdir(folder, { recursive: true });
  }
  const command = async (name: string) => {
    const path = join(commands, `${name}_${randomUUID()}`);
    await writeFile(path, "");
    return path;
  };
  const event = join(temp, "_github_workflow", "event.json");
  await writeFile(event, JSON.stringify(payload, null, 2));
  return {
    event,
    output: await command("set_output"),
    env: await command("set_env"),
    path: await command("add_path"),
    state: await command("save_state"),
    summary: await command("step_summary"),
    checkout,
    temp,
  };
}
