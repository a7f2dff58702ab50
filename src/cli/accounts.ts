// agent-service accounts: what an operator does for the people of an account, in the store itself.

import { type CommandGroup, command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { anyText, argument } from "./flags.ts";
import { noAccountText, operate, storeFlags } from "./operate.ts";
import { printJson } from "./print.ts";

const signInLink = command({
  summary: "Print a link that signs its holder in to an account's pages, once and within 15 minutes.",
  notes: ["Whoever opens it first is the account's owner in that browser: give it to nobody else."],
  arguments: { account: argument(anyText, 'The account\'s id, as "keys list" shows it.') },
  flags: storeFlags,
  examples: ["accounts sign-in-link <account>"],
  run: async ({ arguments: { account: accountId }, flags }) =>
    await operate(flags, async ({ operator, service }) => {
      const made = await operator.makeSignInLink(accountId);
      if (made === null) throw new CommandError(noAccountText(accountId, operator.place));
      const url = `${service.pagesUrl}/sign-in/link/${made.token}`;
      const expiresAt = new Date(made.expiresAt).toISOString();
      if (flags.json) {
        printJson({ account_id: accountId, url, expires_at: expiresAt });
        return 0;
      }
      process.stdout.write(
        `To sign in to account ${accountId}, once and until ${expiresAt}:\n\n    ${url}\n\n`,
      );
      if (!service.isRunning) process.stdout.write("No service runs on this data folder yet.\n");
      return 0;
    }),
});

export const accounts: CommandGroup = {
  summary: "The people of accounts, in the store itself.",
  commands: { "sign-in-link": signInLink },
};
