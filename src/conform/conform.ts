// Asks a deployment whether it does what the specification says: every statement, one by one, from outside.
// Why: docs/decisions/119-a-deployment-is-asked-statement-by-statement.md

import { type Clock, systemClock } from "../base/clock.ts";
import { systemRandom } from "../base/ids.ts";
import { expectUsable } from "./expect-usable.ts";
import { agentChanges } from "./families/agent-changes.ts";
import { agents } from "./families/agents.ts";
import { malformedBodies } from "./families/bodies.ts";
import { callers } from "./families/callers.ts";
import { claims } from "./families/claims.ts";
import { credentials } from "./families/credentials.ts";
import { errors } from "./families/errors.ts";
import { exchanges } from "./families/exchange.ts";
import { jobs } from "./families/jobs.ts";
import { keys } from "./families/keys.ts";
import { money } from "./families/money.ts";
import { refusedTokens } from "./families/refused-tokens.ts";
import { runEvents } from "./families/run-events.ts";
import { runKeys } from "./families/run-keys.ts";
import { runRecords } from "./families/run-records.ts";
import { runs } from "./families/runs.ts";
import { scheduleRecords } from "./families/schedule-records.ts";
import { scheduleRequests } from "./families/schedule-requests.ts";
import { schedules } from "./families/schedules.ts";
import { served } from "./families/served.ts";
import { usedUp } from "./families/used-up.ts";
import { workflows } from "./families/workflows.ts";
import { workspaceFamilies } from "./families/workspace-families.ts";
import { wrongValues } from "./families/wrong-values.ts";
import { NoAnswerError, openConnection } from "./kit/connection.ts";
import { type Answer, member } from "./kit/exchange.ts";
import { Difference } from "./kit/expect.ts";
import { type IssuerDocument, openIssuer } from "./kit/issuer.ts";
import { isSignedIn } from "./kit/sign-in.ts";
import { type Need, needs, type Statement } from "./kit/statement.ts";
import { type Credentials, World } from "./kit/world.ts";

/** Every statement, in the order in which they are asked. */
export const statements: readonly Statement[] = [
  ...credentials,
  ...callers,
  ...agents,
  ...agentChanges,
  ...runRecords,
  ...runs,
  ...runKeys,
  ...runEvents,
  ...scheduleRecords,
  ...schedules,
  ...scheduleRequests,
  ...keys,
  ...money,
  ...usedUp,
  ...exchanges,
  ...refusedTokens,
  ...jobs,
  ...claims,
  ...workflows,
  ...wrongValues,
  ...malformedBodies,
  ...errors,
  ...served,
  ...workspaceFamilies,
];

export type ConformOptions = {
  /** Addresses of the deployment; several are its nodes, asked in turn. */
  readonly baseUrls: readonly string[];
  readonly credentials: Credentials;
  readonly issuer: IssuerDocument | null;
  readonly mayRun: boolean;
  /** Beginnings of ids or sections; every statement where there are none. */
  readonly only: readonly string[];
  readonly userAgent: string;
  readonly signal: AbortSignal;
  readonly onOutcome?: (outcome: StatementOutcome) => void;
  readonly clock?: Clock;
};

/** The outcome of a statement. */
export type StatementOutcome = { readonly statement: Statement } & (
  | { readonly status: "holds" }
  | {
      readonly status: "differs";
      readonly expected: string;
      readonly answer: Answer | null;
      /** True where no request of it was answered. */
      readonly isUnanswered?: boolean;
    }
  | { readonly status: "not_asked"; readonly because: string }
);

export type ConformResult = {
  readonly outcomes: readonly StatementOutcome[];
  /** Why not every statement was asked; null where it was. */
  readonly stopped: "interrupted" | "unreachable" | null;
  readonly requests: number;
  /** Things that could not be taken away again. */
  readonly left: readonly string[];
};

/** Those that begin so, by id or by section. */
export function selectStatements(only: readonly string[]): readonly Statement[] {
  if (only.length === 0) return statements;
  return statements.filter(({ id, section }) =>
    only.some((one) => id.startsWith(one) || section === one || section.startsWith(`${one} `)),
  );
}

/** Statements one after the other that get no answer, before the rest is not asked. */
const MAX_UNANSWERED = 3;

/**
 * Asks every statement. What it has made is taken away at the end, also where the signal aborts. Throws an OperatorError where
 * the deployment does not answer, or refuses a key.
 */
export async function conform(options: ConformOptions): Promise<ConformResult> {
  const { baseUrls, credentials, issuer, clock = systemClock, signal, userAgent } = options;
  const random = systemRandom;
  const connection = openConnection({ baseUrls, clock, userAgent });
  const world = new World({
    connection,
    credentials,
    issuer: issuer === null ? null : openIssuer(issuer, { clock, random }),
    clock,
    random,
  });
  const outcomes: StatementOutcome[] = [];
  const left: string[] = [];
  let [stopped, unanswered]: [ConformResult["stopped"], number] = [null, 0];
  await expectUsable(world);
  try {
    const unmet = await findUnmet(world, options);
    for (const statement of selectStatements(options.only)) {
      if (signal.aborted || unanswered === MAX_UNANSWERED) {
        stopped = signal.aborted ? "interrupted" : "unreachable";
        break;
      }
      const outcome = await askStatement(world, statement, unmet);
      outcomes.push(outcome);
      if (outcome.status !== "not_asked") unanswered = isUnanswered(outcome) ? unanswered + 1 : 0;
      options.onOutcome?.(outcome);
    }
  } finally {
    left.push(...(await world.cleanUp()));
  }
  return { outcomes, stopped, requests: connection.answers.length, left };
}

async function askStatement(
  world: World,
  statement: Statement,
  unmet: ReadonlySet<Need>,
): Promise<StatementOutcome> {
  const missing = statement.needs?.find((need) => unmet.has(need));
  if (missing !== undefined) return { statement, status: "not_asked", because: needs[missing] };
  try {
    await statement.check(world);
    return { statement, status: "holds" };
  } catch (cause) {
    if (cause instanceof Difference) {
      return { statement, status: "differs", expected: cause.message, answer: cause.answer };
    }
    const isUnanswered = cause instanceof NoAnswerError;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { statement, status: "differs", expected: `an answer (${reason})`, answer: null, isUnanswered };
  }
}

function isUnanswered(outcome: StatementOutcome): boolean {
  return outcome.status === "differs" && outcome.isUnanswered === true;
}

/** Needs that this deployment, or whoever asks, does not meet. */
async function findUnmet(world: World, { credentials, issuer, mayRun }: ConformOptions): Promise<Set<Need>> {
  const unmet = new Set<Need>();
  if (credentials.other === null) unmet.add("another_account");
  if (credentials.ai === null) unmet.add("ai_client");
  if (credentials.empty === null) unmet.add("empty_account");
  if (credentials.capped === null) unmet.add("capped_account");
  if (issuer === null) unmet.add("issuer");
  if (!mayRun) unmet.add("runs");
  const made = await world.post("/v1/workspaces", { name: world.name("gate") });
  const id = member(made.json, "id");
  if (made.status !== 201 || typeof id !== "string") {
    for (const need of ["workspaces", "files", "closed_files", "signed_in"] as const) unmet.add(need);
    if (member(made.json, "code") !== "workspaces_not_admitted") unmet.add("closed_workspaces");
    return unmet;
  }
  unmet.add("closed_workspaces");
  const of = `/v1/workspaces/${id}`;
  const json = { path: "gate.txt", content: "open?\n" };
  const { status } = await world.ask({ method: "PUT", path: `${of}/files/write`, json });
  unmet.add(status === 403 ? "files" : "closed_files");
  await world.send("DELETE", of, undefined);
  if (!(await isSignedIn(world))) unmet.add("signed_in");
  return unmet;
}
