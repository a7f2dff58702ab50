// The parts with which a node keeps workspaces, by its settings.

import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { folderSpool } from "../blobs/spool.ts";
import type { CheckoutProvider } from "../core/checkouts/checkout.ts";
import type { GitService } from "../core/checkouts/git-service.ts";
import type { RepositoryTrees } from "../core/checkouts/repository-trees.ts";
import type { Core } from "../core/core.ts";
import type { Reviews } from "../core/workspaces/changesets/reviews.ts";
import { ObjectCache } from "../core/workspaces/objects/object-cache.ts";
import { OperationsAtWork } from "../core/workspaces/operations/operations-at-work.ts";
import type { OperationFault } from "../core/workspaces/operations/refusals.ts";
import type { WorkspaceRuns } from "../core/workspaces/runs/run-port.ts";
import type { WorkspaceKeeping } from "../core/workspaces/workspace-keeping.ts";
import type { Config } from "../settings/config.ts";
import type { OpenedCommits, ServedPlace } from "./open-checkouts.ts";

/** Of small objects and parsed trees. */
const CACHE_BYTES = 64_000_000;
const DAY_MS = 24 * 60 * 60_000;
const READ_WINDOW_BYTES = 256 * 1024;

/** Files, folders and commits of one copy. */
const MAX_COPY_OBJECTS = 500_000;

/** The text for the caller of an operation that was refused. */
type Describe = (refusal: OperationFault) => { readonly code: string; readonly message: string };

export function workspaceKeeping(
  { workspaces, dataDir, gitEnvironment }: Config,
  {
    blobs,
    scratch,
    served,
    describe,
    checkouts,
    clock,
  }: Pick<OpenedCommits, "blobs" | "scratch" | "served"> & {
    readonly describe: Describe;
    readonly checkouts: CheckoutProvider;
    readonly clock: Clock;
  },
): Omit<WorkspaceKeeping, "reviews"> {
  const {
    takesWork,
    takesFiles,
    accounts,
    maxFileBytes,
    editorCapBytes,
    keptDays,
    siteUrl,
    keepsPathsPortable,
  } = workspaces;
  return {
    blobs,
    spool: folderSpool(join(dataDir, "uploads")),
    repositories: repositoriesOf(checkouts, gitEnvironment),
    scratch,
    git: servedBy({ ...served, environment: gitEnvironment, clock }),
    cache: new ObjectCache(CACHE_BYTES),
    operations: new OperationsAtWork(),
    describe: (refusal) => {
      const { code, message } = describe(refusal);
      return { code, error: message };
    },
    siteUrl,
    keepsPathsPortable,
    admission: { takesWork, takesFiles, accounts },
    limits: { maxFileBytes, editorCapBytes, readWindowBytes: READ_WINDOW_BYTES, keptMs: keptDays * DAY_MS },
  };
}

/** Loaded with the first change that an owner approves. */
export async function loadReviews(core: Core): Promise<Reviews> {
  const { reviewsOf } = await import("./workspaces.ts");
  return reviewsOf(core);
}

/** Loaded with the first adoption. */
function repositoriesOf(checkouts: CheckoutProvider, environment: Config["gitEnvironment"]): RepositoryTrees {
  return {
    open: async (source, signal) => {
      const { repositoryTrees } = await import("./workspaces.ts");
      return await repositoryTrees({ checkouts, environment }).open(source, signal);
    },
  };
}

/** Loaded with the first fetch or push by git. */
function servedBy(
  options: ServedPlace & { readonly environment: Config["gitEnvironment"]; readonly clock: Clock },
): GitService {
  let opening: Promise<GitService> | null = null;
  const open = (): Promise<GitService> => {
    opening ??= import("./workspaces.ts").then(
      ({ gitService }) => gitService(options),
      (cause: unknown) => {
        opening = null;
        throw cause;
      },
    );
    return opening;
  };
  return {
    serve: async (request, signal) => await (await open()).serve(request, signal),
    receive: async (push, take, signal) => await (await open()).receive(push, take, signal),
    sweep: async () => await (await opening)?.sweep(),
  };
}

/** Loaded with the first run of a workspace. */
export function ownWorkspaceRuns(core: Core, { dataDir, gitEnvironment }: Config): WorkspaceRuns {
  const open = async (): Promise<WorkspaceRuns> => {
    const { openWorkspaceRuns } = await import("./workspaces.ts");
    const folder = join(dataDir, "checkouts");
    return openWorkspaceRuns(core, { folder, environment: gitEnvironment, maxObjects: MAX_COPY_OBJECTS });
  };
  let opening: Promise<WorkspaceRuns> | null = null;
  return {
    open: async (run) => {
      opening ??= open().catch((cause: unknown) => {
        opening = null;
        throw cause;
      });
      return await (await opening).open(run);
    },
  };
}
