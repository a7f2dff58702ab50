// The statements of section 4.6, in the order in which they are asked.

import type { Statement } from "../kit/statement.ts";
import { adoptions } from "./adoptions.ts";
import { changesets } from "./changesets.ts";
import { closedWork } from "./closed-work.ts";
import { concurrency } from "./concurrency.ts";
import { concurrentWrites } from "./concurrent-writes.ts";
import { consumers } from "./consumers.ts";
import { copies } from "./copies.ts";
import { changesetDecisions } from "./decisions.ts";
import { fileLists } from "./files-list.ts";
import { fileReads } from "./files-read.ts";
import { fileTrash } from "./files-trash.ts";
import { fileUploads } from "./files-upload.ts";
import { fileWrites } from "./files-write.ts";
import { gates } from "./gates.ts";
import { managers } from "./managers.ts";
import { members } from "./members.ts";
import { pages } from "./pages.ts";
import { retention } from "./retention.ts";
import { revisions } from "./revisions.ts";
import { sites } from "./sites.ts";
import { taskGroups } from "./task-groups.ts";
import { workers } from "./workers.ts";
import { workspaceBodies } from "./workspace-bodies.ts";
import { workspaceKeys } from "./workspace-keys.ts";
import { workspaces } from "./workspaces.ts";

export const workspaceFamilies: readonly Statement[] = [
  ...workspaces,
  ...members,
  ...managers,
  ...copies,
  ...revisions,
  ...retention,
  ...changesets,
  ...changesetDecisions,
  ...taskGroups,
  ...workers,
  ...consumers,
  ...sites,
  ...adoptions,
  ...pages,
  ...workspaceBodies,
  ...workspaceKeys,
  ...gates,
  ...closedWork,
  ...fileLists,
  ...fileReads,
  ...fileWrites,
  ...fileTrash,
  ...fileUploads,
  ...concurrentWrites,
  ...concurrency,
];
