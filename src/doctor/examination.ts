// The input of an examination, and the small parts that its checks share. Pure.

import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { Transport } from "../client/transport.ts";
import type { ModelFederation } from "../federation/provider.ts";
import type { CheckState, DoctorCheck, DoctorFact, DoctorFix } from "../report/doctor-page.ts";
import type { ModelApi } from "./ask-model.ts";

/** "action": a step of a workflow, set by inputs. "command": `agent-service`, set by flags and variables. */
export type DoctorFace = "action" | "command";

/** A token of the code host's own API, and where it came from: "the input github-token". */
export type GitHubToken = { readonly from: string; readonly value: string };

/** The parts that a service inside the job would have to work with. */
export type EmbeddedReadiness = {
  readonly settings: readonly string[];
  readonly model: string | null;
  /** The address of the model, and its key. Null: there is none, or nobody but a coding agent knows. */
  readonly api: ModelApi | null;
  /** The coding agent that asks the model. Null: the built-in one. */
  readonly agent: AgentReadiness | null;
  readonly sandbox: string | null;
  /** The blockers of the sandbox, where it does not work. */
  readonly blockers: readonly ("no_bubblewrap" | "no_prlimit" | "no_user_namespaces" | "apparmor")[];
  readonly notes: readonly string[];
};

type AgentReadiness = {
  readonly title: string;
  /** Null: it is not installed. */
  readonly program: string | null;
  /** The command that installs it. */
  readonly install: string;
  /** Whether it is not started without a sandbox. */
  readonly needsSandbox: boolean;
};

export type ExamineOptions = {
  readonly version: string;
  readonly env: Environment;
  readonly face: DoctorFace;
  /** Null: the agent works without a server. */
  readonly baseUrl: string | null;
  /** Null: the host of `baseUrl`, as everywhere. */
  readonly audience: string | null;
  /** The folder of the checkout, which knows the commit where the provider names none. This process's unless told. */
  readonly folder?: string;
  readonly transport: Transport;
  /** Whether `transport` goes through what HTTPS_PROXY and its like name. */
  readonly usesProxy: boolean;
  /** Null: none was given. */
  readonly githubToken: GitHubToken | null;
  /** By whose trust the job is to get a token of its model's provider; null: by none. */
  readonly federation: ModelFederation | null;
  /** The model that is to be asked with it; null where none is named. */
  readonly federatedModel: string | null;
  /** Looks at what a service in this job would have. Null where this face cannot. */
  readonly examineEmbedded: (() => Promise<EmbeddedReadiness>) | null;
  readonly clock: Clock;
  readonly random: () => number;
  /** Hides a value in the job's log from here on. */
  readonly setSecret?: (secret: string) => void;
  readonly signal?: AbortSignal | undefined;
};

type Heading = Pick<DoctorCheck, "id" | "title">;

export type Findings = {
  readonly state: CheckState;
  readonly found: string;
  readonly facts?: Readonly<Record<string, string | number | null | undefined>>;
  readonly fixes?: readonly DoctorFix[];
};

/** A check of the page. Facts without a value are left out. */
export function found(heading: Heading, findings: Findings): DoctorCheck {
  const { state, facts = {}, fixes = [] } = findings;
  const { id, title } = heading;
  return { id, title, state, found: findings.found, facts: factsOf(facts), fixes };
}

/** A check that there was no point in. `why` goes on after "Not tried: ". */
export function notTried(heading: Heading, why: string): DoctorCheck {
  return found(heading, { state: "skipped", found: `Not tried: ${why}.` });
}

function factsOf(facts: NonNullable<Findings["facts"]>): readonly DoctorFact[] {
  return Object.entries(facts).flatMap(([name, value]) =>
    value === null || value === undefined || value === "" ? [] : [{ name, value: String(value) }],
  );
}

const order: readonly CheckState[] = ["ok", "skipped", "warning", "fault"];

/** The worst of several. */
export function worstOf(states: readonly CheckState[]): CheckState {
  return states.reduce<CheckState>(
    (worst, state) => (order.indexOf(state) > order.indexOf(worst) ? state : worst),
    "ok",
  );
}
