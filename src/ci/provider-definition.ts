// The job's side of a CI provider, as its one file in this folder declares it. Types only.

import type { RetryNotice } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { ProcessRunner } from "../base/run-process.ts";
import type { Transport } from "../client/transport.ts";
import type { JobChange } from "./job-change.ts";
import type { CiProvider } from "./provider.ts";

/** The parts that providers mint with; each takes what it needs. */
export type ProviderOptions = {
  readonly env: Environment;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** Runs the provider's tool. Default: a process of this machine. */
  readonly run?: ProcessRunner;
  /** The variable that holds the job's token, where the job may choose it. */
  readonly tokenVariable?: string;
};

/** The variables that describe the job. Null where the provider has none. */
export type JobVariables = {
  readonly owner: string;
  /** A full ref, or the names of tag and branch. */
  readonly ref: string | { readonly tag: string; readonly branch: string };
  /** The branch that a pull request wants to change. */
  readonly base: string | null;
  /** The address of the run. */
  readonly runUrl: string | null;
  /** Who started it; the first that is set counts. */
  readonly startedBy: readonly string[];
  /** The address of the code host, where an operator can have one of their own. */
  readonly server: string | null;
};

export type ProviderDefinition = {
  /** Whether these are the variables of a job of the provider. Pure. */
  readonly isJob: (env: Environment) => boolean;
  /** The job that this process runs in. Mints nothing until a token is requested. */
  readonly create: (options: ProviderOptions) => CiProvider;
  readonly variables: JobVariables;
  /** Whether the variables have the repository's id as the token has it, and its name as the code host has it. */
  readonly environment: { readonly hasTokensId: boolean; readonly hasRepositoryName: boolean };
  /** The lines that give a job a token for the audience, as its YAML has them. Null: a job mints one for any audience. */
  readonly tokenLines: ((audience: string) => string) | null;
  /** The source of the ID token for a model's provider, which is made for another audience than the service's. */
  readonly modelTokens:
    | { readonly type: "minted" }
    /** A variable of its own. More tokens are in it with `_2`, `_3` … after its name. */
    | { readonly type: "variable"; readonly variable: string }
    /** The job has one token: it is the service's, or the model provider's. */
    | { readonly type: "shared"; readonly refusal: string };
  /** The format of a job log that folds. Null: plain lines. */
  readonly logFormat: "github" | "gitlab" | "buildkite" | null;
  /** The pull request that the job is about; null for another job. Null where the variables do not say it. */
  readonly readChange: ((env: Environment) => Promise<JobChange | null>) | null;
  /** The page that shows a run beside the log, as far as a job may write there. */
  readonly resultPage: "step_summary" | "report_files" | "annotation" | "code_insights" | null;
};
