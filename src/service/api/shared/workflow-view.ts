// A stored workflow as the contract shows it. Pure.

import { workflowSchema } from "../../../contract/workflows.ts";
import type { WorkflowRecord } from "../../core/workflows/workflow.ts";
import { viewOf } from "./view-of.ts";

export const toWorkflow = viewOf<WorkflowRecord>()(workflowSchema);
