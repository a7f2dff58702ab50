// agent-service credits: the balance of the key's account, over the API; `credits grant` is the operator's, in the store.

import { integer, text } from "../base/settings/kinds.ts";
import type { Client } from "../client/client.ts";
import { plural } from "../render/quantities.ts";
import { openClient, serviceFlags } from "./account.ts";
import { command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { anyText, argument, requiredFlag, UsageError, valueFlag } from "./flags.ts";
import { noAccountText, operate, storeFlags } from "./operate.ts";
import { printFields, printJson } from "./print.ts";

/** The bound of one grant: a slip of the hand is to be noticed. */
const MAX_GRANT_CREDITS = 100_000_000;

const grant = command({
  summary: "Give an account credits. Each time gives again.",
  arguments: {
    credits: argument(integer({ min: 1, max: MAX_GRANT_CREDITS }), "How many credits."),
  },
  flags: {
    ...storeFlags,
    account: requiredFlag({
      kind: text("an account's id"),
      takes: "<id>",
      description: "The account that gets them.",
    }),
  },
  examples: ["credits grant 500 --account <id>"],
  run: async ({ arguments: { credits }, flags }) =>
    await operate(flags, async ({ operator }) => {
      const accountId = flags.account;
      const isGranted = await operator.grant({ accountId, credits });
      if (!isGranted) throw new CommandError(noAccountText(accountId, operator.place));
      if (flags.json) printJson({ account_id: accountId, granted: credits });
      else process.stdout.write(`Account ${accountId} has ${plural(credits, "more credit")}.\n`);
      return 0;
    }),
});

export const credits = command({
  summary: "Show the balance of an account.",
  flags: {
    ...serviceFlags,
    account: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<id>",
      description: "The account.",
      shownDefault: "the key's, as its agents tell",
    }),
  },
  examples: ["credits", "credits --account <id> --json"],
  commands: { grant },
  run: async ({ flags }) => {
    const client = openClient(flags);
    const userId = flags.account ?? (await ownAccountId(client));
    const found = await client.credits.get({ userId });
    if (flags.json) printJson(found);
    else {
      printFields({
        balance: plural(found.balance, "credit"),
        plan: found.active_plan?.sku ?? found.audience,
        account: userId,
      });
      if (found.balance <= found.low_credit_threshold) {
        process.stderr.write(`That is low: ${plural(found.low_credit_threshold, "credit")} or less.\n`);
      }
    }
    return 0;
  },
});

/** A key does not say whose it is; the agents that it shows do. */
async function ownAccountId(client: Pick<Client, "agents">): Promise<string> {
  const [agent] = await client.agents.list({ query: { include_independent: true } });
  if (agent !== undefined) return agent.user_id;
  throw new UsageError(
    '--account is missing, and no agent tells whose the key is: give the account id that "agent-service keys create" printed.',
  );
}
