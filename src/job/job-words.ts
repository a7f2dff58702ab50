// Texts for the users of a job: its outcome, and the settings that they can change. Pure.

export type JobWords = {
  /** Settings are inputs of the Action; else flags of the command. */
  readonly isAction: boolean;
  /** What happened when it was interrupted: a sentence without its full stop. */
  readonly interrupted: string;
  /** The advice where another attempt may succeed: a sentence without its full stop. */
  readonly retry: string;
  /** A setting's name as it is written. */
  readonly setting: (
    name: "account" | "base-url" | "timeout-minutes" | "idle-minutes" | "max-turn-tokens" | "max-cost",
  ) => string;
  /** A message of a service inside the job, with the settings of its model as this job's users name them. */
  readonly withSettingNames: (message: string) => string;
  /** The advice to get a token for this audience; undefined: for the one that the service expects. */
  readonly setAudience: (audience: string | undefined) => string;
  /** The events that a service accepts, in the provider's names. Null: the service's own message is more precise. */
  readonly events: string | null;
};

/** Words that every CI job has in common. */
export const ciWords = {
  interrupted: "The job was cancelled",
  retry: "Re-run the job",
} as const;

const modelSettings =
  /\b(?:EXPLORE_MODEL|FALLBACK_MODEL|MCP_SERVERS|MODEL_(?:API_KEY|BASE_URL|PROVIDER|EFFORT|PRICE))\b/g;

function inputOf(setting: string): string {
  return setting === "MODEL_EFFORT" ? '"effort"' : `"${setting.toLowerCase().replaceAll("_", "-")}"`;
}

/** The words of the Action. */
export const actionWords: JobWords = {
  ...ciWords,
  isAction: true,
  setting: (name) => `"${name}"`,
  withSettingNames: (message) => message.replaceAll(modelSettings, inputOf),
  setAudience: (audience) => {
    const what = audience === undefined ? "the audience that the service expects" : `"audience: ${audience}"`;
    return `Set ${what} on this step.`;
  },
  events: 'Use "pull_request", "push", "schedule" or "workflow_dispatch".',
};
