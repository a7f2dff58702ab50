// agent-service credits grant: an operator gives an account credits, in the store itself.

import { CommandError } from "./command-error.ts";
import { readFlags, readWholeNumber, takeArguments, UsageError } from "./flags.ts";
import { noAccountText } from "./keys.ts";
import { operate, storeFlags } from "./operate.ts";
import { printJson } from "./print.ts";

/** What one grant may be: a slip of the hand is to be noticed. */
const MAX_GRANT_CREDITS = 100_000_000;

/** Resolves to the exit code. Throws UsageError or CommandError. Not safe to repeat: each time gives again. */
export async function grantCredits(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, { ...storeFlags, account: { type: "string" } });
  const [text = ""] = takeArguments("credits grant <credits>", positionals);
  const credits = readWholeNumber(text, { name: "<credits>", min: 1, max: MAX_GRANT_CREDITS }) ?? 0;
  const accountId = values.account;
  if (accountId === undefined) throw new UsageError("--account is missing: whose credits are they to be?");
  return await operate(values, async ({ operator }) => {
    const isGranted = await operator.grant({ accountId, credits });
    if (!isGranted) throw new CommandError(noAccountText(accountId, operator.place));
    if (values.json === true) printJson({ account_id: accountId, granted: credits });
    else process.stdout.write(`Account ${accountId} has ${credits} more credits.\n`);
    return 0;
  });
}
