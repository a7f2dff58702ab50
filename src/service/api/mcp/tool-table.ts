// Every tool by its set, in the order in which clients see them.

import { type ToolSet, toolSets } from "../../../contract/tool-sets.ts";
import type { McpTool } from "./tool.ts";
import { agentTools } from "./tools/agents.ts";
import { approvalTools } from "./tools/approvals.ts";
import { changesetTools } from "./tools/changesets.ts";
import { copyTools } from "./tools/copies.ts";
import { fileTools } from "./tools/files.ts";
import { forkTools } from "./tools/forks.ts";
import { moneyTools } from "./tools/money.ts";
import { questionTools } from "./tools/questions.ts";
import { revisionTools } from "./tools/revisions.ts";
import { runTools } from "./tools/runs.ts";
import { scheduleTools } from "./tools/schedules.ts";
import { workerTools } from "./tools/workers.ts";
import { workflowTools } from "./tools/workflows.ts";
import { workspaceTools } from "./tools/workspaces.ts";

export const toolsOfSets: Readonly<Record<ToolSet, readonly McpTool[]>> = {
  agents: [
    ...agentTools,
    ...runTools,
    ...scheduleTools,
    ...workflowTools,
    ...moneyTools,
    ...questionTools,
    ...approvalTools,
  ],
  forks: forkTools,
  workspaces: [...workspaceTools, ...fileTools, ...copyTools, ...revisionTools],
  changesets: changesetTools,
  workers: workerTools,
};

export const tools: readonly McpTool[] = toolSets.flatMap((set) => toolsOfSets[set]);
