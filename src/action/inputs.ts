// The Action's inputs: each has a decoder, and every wrong one is named before anything is sent.

import { StepError } from "../job/step-error.ts";
import type { Conclusion } from "../report/conclusion.ts";
import {
  bots,
  branchPrefix,
  conclusionList,
  type Decoder,
  EMBEDDED,
  flag,
  modelKey,
  modelName,
  modelUrl,
  type OutputSchema,
  oneOf,
  optional,
  optionalInteger,
  optionalLine,
  optionalSchema,
  phrase,
  type SessionInput,
  serviceAddress,
  session,
  users,
} from "./input-decoders.ts";

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
  readonly onCancel: "cancel" | "detach";
  readonly failOn: ReadonlySet<Conclusion>;
  readonly summary: boolean;
  /** Whether the step writes on the issue or the pull request that it is about. */
  readonly comment: boolean;
  readonly changes: ChangesMode;
  /** Ends with a slash or a hyphen; nothing else that a branch's name could not hold. */
  readonly branchPrefix: string;
  readonly signedCommits: boolean;
  readonly findings: (typeof findingsModes)[number];
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

/** One or more inputs are wrong: one line each in `problems`. */
export class InputError extends StepError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super("invalid_input", problems.join("\n"));
    this.problems = problems;
  }
}

/** Reads every input through `read`, which returns "" for one that is not given. Throws InputError. */
export function readInputs(read: (name: string) => string): Inputs {
  const problems: string[] = [];
  const take = <Value>(name: string, decoder: Decoder<Value>, fallback: Value): Value => {
    const text = read(name).trim();
    const decoded = decoder.decode(text);
    if (decoded !== undefined) return decoded;
    const shown = decoder.isSecret === true ? "something else" : JSON.stringify(text.slice(0, 100));
    const got = text === "" ? "nothing" : shown;
    problems.push(`Input "${name}" must be ${decoder.allowed}, got ${got}.`);
    return fallback;
  };
  const service = takeService(take, (name) => read(name).trim() !== "");
  const inputs: Inputs = {
    mode: take("mode", oneOf(modes, "run"), "run"),
    runId: take("run-id", optionalLine(255), null),
    prompt: decodePrompt(read, problems),
    service,
    session: take("session", session, { type: "thread" }),
    maxTurnTokens: take("max-turn-tokens", optionalInteger(0, 5_000_000), null),
    outputSchema: take("output-schema", optionalSchema, null),
    timeoutMinutes: take("timeout-minutes", optionalInteger(1, 360), null) ?? 60,
    idleMinutes: (take("idle-minutes", optionalInteger(0, 360), null) ?? DEFAULT_IDLE_MINUTES) || null,
    wait: take("wait", flag(true), true),
    onCancel: take("on-cancel", oneOf(["cancel", "detach"], "cancel"), "cancel"),
    failOn: take("fail-on", conclusionList, new Set()),
    summary: take("summary", flag(true), true),
    comment: take("comment", flag(true), true),
    changes: take("changes", oneOf(changesModes, "patch"), "patch"),
    branchPrefix: take("branch-prefix", branchPrefix, ""),
    signedCommits: take("signed-commits", flag(false), false),
    findings: take("findings", oneOf(findingsModes, "none"), "none"),
    account: take("account", optionalLine(255), null),
    triggerPhrase: take("trigger-phrase", phrase, ""),
    allowUsers: take("allow-users", users, new Set()),
    allowBots: take("allow-bots", bots, new Set()),
    allowForks: take("allow-forks", flag(false), false),
    githubToken: read("github-token").trim(),
    matrix: read("matrix").trim(),
    ignored: ignoredInputs[service.type].filter((name) => read(name).trim() !== ""),
  };
  if (service.type === "embedded") problems.push(...faultsWithoutServer(inputs));
  problems.push(...faultsOfMode(inputs));
  if (problems.length > 0) throw new InputError(problems);
  return inputs;
}

type Take = <Value>(name: string, decoder: Decoder<Value>, fallback: Value) => Value;

/** Commands and models answer sooner; a queue does not count. */
const DEFAULT_IDLE_MINUTES = 20;
const modelInputs = ["model", "model-base-url", "model-api-key", "model-provider"];
const ignoredInputs: Readonly<Record<ServiceInputs["type"], readonly string[]>> = {
  remote: modelInputs,
  embedded: ["audience", "account"],
};

function takeService(take: Take, isGiven: (name: string) => boolean): ServiceInputs {
  const baseUrl = take("base-url", serviceAddress, EMBEDDED);
  if (baseUrl !== EMBEDDED) {
    const audience = take("audience", optionalLine(255), null) ?? hostOf(baseUrl);
    return { type: "remote", baseUrl, audience };
  }
  if (!modelInputs.some(isGiven)) return { type: "embedded", model: null };
  const provider = take("model-provider", oneOf(modelProviders, "auto"), "auto");
  const model: ModelInputs = {
    name: take("model", modelName, ""),
    baseUrl: take("model-base-url", provider === "anthropic" ? optional(modelUrl) : modelUrl, null),
    apiKey: take("model-api-key", modelKey, null),
    provider,
  };
  return { type: "embedded", model };
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

function faultsOfMode({ mode, runId, wait, changes, findings }: Inputs): string[] {
  const faults: string[] = [];
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

function decodePrompt(read: (name: string) => string, problems: string[]): Prompt {
  const text = read("prompt").trim();
  const path = read("prompt-file").trim();
  if (text !== "" && path !== "") {
    problems.push('Inputs "prompt" and "prompt-file" exclude each other: give one of them.');
  }
  if (text !== "") return { from: "text", text };
  if (path === "") return { from: "event" };
  const isInside =
    !/^([/\\]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes("..") && !/\p{Cc}/u.test(path);
  if (!isInside) {
    const allowed = 'a path inside the repository, like ".github/prompts/review.md"';
    problems.push(`Input "prompt-file" must be ${allowed}, got ${JSON.stringify(path.slice(0, 100))}.`);
  }
  return { from: "file", path: path.replaceAll("\\", "/").replace(/^(\.\/)+/, "") };
}

function hostOf(baseUrl: string): string {
  return URL.parse(baseUrl)?.host ?? "";
}
