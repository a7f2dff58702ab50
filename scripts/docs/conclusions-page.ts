// docs/conclusions.md: every conclusion and reason of a step. Pure.

import { markdownTable } from "./markdown-table.ts";
import {
  boundTexts,
  clientTexts,
  declinedTexts,
  exchangeTexts,
  federationTexts,
  identityTexts,
  jobTexts,
  keptTexts,
  parkedTexts,
  problemTexts,
  promptFileTexts,
  quotaTexts,
  runTexts,
  stepTexts,
} from "./reason-texts.ts";

type Rows = readonly (readonly [reason: string, meaning: string])[];

/** Reasons of refused requests that fail the step; for the others nothing is wrong, and it is skipped. */
const declinedFaults = ["event_refused", "event_unreadable", "code_host_refused", "code_host_unavailable"];
/** Of an identity that is missing by design. */
const skippedIdentities = ["fork_pull_request", "dependabot"];
/** What ends a run as cancelled. */
const cancelledCauses = ["user_stop", "agent_deleted"];
/** What cuts a run that the service then reports as failed. */
const cutCauses = ["time_limit"];
/** These do not come to a job, or come with a reason of their own. */
const otherRoutes = [
  "insufficient_credits",
  "run_finished",
  "run_identity_off",
  "run_not_at_work",
  "run_unfinished",
  "delivery_reported",
  "already_claimed",
  "owner_needed",
  "schedule_not_confirmable",
  "agent_cap_reached",
  "workspace_cap_reached",
  "upgrade_required",
  "precondition_failed",
  "range_not_satisfiable",
];

export function conclusionsPage(): string {
  const own = (...names: (keyof typeof jobTexts)[]): Rows => names.map((name) => [name, jobTexts[name]]);
  return `# Conclusions and reasons

The output \`conclusion\` says how a step ended, \`reason\` says why, in one stable word. The input \`fail-on\` names the
conclusions that fail the step: \`failure,quota,incomplete\` by default, and for the command
\`failure,quota,incomplete,cancelled\`. A service that is newer than the Action may send a reason that is not listed here.

## success

${table(own("completed", "question", "run_cancelled", "nothing_to_cancel", "examined"))}

## incomplete

The run was cut at a bound, before its work was done. With \`changes: commit\` or \`pull-request\` nothing of it is pushed: its
changes are in the output \`patch-file\`. No findings are published.

${table([...rowsOf(boundTexts), ...rowsOf(parkedTexts), ...own("timeout", "idle_timeout"), ...only(runTexts, cutCauses)])}

## quota

Nobody pays for the run.

${table(rowsOf(quotaTexts))}

## cancelled

${table([...own("user_stop"), ...only(runTexts, cancelledCauses).filter(([name]) => name !== "user_stop")])}

## detached

${table(own("detached"))}

## skipped

No agent did what was asked for, and nothing is wrong. A notice says why.

${table([...own("no_model"), ...only(identityTexts, skippedIdentities), ...without(declinedTexts, [...declinedFaults, ...skippedIdentities])])}

## failure

### The run failed

${table(without(runTexts, [...cancelledCauses, ...cutCauses]))}

### The run completed, and its changes did not arrive

They are in the output \`patch-file\`.

${table(rowsOf(keptTexts))}

### The step is set up wrongly

${table([...rowsOf(stepTexts), ...rowsOf(promptFileTexts), ...only(declinedTexts, declinedFaults), ...own("faults_found")])}

### The job has no identity

${table(without(identityTexts, skippedIdentities))}

### The model's provider gave no token

For a job that has [no key of its model](keyless-models.md).

${table(rowsOf(federationTexts))}

### The service refused the job's identity

${table(rowsOf(exchangeTexts))}

### The service refused the request

${table(without(problemTexts, otherRoutes))}

### The service cannot be reached, or answers something else

${table([...own("service_unavailable", "internal_error"), ...without(clientTexts, ["connection_failed", "timed_out"])])}
`;
}

function rowsOf(texts: Readonly<Record<string, string>>): Rows {
  return Object.entries(texts);
}

function only(texts: Readonly<Record<string, string>>, names: readonly string[]): Rows {
  return rowsOf(texts).filter(([name]) => names.includes(name));
}

function without(texts: Readonly<Record<string, string>>, names: readonly string[]): Rows {
  return rowsOf(texts).filter(([name]) => !names.includes(name));
}

function table(rows: Rows): string {
  return markdownTable(
    ["Reason", "Meaning"],
    rows.map(([reason, meaning]) => [`\`${reason}\``, meaning]),
  );
}
