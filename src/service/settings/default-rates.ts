// Rates and plans where the operator sets none.

import type { Rates } from "../core/money/rates.ts";

/** The default rates of a service that asks these models: their tokens are free. */
export function ratesWithoutPrices(models: readonly [string, ...string[]]): Rates {
  const [first, ...others] = [...new Set(models)].map(freeModel);
  return {
    ...defaultRates,
    modelNote: "A run costs one credit, whatever its model uses.",
    models: [first ?? freeModel(models[0]), ...others],
  };
}

function freeModel(id: string): Rates["models"][number] {
  return { id, inNanoUsdPerToken: 0, outNanoUsdPerToken: 0, isFreeTierEligible: true };
}

export const defaultRates: Rates = {
  lowCreditThreshold: 20,
  plans: {
    registered_free: {
      firstCredits: 100,
      maxAgents: 10,
      maxWorkspaces: 10,
      maxConcurrentRuns: 5,
      weight: 1,
      mayUsePaidModels: false,
    },
    subscribed: {
      firstCredits: 0,
      maxAgents: null,
      maxWorkspaces: null,
      maxConcurrentRuns: null,
      weight: 1,
      mayUsePaidModels: true,
    },
  },
  packs: [],
  subscriptions: [],
  modelNote: "This service runs without a model.",
  models: [freeModel("offline")],
  otherModels: "free",
  modelTiers: [],
  freeMaxModelOutNanoUsdPerToken: 0,
  tools: [
    { tool: "read_file", mode: "free", credits: 0, freePerMonth: 0, note: "Reads a file of the repository." },
    { tool: "list_files", mode: "free", credits: 0, freePerMonth: 0, note: "Lists its files." },
    { tool: "search", mode: "free", credits: 0, freePerMonth: 0, note: "Looks for text in them." },
    { tool: "git_log", mode: "free", credits: 0, freePerMonth: 0, note: "Reads its recent history." },
    { tool: "git_changes", mode: "free", credits: 0, freePerMonth: 0, note: "Compares it with a base." },
    { tool: "git_diff", mode: "free", credits: 0, freePerMonth: 0, note: "Shows what was changed." },
    { tool: "git_show", mode: "free", credits: 0, freePerMonth: 0, note: "Shows a commit." },
    { tool: "git_blame", mode: "free", credits: 0, freePerMonth: 0, note: "Says where lines come from." },
    { tool: "read_skill", mode: "free", credits: 0, freePerMonth: 0, note: "Reads a skill." },
    { tool: "update_plan", mode: "free", credits: 0, freePerMonth: 0, note: "Shows its plan." },
    { tool: "ask_question", mode: "free", credits: 0, freePerMonth: 0, note: "Ends with a question." },
    {
      tool: "view_image",
      mode: "free",
      credits: 0,
      freePerMonth: 0,
      note: "Shows an image of the repository.",
    },
    { tool: "edit_file", mode: "free", credits: 0, freePerMonth: 0, note: "Replaces text in a file." },
    { tool: "write_file", mode: "free", credits: 0, freePerMonth: 0, note: "Writes a file whole." },
    { tool: "rename_file", mode: "free", credits: 0, freePerMonth: 0, note: "Moves a file." },
    { tool: "delete_file", mode: "free", credits: 0, freePerMonth: 0, note: "Deletes a file." },
    {
      tool: "run_command",
      mode: "free",
      credits: 0,
      freePerMonth: 0,
      note: "Executes a command in a sandbox.",
    },
    { tool: "fetch_url", mode: "free", credits: 0, freePerMonth: 0, note: "Reads a page that is allowed." },
    { tool: "delegate", mode: "free", credits: 0, freePerMonth: 0, note: "Starts a run, at its price." },
    { tool: "ask_advisor", mode: "free", credits: 0, freePerMonth: 0, note: "Its tokens are paid." },
  ],
  allowanceReset: "monthly, on the first day (UTC)",
  workflow: {
    execCredits: 1,
    includedSeconds: 3600,
    longRunCreditsPerMinute: 0,
    note: "Each execution is one run.",
  },
};
