// Wires the backend with a model: the model's server, the tools, the sandbox. A bundle of its own, loaded only where a
// model is configured.

import type { FederatedAccess } from "../../federation/provider.ts";
import type { Checkout } from "../core/checkouts/checkout.ts";
import { networkText } from "../core/egress/network-text.ts";
import type { Rates } from "../core/money/rates.ts";
import type { SandboxedCheckout } from "../core/ports/sandbox.ts";
import { mayExecute } from "../core/runs/shell-policy.ts";
import type { Backend, BackendTask } from "../executor/backend.ts";
import { broughtModelBackend, modelBackend } from "../executor/backends/model/model-backend.ts";
import type { LoopSettings } from "../executor/backends/model/model-settings.ts";
import { sandboxText } from "../executor/backends/model/sandbox-text.ts";
import {
  type DescribePlace,
  type OpenProcesses,
  readingToolbox,
  type Toolbox,
} from "../executor/backends/model/toolbox.ts";
import { EditDiagnostics } from "../executor/diagnostics/edit-diagnostics.ts";
import { BackgroundProcesses } from "../executor/processes/background-processes.ts";
import { askAdvisorTool } from "../executor/tools/ask-advisor.ts";
import { askQuestionTool } from "../executor/tools/ask-question.ts";
import { backgroundProcessTool } from "../executor/tools/background-process.ts";
import { delegateTool } from "../executor/tools/delegate.ts";
import { deleteFile } from "../executor/tools/delete-file.ts";
import { editFile } from "../executor/tools/edit-file.ts";
import { exploreTool } from "../executor/tools/explore.ts";
import { fetchUrlTool } from "../executor/tools/fetch-url.ts";
import { managerTools } from "../executor/tools/manage-workspace.ts";
import { renameFile } from "../executor/tools/rename-file.ts";
import { runCommandTool } from "../executor/tools/run-command.ts";
import { typedOutputTools } from "../executor/tools/typed-outputs.ts";
import { updatePlanTool } from "../executor/tools/update-plan.ts";
import { withDiagnostics } from "../executor/tools/with-diagnostics.ts";
import { writeFile } from "../executor/tools/write-file.ts";
import type { AgentConfig, ModelConfig } from "../settings/model-config.ts";
import { openServersOf, type ServerParts } from "./run-servers.ts";

type AgentParts = ServerParts & {
  /** Set by the operator. */
  readonly isSandboxOff: boolean;
};

type ModelParts = AgentParts & {
  readonly config: ModelConfig;
  /** Wins over address and key of the configuration. */
  readonly access: FederatedAccess | null;
  readonly rates: Rates;
};

/** Without a model: each run brings its own. */
type BroughtModelParts = AgentParts & { readonly config: AgentConfig };

/** Opens no connection before a run needs it. */
export function openModel(parts: ModelParts): Backend {
  const { config, access, rates } = parts;
  const { provider, baseUrl, apiKey, models } = config;
  const settings = { ...loopSettings(parts), provider, baseUrl, apiKey, access, models, rates };
  return { ...modelBackend(settings), needsCheckout: true, changesCheckout: true };
}

/** For runs that bring their own access to a model. */
export function openBroughtModel(parts: BroughtModelParts): Backend {
  return { ...broughtModelBackend(loopSettings(parts)), needsCheckout: true, changesCheckout: true };
}

function loopSettings(parts: BroughtModelParts): LoopSettings {
  const { config, clock, random } = parts;
  const describePlace = placeOf(parts);
  const openServers = openServersOf(parts);
  const toolbox = toolboxOf(parts);
  const opens = { describePlace, openServers, openProcesses: processesOf(parts) };
  return { ...config.limits, effort: config.effort, toolbox, ...opens, clock, random };
}

function processesOf({ sandbox, isSandboxOff, isTrusted: trusts, clock }: BroughtModelParts): OpenProcesses {
  return ({ task, checkout }) => {
    if (!mayExecute({ kind: sandbox.kind, isSandboxOff, isTrusted: trusts(task) })) return null;
    const { egress } = task.network;
    return new BackgroundProcesses({
      sandbox,
      egress,
      checkout: { root: checkout.root, ...sandboxedParts({ task, checkout, isTrusted: trusts(task) }) },
      runId: task.runId,
      task,
      signal: task.signal,
      leftMs: () => task.deadline.leftMs(),
      clock,
    });
  };
}

/** Parts of the checkout that a sandbox needs in addition to the tree. */
function sandboxedParts({
  task,
  checkout,
  isTrusted,
}: {
  readonly task: Pick<BackendTask, "environment">;
  readonly checkout: Checkout;
  readonly isTrusted: boolean;
}): Omit<SandboxedCheckout, "root"> {
  const { home } = task.environment;
  const { gitFolder = null, covered } = checkout;
  return { gitFolder, covered, isTrusted, ...(home === null ? {} : { home }) };
}

function placeOf({ sandbox, isSandboxOff, isTrusted: trusts }: AgentParts): DescribePlace {
  return async ({ task, checkout }) => {
    if (checkout === null || !mayExecute({ kind: sandbox.kind, isSandboxOff, isTrusted: trusts(task) }))
      return null;
    const facts = await sandbox.facts(task.signal);
    if (facts === null) return null;
    const identity = (await task.identity?.()) ?? null;
    return sandboxText(facts, {
      environment: task.environment,
      network: describe(task),
      audiences: identity?.audiences ?? [],
    });
  };
}

function describe({ network: { egress, withheld } }: Pick<BackendTask, "network">): string {
  return networkText(egress.rules, { withheld });
}

/** A run that may not execute commands is not offered the tool: a tool that only refuses costs turns. */
function toolboxOf({ sandbox, isSandboxOff, isTrusted: trusts }: BroughtModelParts): Toolbox {
  return (context) => {
    const { task, checkout, askAdvisor, askPeople } = context;
    const { egress } = task.network;
    const pages = egress.rules.agent.length === 0 ? [] : [fetchUrlTool({ egress })];
    const advisor = askAdvisor === null ? [] : [askAdvisorTool(askAdvisor)];
    const areFilesShared = checkout?.isShared === true;
    const delegate = task.generationsLeft > 0 ? [delegateTool(task, { areFilesShared })] : [];
    const people = [updatePlanTool(task), ...(askPeople === null ? [] : [askQuestionTool(askPeople)])];
    const manager = task.desk === null ? [] : managerTools(task.desk);
    const outputs = typedOutputTools(task);
    const helpers = [...pages, ...delegate, ...manager, ...advisor, ...people, ...outputs];
    if (checkout === null) return [...readingToolbox(context), ...helpers];
    const isTrusted = trusts(task);
    const mayShell = mayExecute({ kind: sandbox.kind, isSandboxOff, isTrusted });
    const about = sandboxedParts({ task, checkout, isTrusted });
    const { processes } = context;
    const shell = [
      runCommandTool({ sandbox, egress, checkout: about, task, processes }),
      ...(processes === null ? [] : [backgroundProcessTool(processes)]),
    ];
    const diagnostics = new EditDiagnostics({ sandbox, checkout: about });
    // A linter's configuration is code of the repository.
    const edits = mayShell
      ? [withDiagnostics(editFile, diagnostics), withDiagnostics(writeFile, diagnostics)]
      : [editFile, writeFile];
    return [
      ...readingToolbox(context),
      ...edits,
      deleteFile,
      renameFile,
      ...(mayShell ? shell : []),
      exploreTool(context.explore),
      ...helpers,
    ];
  };
}
