// agent-service operators: who may open the operator's pages, in the store itself. Only whoever is on the machine makes a link.

import { type CommandGroup, command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { anyText, argument } from "./flags.ts";
import { operate, storeFlags } from "./operate.ts";
import { minute, printJson, printTable } from "./print.ts";
import { isoTime } from "./stored-pages.ts";

const link = command({
  summary: "Print a link that registers one operator with a passkey, once and within 15 minutes.",
  notes: [
    "Whoever opens it first becomes an operator, who sees every account, run and setting of the service: give it to nobody else.",
  ],
  flags: storeFlags,
  examples: ["operators link"],
  run: async ({ flags }) =>
    await operate(flags, async ({ operator, service }) => {
      const made = await operator.makeOperatorLink();
      const url = `${service.pagesUrl}/operator/link/${made.token}`;
      const expiresAt = isoTime(made.expiresAt);
      if (flags.json) {
        printJson({ url, expires_at: expiresAt });
        return 0;
      }
      process.stdout.write(
        `To become an operator of this service, once and until ${expiresAt}:\n\n    ${url}\n\n`,
      );
      if (service.advice !== null) process.stdout.write(service.advice);
      if (!service.isRunning) process.stdout.write("No service runs on this data folder yet.\n");
      return 0;
    }),
});

const list = command({
  summary: "List the operators who sign in with a passkey, oldest first.",
  notes: ["Those who sign in with an identity are in the setting OPERATOR_IDENTITIES."],
  flags: storeFlags,
  examples: ["operators list", "operators list --json"],
  run: async ({ flags }) =>
    await operate(flags, async ({ operator }) => {
      const found = await operator.listOperators();
      if (flags.json) {
        printJson(
          found.map(({ id, name, createdAt, lastUsedAt }) => ({
            id,
            name,
            created_at: isoTime(createdAt),
            last_used_at: isoTime(lastUsedAt),
          })),
        );
        return 0;
      }
      if (found.length === 0) {
        process.stderr.write(
          `No operator has a passkey in ${operator.place}. "agent-service operators link" makes a link that registers one.\n`,
        );
        return 0;
      }
      const cells = found.map(({ id, name, createdAt, lastUsedAt }) => [
        id,
        name,
        minute(createdAt),
        minute(lastUsedAt),
      ]);
      printTable(["ID", "NAME", "CREATED", "LAST USED"], cells);
      return 0;
    }),
});

const remove = command({
  summary: "Remove an operator: their passkey signs nobody in any more, and their sessions end at once.",
  arguments: { operator: argument(anyText, 'The operator\'s id, as "operators list" shows it.') },
  flags: storeFlags,
  examples: ["operators remove <id>"],
  run: async ({ arguments: { operator: id }, flags }) =>
    await operate(flags, async ({ operator }) => {
      const removed = await operator.removeOperator(id);
      if (removed === null)
        throw new CommandError(
          `There is no operator "${id}" in ${operator.place}. "agent-service operators list" shows them.`,
        );
      if (flags.json) printJson({ id: removed.id, name: removed.name });
      else process.stdout.write(`Removed operator ${removed.id}.\n`);
      return 0;
    }),
});

export const operators: CommandGroup = {
  summary: "Who may open the operator's pages, in the store itself.",
  commands: { link, list, remove },
};
