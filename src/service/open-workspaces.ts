// What a node keeps workspaces with, by its settings.

import { join } from "node:path";
import { folderSpool } from "./blobs/spool.ts";
import { ObjectCache } from "./core/workspaces/objects/object-cache.ts";
import { OperationsAtWork } from "./core/workspaces/operations/operations-at-work.ts";
import type { WorkspaceKeeping } from "./core/workspaces/workspace-keeping.ts";
import type { OpenedCommits } from "./open-checkouts.ts";
import type { Config } from "./settings/config.ts";

/** Of small objects and parsed trees. */
const CACHE_BYTES = 64_000_000;
const READ_WINDOW_BYTES = 256 * 1024;

export function workspaceKeeping(
  { workspaces, dataDir }: Config,
  { blobs }: OpenedCommits,
): WorkspaceKeeping {
  const { takesWork, takesFiles, accounts, maxFileBytes, editorCapBytes } = workspaces;
  return {
    blobs,
    spool: folderSpool(join(dataDir, "uploads")),
    cache: new ObjectCache(CACHE_BYTES),
    operations: new OperationsAtWork(),
    admission: { takesWork, takesFiles, accounts },
    limits: { maxFileBytes, editorCapBytes, readWindowBytes: READ_WINDOW_BYTES },
  };
}
