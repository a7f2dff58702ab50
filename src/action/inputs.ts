// The Action's inputs: each is declared once, and every wrong one is named before anything is sent.

import { isConfidential } from "../base/confidential-url.ts";
import { dollars, flag, integer, line, oneOf, text } from "../base/settings/kinds.ts";
import { readSettings, setting, type ValuesOf } from "../base/settings/setting.ts";
import {
  builtInAgentsSettings,
  type CodingAgentName,
  codingAgentNames,
} from "../contract/ci/coding-agents.ts";
import { type EgressEntries, egressKind } from "../contract/egress.ts";
import {
  attemptModels,
  branchPrefix,
  type CloneMode,
  cancelActions,
  cloneModes,
  DEFAULT_IDLE_MINUTES,
  DEFAULT_TIMEOUT_MINUTES,
  failOn,
  MAX_ATTEMPTS,
  MAX_COST_LIMITS,
  MAX_TURN_TOKENS,
  type OutputSchema,
  outputSchema,
  pathPatterns,
  type SetupChoice,
  setup,
} from "../job/job-settings.ts";
import { faultsOfSentServers, mcpServers, type NamedServers } from "../job/mcp-servers.ts";
import type { FailOn, FailOnWord } from "../report/conclusion.ts";
import { type Severity, severities } from "../report/findings.ts";
import { ignoredInputs } from "./ignored-inputs.ts";
import { InputError } from "./input-error.ts";
import {
  BUILT_IN,
  bots,
  EMBEDDED,
  eventNames,
  promptFile,
  type SessionInput,
  serviceAddress,
  session,
  triggerPhrase,
  users,
} from "./input-kinds.ts";
import { faultsOfNames } from "./input-names.ts";
import { inputSource, type ReadInput, type Reading } from "./input-source.ts";
import { modelInputNames } from "./model-input-names.ts";
import type { ChosenModel, ModelInputs } from "./model-inputs.ts";
import type { ModelReaders } from "./model-readers.ts";

type Prompt =
  | { readonly from: "text"; readonly text: string }
  | { readonly from: "file"; readonly path: string }
  | { readonly from: "event" };

/** Which service the step uses: one that somebody runs, or one inside the job. */
type ServiceInputs =
  /** The base URL is without a trailing slash. */
  | {
      readonly type: "remote";
      readonly baseUrl: string;
      readonly audience: string;
      /** Null: the service's own. */
      readonly model: ChosenModel | null;
    }
  | { readonly type: "embedded"; readonly model: ModelInputs | null };

const modes = ["run", "attach", "cancel", "doctor"] as const;
/** Ways to deliver a run's changes. Only the job itself delivers them: no agent holds a token that could. */
const changesModes = ["none", "patch", "commit", "pull-request"] as const;
type ChangesMode = (typeof changesModes)[number];

/** Whether what a run changed is pushed to the repository. */
export function isPushed(mode: ChangesMode): mode is "commit" | "pull-request" {
  return mode === "commit" || mode === "pull-request";
}

const findingsModes = ["none", "annotations", "review"] as const;
const includedAuthors = ["everyone", "writers"] as const;

export type Inputs = {
  readonly mode: (typeof modes)[number];
  /** Of an earlier step or job, for `attach` and `cancel`. */
  readonly runId: string | null;
  readonly prompt: Prompt;
  readonly service: ServiceInputs;
  readonly session: SessionInput;
  /** Null for the service's default budget. */
  readonly maxTurnTokens: number | null;
  /** The cap of the cost of the run's models. Null for the service's default. */
  readonly maxCostMicroUsd: number | null;
  /** Attempts of the run, of which one is chosen. */
  readonly bestOf: number;
  /** The models of the attempts, in turn. Null: the agent's for each. */
  readonly bestOfModels: readonly string[] | null;
  /** A JSON Schema; null where any reply will do. */
  readonly outputSchema: OutputSchema | null;
  /** Null: the default script, where it exists. */
  readonly setup: SetupChoice | null;
  /** Network access of the run. Null: what the agent's owner has set, without a server nothing. */
  readonly egress: EgressEntries | null;
  /** MCP servers whose tools the run has. Null: those of the service alone. */
  readonly mcpServers: NamedServers | null;
  /** The text of the typed outputs, which `readOutputs` decodes. Null: none. */
  readonly outputs: string | null;
  readonly timeoutMinutes: number;
  /** Without an event for so long, a run is cancelled. Null for never. */
  readonly idleMinutes: number | null;
  readonly wait: boolean;
  readonly onCancel: (typeof cancelActions)[number];
  /** The way in which the service gets the run's commit. */
  readonly clone: CloneMode;
  readonly failOn: FailOn;
  readonly summary: boolean;
  /** Whether the step writes on the issue or the pull request that it is about. */
  readonly comment: boolean;
  readonly changes: ChangesMode;
  /** Ends with a slash or a hyphen; nothing else that a branch's name could not hold. */
  readonly branchPrefix: string;
  readonly signedCommits: boolean;
  /** Whether the pushed commit gets a signed statement of who asked for it. */
  readonly attest: boolean;
  readonly findings: (typeof findingsModes)[number];
  /** The least severe finding that fails the step. Null: none does. */
  readonly failOnSeverity: Severity | null;
  /** Whether the findings become a check run of the commit. */
  readonly checkRun: boolean;
  /** Patterns of the files that a review is about. Empty: all. */
  readonly paths: readonly string[];
  readonly ignorePaths: readonly string[];
  /** Whether the prompt gets what the failed jobs of the commit printed. */
  readonly failedJobLogs: boolean;
  /** Whose text on an issue or a pull request becomes part of the prompt. */
  readonly includeAuthors: (typeof includedAuthors)[number];
  readonly account: string | null;
  /** The first word of a line that asks for a run in a comment. */
  readonly triggerPhrase: string;
  /** In lower case: who may ask without write access. */
  readonly allowUsers: ReadonlySet<string>;
  readonly allowBots: ReadonlySet<string>;
  /** Events that only their name lets start a run. */
  readonly allowEvents: ReadonlySet<string>;
  readonly allowForks: boolean;
  readonly githubToken: string;
  /** The job's matrix leg as JSON: part of the idempotency key. */
  readonly matrix: string;
  /** A sentence for each reason why inputs that were given have no effect. */
  readonly ignored: readonly string[];
};

/** Inputs that only a new run has: another mode says that they have no effect. */
const newRunSettings = {
  prompt: setting(text("text"), null),
  "prompt-file": setting(promptFile, null),
  "max-turn-tokens": setting(integer({ min: 0, max: MAX_TURN_TOKENS }), null),
  "max-cost": setting(dollars(MAX_COST_LIMITS), null),
  "best-of": setting(integer({ min: 1, max: MAX_ATTEMPTS }), 1),
  "best-of-models": setting(attemptModels, null),
  setup: setting(setup, null),
  egress: setting(egressKind, null),
  "mcp-servers": setting(mcpServers, null),
};

/** Inputs of every mode, or whose default no mode has to mention. */
const everyModeSettings = {
  mode: setting(oneOf(modes), "run"),
  "run-id": setting(line({ maxChars: 255 }), null),
  "base-url": setting(serviceAddress, EMBEDDED),
  audience: setting(line({ maxChars: 255 }), null),
  agent: setting(oneOf([BUILT_IN, ...codingAgentNames]), BUILT_IN),
  session: setting(session, { type: "thread" }),
  "output-schema": setting(outputSchema, null),
  outputs: setting(text("YAML"), null),
  "timeout-minutes": setting(integer({ min: 1, max: 360 }), DEFAULT_TIMEOUT_MINUTES),
  "idle-minutes": setting(integer({ min: 0, max: 360 }), DEFAULT_IDLE_MINUTES),
  wait: setting(flag, true),
  "on-cancel": setting(oneOf(cancelActions), "cancel"),
  clone: setting(oneOf(cloneModes), "auto"),
  "fail-on": setting(failOn, new Set<FailOnWord>(["failure", "quota", "incomplete"])),
  summary: setting(flag, true),
  comment: setting(flag, true),
  changes: setting(oneOf(changesModes), "patch"),
  "branch-prefix": setting(branchPrefix, "agent/"),
  "signed-commits": setting(flag, false),
  attest: setting(flag, false),
  findings: setting(oneOf(findingsModes), "none"),
  "fail-on-severity": setting(oneOf(["none", ...severities]), "none"),
  "check-run": setting(flag, false),
  paths: setting(pathPatterns, []),
  "ignore-paths": setting(pathPatterns, []),
  "failed-job-logs": setting(flag, false),
  "include-authors": setting(oneOf(includedAuthors), "everyone"),
  account: setting(line({ maxChars: 255 }), null),
  "trigger-phrase": setting(triggerPhrase, "/agent"),
  "allow-users": setting(users, new Set<string>()),
  "allow-bots": setting(bots, new Set<string>()),
  "allow-events": setting(eventNames, new Set<string>()),
  "allow-forks": setting(flag, false),
  "github-token": setting({ ...text("a token"), isSecret: true }, ""),
  matrix: setting(text("JSON"), ""),
};

/** Every input by its name, as in action.yml, which describes them. */
export const inputSettings = { ...newRunSettings, ...everyModeSettings };

const newRunInputs = Object.keys(newRunSettings);

/** The inputs that the runner passed. */
type GivenInputs = {
  /** "" for an input that is not given. */
  readonly read: ReadInput;
  /** Of all that were passed, with and without a value, in lower case. */
  readonly names: readonly string[];
  /** For the inputs of a model. Null where none is given. */
  readonly models: ModelReaders | null;
};

/** Reads every input. Throws InputError. */
export function readInputs({ read, names, models }: GivenInputs): Inputs {
  const { values, problems } = readSettings(inputSettings, inputSource(read));
  problems.unshift(...faultsOfNames(names, inputNames), ...faultsOfEmpty({ read, names }));
  const service = readService(values, { read, problems }, models);
  const inputs: Inputs = {
    mode: values.mode,
    runId: values["run-id"],
    prompt: readPrompt(values, { read, problems }),
    service,
    session: values.session,
    maxTurnTokens: values["max-turn-tokens"],
    maxCostMicroUsd: values["max-cost"],
    bestOf: values["best-of"],
    bestOfModels: values["best-of-models"],
    outputSchema: values["output-schema"],
    setup: values.setup,
    egress: values.egress,
    mcpServers: values["mcp-servers"],
    outputs: values.outputs,
    timeoutMinutes: values["timeout-minutes"],
    idleMinutes: values["idle-minutes"] || null,
    wait: values.wait,
    onCancel: values["on-cancel"],
    clone: values.clone,
    failOn: values["fail-on"],
    summary: values.summary,
    comment: values.comment,
    changes: values.changes,
    branchPrefix: values["branch-prefix"],
    signedCommits: values["signed-commits"],
    attest: values.attest,
    findings: values.findings,
    failOnSeverity: values["fail-on-severity"] === "none" ? null : values["fail-on-severity"],
    checkRun: values["check-run"],
    paths: values.paths,
    ignorePaths: values["ignore-paths"],
    failedJobLogs: values["failed-job-logs"],
    includeAuthors: values["include-authors"],
    account: values.account,
    triggerPhrase: values["trigger-phrase"],
    allowUsers: values["allow-users"],
    allowBots: values["allow-bots"],
    allowEvents: values["allow-events"],
    allowForks: values["allow-forks"],
    githubToken: values["github-token"],
    matrix: values.matrix,
    ignored: ignoredInputs({ mode: values.mode, clone: values.clone, service, newRunInputs }, read),
  };
  if (service.type === "embedded") problems.push(...faultsWithoutServer(inputs));
  else if (service.model !== null) problems.push(...faultsOfHandedModel(inputs, service));
  if (service.type === "remote" && inputs.mcpServers !== null)
    problems.push(...faultsOfSentServers(inputs.mcpServers).map((fault) => `Input "mcp-servers": ${fault}.`));
  problems.push(...faultsOfMode(inputs));
  if (problems.length > 0) throw new InputError(problems);
  return inputs;
}

const inputNames = [...Object.keys(inputSettings), ...modelInputNames];

/** action.yml has a default for it, so that only a workflow can make it empty. */
function faultsOfEmpty({ read, names }: Pick<GivenInputs, "read" | "names">): string[] {
  if (!names.includes("base-url") || read("base-url").trim() !== "") return [];
  return [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow, not of ours.
    'Input "base-url" is set and empty, as "${{ vars.… }}" is where the variable is not set. Set the variable, or leave "base-url" out to run the service inside this job.',
  ];
}

type Values = ValuesOf<typeof inputSettings>;

function faultsBesideAgent(agent: CodingAgentName, read: ReadInput): string[] {
  const given = [...builtInAgentsSettings, "outputs"].filter((name) => read(name).trim() !== "");
  return given.map((name) => `Input "${name}" is for the built-in agent: remove it, or "agent: ${agent}".`);
}

function readService(values: Values, reading: Reading, models: ModelReaders | null): ServiceInputs {
  const { "base-url": baseUrl, agent } = values;
  const named = agent === BUILT_IN ? null : agent;
  if (named !== null) reading.problems.push(...faultsBesideAgent(named, reading.read));
  if (baseUrl === EMBEDDED) return { type: "embedded", model: models?.readModel(named, reading) ?? null };
  if (named !== null)
    reading.problems.push(
      `Input "agent: ${named}" is for jobs without a server: which agent a service runs, its operator says. Leave "agent" or "base-url" out.`,
    );
  const audience = values.audience ?? hostOf(baseUrl);
  return { type: "remote", baseUrl, audience, model: models?.readHandedModel(reading) ?? null };
}

/** A token of a model is handed to nobody on the way, and needs a job that renews it. */
function faultsOfHandedModel(
  { mode, wait, onCancel }: Inputs,
  { baseUrl }: Extract<ServiceInputs, { type: "remote" }>,
): string[] {
  if (mode !== "run" && mode !== "doctor") return [];
  const renewed = "a run with the job's own model account needs the job, which renews its token";
  return [
    ...(wait ? [] : [`Input "wait: false" ends the job too early: ${renewed}. Leave "wait" out.`]),
    ...(onCancel === "cancel" ? [] : [`Input "on-cancel: ${onCancel}" ends the job too early: ${renewed}.`]),
    ...(isConfidential(baseUrl)
      ? []
      : [
          'Input "base-url" is plain http: anybody on the network path could read the model\'s token. Use https.',
        ]),
  ];
}

/** Faults of inputs that need a service which outlives the job. */
function faultsWithoutServer({ mode, wait, onCancel, session, bestOf, bestOfModels }: Inputs): string[] {
  const needs = 'needs a service that outlives the job: name one in "base-url", or leave it out.';
  const copies =
    'needs a service, which gives each attempt a copy of the files: name one in "base-url", or leave it out.';
  return [
    ...(bestOf === 1 ? [] : [`Input "best-of" ${copies}`]),
    ...(bestOfModels === null ? [] : [`Input "best-of-models" ${copies}`]),
    ...(wait ? [] : [`Input "wait: false" ${needs}`]),
    ...(onCancel === "cancel" ? [] : [`Input "on-cancel: ${onCancel}" ${needs}`]),
    ...(session.type === "id" ? [`Input "session" ${needs}`] : []),
    ...(mode === "attach" || mode === "cancel" ? [`Input "mode: ${mode}" ${needs}`] : []),
  ];
}

/** Faults of inputs about a review that no input publishes. */
function faultsWithoutFindings({ findings, failOnSeverity, checkRun, paths, ignorePaths }: Inputs): string[] {
  if (findings !== "none") return [];
  const given = [
    ...(failOnSeverity === null ? [] : ["fail-on-severity"]),
    ...(checkRun ? ["check-run"] : []),
    ...(paths.length === 0 ? [] : ["paths"]),
    ...(ignorePaths.length === 0 ? [] : ["ignore-paths"]),
  ];
  return given.map((name) => `Input "${name}" is about findings: set "findings" to annotations or review.`);
}

function faultsOfMode(inputs: Inputs): string[] {
  const { mode, runId, wait, changes, findings, attest, bestOf, bestOfModels } = inputs;
  const faults = faultsWithoutFindings(inputs);
  if (attest && !isPushed(changes))
    faults.push('Input "attest" is about pushed commits: set "changes" to commit or pull-request.');
  // With one attempt, the count follows from the models.
  if (bestOf > 1 && bestOfModels !== null && bestOfModels.length > bestOf)
    faults.push(
      `Input "best-of-models" names ${bestOfModels.length} models, and "best-of: ${bestOf}" has an attempt for ${bestOf} of them. Raise "best-of", or leave it out.`,
    );
  if (mode === "attach" && runId === null)
    faults.push('Input "mode: attach" needs "run-id": the output of the step that started the run.');
  if (mode === "attach" && !wait)
    faults.push('Inputs "mode: attach" and "wait: false" exclude each other: attaching is waiting.');
  if (runId !== null && mode !== "attach" && mode !== "cancel") {
    faults.push(
      'Input "run-id" is for "mode: attach" and "mode: cancel": a run of its own has an id of its own.',
    );
  }
  if (mode === "run" && !wait) {
    const late = [
      ...(isPushed(changes) ? [`"changes: ${changes}"`] : []),
      ...(findings === "none" ? [] : [`"findings: ${findings}"`]),
    ];
    for (const input of late) {
      faults.push(`Input ${input} needs the end of the run: give it to the step with "mode: attach".`);
    }
  }
  return faults;
}

function readPrompt(
  values: Values,
  { read, problems }: { readonly read: ReadInput; readonly problems: string[] },
): Prompt {
  const { prompt: words, "prompt-file": path } = values;
  if (words !== null && read("prompt-file").trim() !== "") {
    problems.push('Inputs "prompt" and "prompt-file" exclude each other: give one of them.');
  }
  if (words !== null) return { from: "text", text: words };
  return path === null ? { from: "event" } : { from: "file", path };
}

function hostOf(baseUrl: string): string {
  return URL.parse(baseUrl)?.host ?? "";
}
