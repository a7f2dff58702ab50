// Wires the backend with a model: the model's server, the tools, the sandbox. A bundle of its own, loaded only where a
// model is configured.

import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/ids.ts";
import type { Rates } from "./core/money/rates.ts";
import type { Sandbox } from "./core/ports/sandbox.ts";
import { mayExecute } from "./core/runs/shell-policy.ts";
import type { Backend, BareTask, RepositoryTask } from "./executor/backend.ts";
import { modelBackend } from "./executor/backends/model/model-backend.ts";
import { readingToolbox, type Toolbox } from "./executor/backends/model/toolbox.ts";
import { askAdvisorTool } from "./executor/tools/ask-advisor.ts";
import { delegateTool } from "./executor/tools/delegate.ts";
import { deleteFile } from "./executor/tools/delete-file.ts";
import { editFile } from "./executor/tools/edit-file.ts";
import { fetchUrlTool } from "./executor/tools/fetch-url.ts";
import { shellTool } from "./executor/tools/shell.ts";
import { writeFile } from "./executor/tools/write-file.ts";
import type { ModelConfig } from "./settings/model-config.ts";

export type ModelParts = {
  readonly config: ModelConfig;
  readonly rates: Rates;
  readonly clock: Clock;
  readonly random: Random;
  readonly sandbox: Sandbox;
  /** Set by the operator. */
  readonly isSandboxOff: boolean;
  readonly isTrusted: (task: RepositoryTask | BareTask) => boolean;
};

/** Opens no connection before a run needs it. */
export function openModel(parts: ModelParts): Backend {
  const { config, rates, clock, random } = parts;
  const { provider, baseUrl, apiKey, models, limits } = config;
  const toolbox = toolboxOf(parts);
  const settings = { ...limits, provider, baseUrl, apiKey, models, rates, toolbox, clock, random };
  return { ...modelBackend(settings), needsCheckout: true, changesCheckout: true };
}

/** A run that may not execute commands is not offered the tool: a tool that only refuses costs turns. */
function toolboxOf({ config, sandbox, isSandboxOff, isTrusted: trusts }: ModelParts): Toolbox {
  const allow = config.fetchAllow;
  const pages = allow.length === 0 ? [] : [fetchUrlTool({ allow })];
  return (context) => {
    const { task, checkout, askAdvisor } = context;
    const advisor = askAdvisor === null ? [] : [askAdvisorTool(askAdvisor)];
    const areFilesShared = checkout?.isShared === true;
    const delegate = task.generationsLeft > 0 ? [delegateTool(task, { areFilesShared })] : [];
    const helpers = [...pages, ...delegate, ...advisor];
    if (checkout === null) return [...readingToolbox(context), ...helpers];
    const isTrusted = trusts(task);
    const mayShell = mayExecute({ kind: sandbox.kind, isSandboxOff, isTrusted });
    const shell = shellTool({ sandbox, checkout: { gitFolder: checkout.gitFolder ?? null, isTrusted } });
    return [
      ...readingToolbox(context),
      editFile,
      writeFile,
      deleteFile,
      ...(mayShell ? [shell] : []),
      ...helpers,
    ];
  };
}
