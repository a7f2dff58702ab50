// agent-service claim: claims the agent of the repository that a claim link names, over the API; `claim release` is the
// operator's, in the store.

import { assertNever } from "../base/assert-never.ts";
import { kind } from "../base/settings/setting.ts";
import { openClient, serviceFlags } from "./account.ts";
import { agentArgument, findStoredAgentId } from "./agent-name.ts";
import { command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { argument } from "./flags.ts";
import { operate, storeFlags } from "./operate.ts";
import { printFields, printJson, printText } from "./print.ts";

/** Its value is the token: the link's host is not called, as the key is for the service alone. */
const claimLink = {
  ...kind(
    "a claim link, https://…/claim/svc_claim_…",
    (text) => /(?:^|\/claim\/)(svc_claim_[\w-]+)\/?$/.exec(text)?.[1],
  ),
  isSecret: true,
};

const release = command({
  summary: "Take a repository's agent from the account that claimed it.",
  arguments: { agent: agentArgument },
  flags: storeFlags,
  examples: ["claim release <agent>"],
  run: async ({ arguments: { agent }, flags }) =>
    await operate(flags, async ({ operator }) => {
      const agentId = await findStoredAgentId(operator, agent);
      const done = await operator.releaseClaim(agentId);
      if (!done.ok) throw new CommandError(refusalText(done.refusal, operator.place));
      const { repository, accountId, cancelledSchedules } = done.value;
      if (flags.json) {
        printJson({
          agent_id: agentId,
          repository: repository.name,
          account_id: accountId,
          cancelled_schedules: cancelledSchedules,
        });
      } else {
        printText(
          `The agent of ${repository.name} is not account ${accountId}'s any more. Its workflows are not active. Schedules cancelled: ${cancelledSchedules}. Its next job prints a claim link when it needs a billing account.`,
        );
      }
      return 0;
    }),
});

export const claim = command({
  summary: "Claim the repository of a claim link for the key's account.",
  arguments: { url: argument(claimLink, "The claim link that a job printed, or its last part.") },
  flags: serviceFlags,
  examples: ["claim https://agents.example.com/claim/svc_claim_…"],
  commands: { release },
  run: async ({ arguments: { url: token }, flags }) => {
    const claimed = await openClient(flags).claims.create({ body: { claim: token } });
    if (flags.json) {
      printJson(claimed);
      return 0;
    }
    const { repository, agent_id, status, expires_at } = claimed;
    printFields({ repository: repository.name, agent: agent_id, status, "to accept until": expires_at });
    if (status === "pending") {
      process.stderr.write(
        'The repository has yet to accept it: give its workflow the input "account" with your account id, and let it run on a push or by hand.\n',
      );
    }
    return 0;
  },
});

type Refusal = { readonly agentId: string } & (
  | { readonly reason: "agent_not_found" | "agent_without_repository" | "agent_unclaimed" }
  | { readonly reason: "manager_in_use"; readonly workspaceIds: readonly string[] }
);

function refusalText(refusal: Refusal, place: string): string {
  const { agentId } = refusal;
  switch (refusal.reason) {
    case "agent_not_found":
      return `There is no agent "${agentId}" in ${place}. "agent-service agents list" shows an account's.`;
    case "agent_without_repository":
      return `Agent ${agentId} was made by name, not claimed: there is nobody to give it back to.`;
    case "agent_unclaimed":
      return `Agent ${agentId} belongs to no account: there is no claim to release.`;
    case "manager_in_use":
      return `Agent ${agentId} manages the workspaces ${refusal.workspaceIds.join(", ")}: their account has to choose another manager first.`;
    default:
      return assertNever(refusal);
  }
}
