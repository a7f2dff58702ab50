// Workflows and their versions. Implemented in store/workflows.ts.

import type { WorkspaceThingsPage } from "../ports/workspace-page.ts";
import type { WorkflowRecord } from "./workflow.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly workspaceWorkflows: WorkspaceWorkflowReader;
    readonly workflows: WorkflowReader;
  }
  interface StoreTransaction {
    readonly workspaceWorkflows: WorkspaceWorkflowStore;
    readonly workflows: WorkflowStore;
  }
}

interface WorkflowReader {
  find(id: string): Promise<WorkflowRecord | null>;
  /** An agent's workflows, oldest first. */
  list(agentId: string): Promise<readonly WorkflowRecord[]>;
  findPrompt(query: { id: string; version: number }): Promise<string | null>;
}

export interface WorkflowStore extends WorkflowReader {
  insert(workflow: WorkflowRecord): Promise<void>;
  /** Adds the next version. The caller holds the workflow's lock and takes the number from its `version`. */
  insertVersion(next: { id: string; version: number; prompt: string; now: number }): Promise<void>;
  activate(activation: { id: string; version: number; now: number }): Promise<void>;
  /** Reads a workflow. No other transaction changes it until this one ends. */
  lock(id: string): Promise<WorkflowRecord | null>;
  rename(change: { id: string; name: string }): Promise<void>;
  /** Makes one inactive. */
  deactivate(change: { id: string; now: number }): Promise<void>;
  /** Gives it to another agent, inactive. */
  assign(change: { id: string; agentId: string; now: number }): Promise<void>;
  /** Deletes it with its versions. */
  delete(id: string): Promise<void>;
  /** Makes every workflow of an agent inactive. */
  deactivateAll(change: { agentId: string; now: number }): Promise<void>;
}

interface WorkspaceWorkflowReader {
  /** The id of the workspace that a workflow is one of; null where it is an agent's alone. */
  findWorkspace(workflowId: string): Promise<string | null>;
  /** Newest first by their ids. */
  list(page: WorkspaceThingsPage): Promise<readonly WorkflowRecord[]>;
}

export interface WorkspaceWorkflowStore extends WorkspaceWorkflowReader {
  insert(row: { workspaceId: string; workflowId: string }): Promise<void>;
  delete(workflowId: string): Promise<void>;
}
