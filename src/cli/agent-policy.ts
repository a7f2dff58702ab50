// agent-service agents policy: which CI jobs may run a repository's agent, over the API.

import { type CiPolicy, type CiPolicyRule, ciPolicyRules } from "../contract/agents/ci-policy.ts";
import { openClient, serviceFlags } from "./account.ts";
import { CommandError } from "./command-error.ts";
import { readFlags, takeArguments } from "./flags.ts";
import { printFields, printJson } from "./print.ts";

const listFlags = {
  "allow-event": { type: "string", multiple: true },
  "allow-ref": { type: "string", multiple: true },
  "allow-workflow": { type: "string", multiple: true },
  "allow-actor": { type: "string", multiple: true },
} as const;

/**
 * Shows the policy, or sets the lists that flags are given for and leaves the others: to name events must not open
 * refs. Resolves to the exit code. Throws UsageError or CommandError, or as the client does.
 */
export async function policy(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, {
    ...serviceFlags,
    ...listFlags,
    clear: { type: "boolean" },
  });
  const [agentId = ""] = takeArguments("agents policy <agent>", positionals);
  const given: CiPolicy = {
    ...(values["allow-event"] === undefined ? {} : { events: values["allow-event"] }),
    ...(values["allow-ref"] === undefined ? {} : { refs: values["allow-ref"] }),
    ...(values["allow-workflow"] === undefined ? {} : { workflows: values["allow-workflow"] }),
    ...(values["allow-actor"] === undefined ? {} : { actors: values["allow-actor"] }),
  };
  const client = openClient(values);
  const isSet = Object.keys(given).length > 0;
  const isCleared = values.clear === true;
  let agent = isCleared ? null : await client.agents.get({ agentId });
  if (isSet || isCleared) {
    const before = isCleared ? null : agent?.ci_policy;
    const body = { ci_policy: isSet ? { ...before, ...given } : null };
    agent = await client.agents.update({ agentId, body });
  }
  if (agent?.ci_policy === undefined) {
    throw new CommandError(
      `Agent ${agentId} has no repository, so that no CI job runs it and it has no policy.`,
    );
  }
  if (values.json === true) printJson(agent.ci_policy);
  else printPolicy(agent.ci_policy);
  return 0;
}

function printPolicy(policy: CiPolicy | null): void {
  if (policy === null) process.stdout.write("Every CI job of the repository may run the agent.\n");
  else {
    const words = (rule: CiPolicyRule) => policy[rule]?.join(", ") ?? "any";
    printFields(Object.fromEntries(ciPolicyRules.map((rule) => [rule, words(rule)])));
  }
}
