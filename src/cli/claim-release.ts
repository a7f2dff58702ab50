// agent-service claim release: an operator gives a repository's agent back, in the store itself.

import { assertNever } from "../base/assert-never.ts";
import { CommandError } from "./command-error.ts";
import { readFlags, takeArguments } from "./flags.ts";
import { operate, storeFlags } from "./operate.ts";
import { printJson, printText } from "./print.ts";

/** Resolves to the exit code. Throws UsageError or CommandError. */
export async function releaseClaim(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, storeFlags);
  const [agentId = ""] = takeArguments("claim release <agent>", positionals);
  return await operate(values, async ({ operator }) => {
    const done = await operator.releaseClaim(agentId);
    if (!done.ok) throw new CommandError(refusalText(done.refusal, operator.place));
    const { repository, accountId, cancelledSchedules } = done.value;
    if (values.json === true) {
      printJson({
        agent_id: agentId,
        repository: repository.name,
        account_id: accountId,
        cancelled_schedules: cancelledSchedules,
      });
    } else {
      printText(
        `The agent of ${repository.name} is not account ${accountId}'s any more, its workflows are not active, and ${cancelledSchedules} of its schedules were cancelled. Its next job prints a claim link when it needs a billing account.`,
      );
    }
    return 0;
  });
}

type Refusal = {
  readonly reason: "agent_not_found" | "agent_without_repository" | "agent_unclaimed";
  readonly agentId: string;
};

function refusalText({ reason, agentId }: Refusal, place: string): string {
  switch (reason) {
    case "agent_not_found":
      return `There is no agent "${agentId}" in ${place}. "agent-service agents list" shows an account's.`;
    case "agent_without_repository":
      return `Agent ${agentId} was made by name, not claimed: there is nobody to give it back to.`;
    case "agent_unclaimed":
      return `Agent ${agentId} belongs to no account: there is no claim to release.`;
    default:
      return assertNever(reason);
  }
}
