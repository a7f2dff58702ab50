// The Action's inputs: each is declared once, and every wrong one is named before anything is sent.

import { flag, integer, line, oneOf, secret, text } from "../base/settings/kinds.ts";
import { readSettings, setting, type ValuesOf } from "../base/settings/setting.ts";
import {
  cancelActions,
  DEFAULT_IDLE_MINUTES,
  DEFAULT_TIMEOUT_MINUTES,
  failOn,
  MAX_TURN_TOKENS,
  type OutputSchema,
  outputSchema,
} from "../job/job-settings.ts";
import { StepError } from "../job/step-error.ts";
import type { Conclusion } from "../report/conclusion.ts";
import { type Severity, severities } from "../report/findings.ts";
import {
  bots,
  branchPrefix,
  EMBEDDED,
  modelName,
  modelUrl,
  pathPatterns,
  promptFile,
  type SessionInput,
  serviceAddress,
  session,
  triggerPhrase,
  users,
} from "./input-kinds.ts";
import { faultsOfNames } from "./input-names.ts";

export type Prompt =
  | { readonly from: "text"; readonly text: string }
  | { readonly from: "file"; readonly path: string }
  | { readonly from: "event" };

export const modelProviders = ["auto", "openai-compatible", "anthropic"] as const;

export type ModelInputs = {
  readonly name: string;
  /** Null: the provider's own, which only Anthropic has. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly provider: (typeof modelProviders)[number];
};

/** Which service the step uses: one that somebody runs, or one inside the job. */
export type ServiceInputs =
  /** The base URL is without a trailing slash. */
  | { readonly type: "remote"; readonly baseUrl: string; readonly audience: string }
  | { readonly type: "embedded"; readonly model: ModelInputs | null };

export const modes = ["run", "attach", "cancel", "doctor"] as const;
/** What becomes of what a run changed. Only the job itself writes it: no agent holds a token that could. */
export const changesModes = ["none", "patch", "commit", "pull-request"] as const;
export type ChangesMode = (typeof changesModes)[number];
export const findingsModes = ["none", "annotations", "review"] as const;
export const includedAuthors = ["everyone", "writers"] as const;

export type Inputs = {
  readonly mode: (typeof modes)[number];
  /** Of an earlier step or job, for `attach` and `cancel`. */
  readonly runId: string | null;
  readonly prompt: Prompt;
  readonly service: ServiceInputs;
  readonly session: SessionInput;
  /** Null for the service's default budget. */
  readonly maxTurnTokens: number | null;
  /** A JSON Schema; null where any reply will do. */
  readonly outputSchema: OutputSchema | null;
  readonly timeoutMinutes: number;
  /** Without an event for so long, a run is cancelled. Null for never. */
  readonly idleMinutes: number | null;
  readonly wait: boolean;
  readonly onCancel: (typeof cancelActions)[number];
  readonly failOn: ReadonlySet<Conclusion>;
  readonly summary: boolean;
  /** Whether the step writes on the issue or the pull request that it is about. */
  readonly comment: boolean;
  readonly changes: ChangesMode;
  /** Ends with a slash or a hyphen; nothing else that a branch's name could not hold. */
  readonly branchPrefix: string;
  readonly signedCommits: boolean;
  readonly findings: (typeof findingsModes)[number];
  /** The least severe finding that fails the step. Null: none does. */
  readonly failOnSeverity: Severity | null;
  /** Whether the findings become a check run of the commit. */
  readonly checkRun: boolean;
  /** Patterns of the files that a review is about. Empty: all. */
  readonly paths: readonly string[];
  readonly ignorePaths: readonly string[];
  /** Whose text on an issue or a pull request becomes part of the prompt. */
  readonly includeAuthors: (typeof includedAuthors)[number];
  readonly account: string | null;
  /** The first word of a line that asks for a run in a comment. */
  readonly triggerPhrase: string;
  /** In lower case: who may ask without write access. */
  readonly allowUsers: ReadonlySet<string>;
  readonly allowBots: ReadonlySet<string>;
  readonly allowForks: boolean;
  readonly githubToken: string;
  /** The job's matrix leg as JSON: part of the idempotency key. */
  readonly matrix: string;
  /** Inputs that were given and say nothing to this kind of service. */
  readonly ignored: readonly string[];
};

/** Every input by its name, as in action.yml, which describes them. */
export const inputSettings = {
  mode: setting(oneOf(modes), "run"),
  "run-id": setting(line({ maxChars: 255 }), null),
  prompt: setting(text("text"), null),
  "prompt-file": setting(promptFile, null),
  "base-url": setting(serviceAddress, EMBEDDED),
  audience: setting(line({ maxChars: 255 }), null),
  session: setting(session, { type: "thread" }),
  "max-turn-tokens": setting(integer({ min: 0, max: MAX_TURN_TOKENS }), null),
  "output-schema": setting(outputSchema, null),
  "timeout-minutes": setting(integer({ min: 1, max: 360 }), DEFAULT_TIMEOUT_MINUTES),
  "idle-minutes": setting(integer({ min: 0, max: 360 }), DEFAULT_IDLE_MINUTES),
  wait: setting(flag, true),
  "on-cancel": setting(oneOf(cancelActions), "cancel"),
  "fail-on": setting(failOn, new Set<Conclusion>(["failure", "quota", "incomplete"])),
  summary: setting(flag, true),
  comment: setting(flag, true),
  changes: setting(oneOf(changesModes), "patch"),
  "branch-prefix": setting(branchPrefix, "agent/"),
  "signed-commits": setting(flag, false),
  findings: setting(oneOf(findingsModes), "none"),
  "fail-on-severity": setting(oneOf(["none", ...severities]), "none"),
  "check-run": setting(flag, false),
  paths: setting(pathPatterns, []),
  "ignore-paths": setting(pathPatterns, []),
  "include-authors": setting(oneOf(includedAuthors), "everyone"),
  account: setting(line({ maxChars: 255 }), null),
  "trigger-phrase": setting(triggerPhrase, "/agent"),
  "allow-users": setting(users, new Set<string>()),
  "allow-bots": setting(bots, new Set<string>()),
  "allow-forks": setting(flag, false),
  "github-token": setting({ ...text("a token"), isSecret: true }, ""),
  matrix: setting(text("JSON"), ""),
};

/** The inputs of the model, read with `base-url: embedded` where one of them is given. */
export const modelInputSettings = {
  model: { ...setting(modelName, ""), isRequired: true },
  "model-base-url": setting(modelUrl, null),
  "model-api-key": setting(secret, null),
  "model-provider": setting(oneOf(modelProviders), "auto"),
};

/** One or more inputs are wrong: one line each in `problems`. */
export class InputError extends StepError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super("invalid_input", problems.join("\n"));
    this.problems = problems;
  }
}

type ReadInput = (name: string) => string;

/** What the runner passed. */
export type GivenInputs = {
  /** "" for an input that is not given. */
  readonly read: ReadInput;
  /** Of all that were passed, with and without a value, in lower case. */
  readonly names: readonly string[];
};

/** Reads every input. Throws InputError. */
export function readInputs({ read, names }: GivenInputs): Inputs {
  const { values, problems } = readSettings(inputSettings, sourceOf(read));
  problems.unshift(...faultsOfNames(names, inputNames), ...faultsOfEmpty({ read, names }));
  const service = readService(values, { read, problems });
  const inputs: Inputs = {
    mode: values.mode,
    runId: values["run-id"],
    prompt: readPrompt(values, { read, problems }),
    service,
    session: values.session,
    maxTurnTokens: values["max-turn-tokens"],
    outputSchema: values["output-schema"],
    timeoutMinutes: values["timeout-minutes"],
    idleMinutes: values["idle-minutes"] || null,
    wait: values.wait,
    onCancel: values["on-cancel"],
    failOn: values["fail-on"],
    summary: values.summary,
    comment: values.comment,
    changes: values.changes,
    branchPrefix: values["branch-prefix"],
    signedCommits: values["signed-commits"],
    findings: values.findings,
    failOnSeverity: values["fail-on-severity"] === "none" ? null : values["fail-on-severity"],
    checkRun: values["check-run"],
    paths: values.paths,
    ignorePaths: values["ignore-paths"],
    includeAuthors: values["include-authors"],
    account: values.account,
    triggerPhrase: values["trigger-phrase"],
    allowUsers: values["allow-users"],
    allowBots: values["allow-bots"],
    allowForks: values["allow-forks"],
    githubToken: values["github-token"],
    matrix: values.matrix,
    ignored: ignoredInputs[service.type].filter((name) => read(name).trim() !== ""),
  };
  if (service.type === "embedded") problems.push(...faultsWithoutServer(inputs));
  problems.push(...faultsOfMode(inputs));
  if (problems.length > 0) throw new InputError(problems);
  return inputs;
}

const inputNames = [...Object.keys(inputSettings), ...Object.keys(modelInputSettings)];

/** action.yml has a default for it, so that only a workflow can make it empty. */
function faultsOfEmpty({ read, names }: GivenInputs): string[] {
  if (!names.includes("base-url") || read("base-url").trim() !== "") return [];
  return [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow, not of ours.
    'Input "base-url" is set and empty, as "${{ vars.… }}" is where the variable is not set. Set the variable, or leave "base-url" out to run the service inside this job.',
  ];
}

type Values = ValuesOf<typeof inputSettings>;

const ignoredInputs: Readonly<Record<ServiceInputs["type"], readonly string[]>> = {
  remote: Object.keys(modelInputSettings),
  embedded: ["audience", "account"],
};

function sourceOf(read: ReadInput) {
  return { textOf: read, titleOf: (name: string) => `Input "${name}"` };
}

function readService(
  values: Values,
  { read, problems }: { readonly read: ReadInput; readonly problems: string[] },
): ServiceInputs {
  const baseUrl = values["base-url"];
  if (baseUrl !== EMBEDDED) return { type: "remote", baseUrl, audience: values.audience ?? hostOf(baseUrl) };
  if (ignoredInputs.remote.every((name) => read(name).trim() === ""))
    return { type: "embedded", model: null };
  // Anthropic is the one provider whose API has one address.
  const isOwnAddress = read("model-provider").trim().toLowerCase() === "anthropic";
  const url = { ...modelInputSettings["model-base-url"], isRequired: !isOwnAddress };
  const { values: model, problems: faults } = readSettings(
    { ...modelInputSettings, "model-base-url": url },
    sourceOf(read),
  );
  problems.push(...faults);
  return {
    type: "embedded",
    model: {
      name: model.model,
      baseUrl: model["model-base-url"],
      apiKey: model["model-api-key"],
      provider: model["model-provider"],
    },
  };
}

/** What only a service can do that outlives the job. */
function faultsWithoutServer({ mode, wait, onCancel, session }: Inputs): string[] {
  const needs = 'needs a service that outlives the job: name one in "base-url", or leave it out.';
  return [
    ...(wait ? [] : [`Input "wait: false" ${needs}`]),
    ...(onCancel === "cancel" ? [] : [`Input "on-cancel: ${onCancel}" ${needs}`]),
    ...(session.type === "id" ? [`Input "session" ${needs}`] : []),
    ...(mode === "attach" || mode === "cancel" ? [`Input "mode: ${mode}" ${needs}`] : []),
  ];
}

/** What says how a review is published needs one that is. */
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
  const { mode, runId, wait, changes, findings } = inputs;
  const faults = faultsWithoutFindings(inputs);
  if (mode === "attach" && runId === null) {
    faults.push('Input "mode: attach" needs "run-id": the output of the step that started the run.');
  }
  if (mode === "attach" && !wait) {
    faults.push('Inputs "mode: attach" and "wait: false" exclude each other: attaching is waiting.');
  }
  if (runId !== null && mode !== "attach" && mode !== "cancel") {
    faults.push(
      'Input "run-id" is for "mode: attach" and "mode: cancel": a run of its own has an id of its own.',
    );
  }
  if (mode === "run" && !wait) {
    const late = [
      ...(changes === "commit" || changes === "pull-request" ? [`"changes: ${changes}"`] : []),
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
