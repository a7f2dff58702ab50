// docs/conclusions.md: every conclusion and reason of a step. Pure.

import { markdownTable } from "./markdown-table.ts";
import {
  clientTexts,
  declinedTexts,
  exchangeTexts,
  identityTexts,
  jobTexts,
  keptTexts,
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
/** These do not come to a job, or come with a reason of their own. */
const otherRoutes = [
  "insufficient_credits",
  "run_finished",
  "already_claimed",
  "owner_needed",
  "schedule_not_confirmable",
  "agent_cap_reached",
  "upgrade_required",
  "precondition_failed",
  "range_not_satisfiable",
];

export function conclusionsPage(): string {
  const own = (...names: (keyof typeof jobTexts)[]): Rows => names.map((name) => [name, jobTexts[name]]);
  return `# Conclusions and reasons

The output \`conclusion\` says how a step ended, \`reason\` says why, in one stable word. The input \`fail-on\` names the
conclusions that fail the step: \`failure,quota\` by default, and for the command \`failure,quota,cancelled\`. A service that
is newer than the Action may send a reason that is not listed here.

## success

${table(own("completed", "run_cancelled", "nothing_to_cancel", "examined"))}

A run that stopped early at a bound of its own (tokens, turns, the model's output length) is a \`success\` too, in this
version.

## quota

Nobody pays for the run.

${table(rowsOf(quotaTexts))}

## cancelled

${table([...own("user_stop"), ...only(runTexts, cancelledCauses).filter(([name]) => name !== "user_stop")])}

## detached

${table(own("detached"))}

## skipped

Nothing ran, and nothing is wrong. A notice says why.

${table([...only(identityTexts, skippedIdentities), ...without(declinedTexts, [...declinedFaults, ...skippedIdentities])])}

## failure

### The run failed

${table([...without(runTexts, cancelledCauses), ...own("timeout", "idle_timeout")])}

### The run completed, and its changes did not arrive

They are in the output \`patch-file\`.

${table(rowsOf(keptTexts))}

### The step is set up wrongly

${table([...rowsOf(stepTexts), ...rowsOf(promptFileTexts), ...only(declinedTexts, declinedFaults), ...own("faults_found")])}

### The job has no identity

${table(without(identityTexts, skippedIdentities))}

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
