// The files of a run, and where they come from: its commit, with what its job has sent of it, or with the access of its agent's owner.

import { ok, type Result, refused } from "../../base/result.ts";
import type { Agent } from "../core/agents/agent.ts";
import type {
  Checkout,
  CheckoutProvider,
  CheckoutRefusal,
  CheckoutSource,
} from "../core/checkouts/checkout.ts";
import { findHeldSource } from "../core/commits/held-source.ts";
import { placeOf } from "../core/commits/run-commit.ts";
import type { Core } from "../core/core.ts";
import { StorageFullError } from "../core/ports/storage-full.ts";
import { secretPartsOf } from "../core/repository-access/deploy-key.ts";
import { findCredential } from "../core/repository-access/open-access.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { RunInput } from "../core/runs/run-record.ts";
import type { OpenedWorkspace, WorkspaceRuns } from "../core/workspaces/runs/run-port.ts";
import type { RunJournal } from "./run-journal.ts";
import type { SecretMask } from "./secret-mask.ts";
import { sayWaits, untilRoom } from "./until-room.ts";

type RunOfSource = { readonly core: Core; readonly taken: TakenRun; readonly secrets: SecretMask };

/** The source of the run's checkout. With a pull request it is that pull request's head, trusted as an outsider's. */
export function sourceOf(input: RunInput, runId: string): CheckoutSource | null {
  const { pullRequest } = input;
  const place = placeOf(input);
  if (place === null) return null;
  const { name: repository, visibility } = place.repository;
  const source = { ...place, runId, repository, visibility };
  if (pullRequest === undefined) return source;
  const { number, headRef, headSha: sha, baseRef } = pullRequest;
  const isJobs = place.ref === headRef.replace(/head$/, "merge");
  return {
    ...source,
    sha,
    ref: headRef,
    event: "pull_request",
    baseRef,
    pullRequest: { number, headRef, isJobs },
  };
}

/** With what a job has sent of the commit; otherwise, for a run without one, with the access that the agent's owner chose. */
async function withContents(
  { core, taken: { input }, secrets }: RunOfSource,
  { agent, source }: { readonly agent: Agent; readonly source: CheckoutSource },
): Promise<CheckoutSource> {
  const held = await findHeldSource(core, input);
  if (held !== null) return { ...source, held };
  const { repository } = agent;
  if (input.job !== null || repository === null || source.visibility === "public") return source;
  const credential = await findCredential(core, agent.id);
  if (credential === null) return source;
  if (credential.kind === "deploy_key") secrets.add(...secretPartsOf(credential.privateKey));
  return { ...source, remote: { repository, credential } };
}

/** Of a run that an earlier version of the service took. */
export function noCommitText(repository: string): string {
  return `It is not known which commit of ${repository} this run is to work on. Start it again.`;
}

export type RunOfFiles = RunOfSource & {
  readonly checkouts: CheckoutProvider;
  /** Null where no runs of workspaces are executed. */
  readonly workspaces: WorkspaceRuns | null;
  readonly signal: AbortSignal;
};

type OpenedFiles = { readonly checkout: Checkout; readonly workspace: OpenedWorkspace | null };

type FilesOfRun = {
  readonly agent: Agent;
  readonly source: CheckoutSource | null;
  /** Null where none is kept. */
  readonly journal: Pick<RunJournal, "left"> | null;
};

/** Opens the files that a run works in. */
export async function openFiles(
  work: RunOfFiles,
  { agent, source, journal }: FilesOfRun,
): Promise<Result<OpenedFiles, CheckoutRefusal>> {
  const { taken, checkouts, workspaces, signal } = work;
  const { workspace } = taken.input;
  const hasJournal = journal !== null;
  const earlierFolder = journal?.left?.folderName;
  if (workspace !== undefined) {
    const opened = await openUntilRoom(work, () =>
      workspaces === null
        ? Promise.resolve(refused({ reason: "service_fault", detail: NO_WORKSPACES } as const))
        : workspaces.open({ taken, workspace, hasJournal, earlierFolder, signal }),
    );
    return opened.ok ? ok({ checkout: opened.value.checkout, workspace: opened.value }) : opened;
  }
  const { id: runId } = taken.run;
  const opened = await openUntilRoom(work, async () =>
    source === null
      ? await checkouts.openEmpty({ runId, earlierFolder }, signal)
      : await checkouts.open({ ...(await withContents(work, { agent, source })), earlierFolder }, signal),
  );
  return opened.ok ? ok({ checkout: opened.value, workspace: null }) : opened;
}

async function openUntilRoom<Opened>(
  { core, taken, signal }: Pick<RunOfFiles, "core" | "taken" | "signal">,
  open: () => Promise<Result<Opened, CheckoutRefusal>>,
): Promise<Result<Opened, CheckoutRefusal>> {
  try {
    const onFull = sayWaits(core, taken.run.id);
    return await untilRoom(open, { clock: core.clock, signal, onFull });
  } catch (cause) {
    if (!(cause instanceof StorageFullError)) throw cause;
    return refused({ reason: "service_fault", detail: FULL_DISK });
  }
}

const FULL_DISK = "The service's disk is full: there is no room for the run's files. Tell its operator.";

const NO_WORKSPACES = "This service executes no runs of workspaces. Tell its operator.";
