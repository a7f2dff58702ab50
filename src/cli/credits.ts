// agent-service credits: the balance of the key's account, over the API; `credits grant` is the operator's.

import type { Client } from "../client/client.ts";
import { openClient, serviceFlags } from "./account.ts";
import { readFlags, takeArguments, UsageError } from "./flags.ts";
import { printFields, printJson } from "./print.ts";

/** Resolves to the exit code. Throws UsageError or CommandError, or as the client does. */
export async function credits(args: readonly string[]): Promise<number> {
  if (args[0] === "grant") {
    const { grantCredits } = await import("./credits-grant.ts");
    return await grantCredits(args.slice(1));
  }
  const { values, positionals } = readFlags(args, { ...serviceFlags, account: { type: "string" } });
  takeArguments("credits", positionals);
  const client = openClient(values);
  const userId = values.account ?? (await ownAccountId(client));
  const found = await client.credits.get({ userId });
  if (values.json === true) printJson(found);
  else {
    printFields({
      balance: `${found.balance} credits`,
      plan: found.active_plan?.sku ?? found.audience,
      account: userId,
    });
    if (found.balance <= found.low_credit_threshold) {
      process.stderr.write(`That is low: ${found.low_credit_threshold} credits or less.\n`);
    }
  }
  return 0;
}

/** A key does not say whose it is; the agents that it shows do. */
async function ownAccountId(client: Client): Promise<string> {
  const [agent] = await client.agents.list({ query: { include_independent: true } });
  if (agent !== undefined) return agent.user_id;
  throw new UsageError(
    '--account is missing, and no agent tells whose the key is: give the account id that "agent-service keys create" printed.',
  );
}
