// agent-service repositories: the repositories that have an agent, across accounts, in the store itself.

import { type CommandGroup, command } from "./command.ts";
import { switchFlag, UsageError } from "./flags.ts";
import { operate } from "./operate.ts";
import { minute, printJson } from "./print.ts";
import { accountFlag, isoTime, printStoredPage, storedPageFlags } from "./stored-pages.ts";

const list = command({
  summary: "List the repositories that have an agent, newest first.",
  notes: ["A repository has one from its first job on. Without an account, nobody has claimed it."],
  flags: {
    ...storedPageFlags,
    account: accountFlag,
    unclaimed: switchFlag("Only those that no account has claimed."),
  },
  examples: ["repositories list", "repositories list --unclaimed --json"],
  run: async ({ flags }) => {
    const { account: accountId, unclaimed, before, limit } = flags;
    if (unclaimed && accountId !== null) {
      throw new UsageError("--account and --unclaimed exclude each other: give one of them.");
    }
    return await operate(flags, async ({ operator }) => {
      const of = unclaimed ? "unclaimed" : "repositories";
      const agents = await operator.lists.agents({ accountId, of, before, limit });
      const rows = agents.flatMap((agent) =>
        agent.repository === null ? [] : [{ ...agent, repository: agent.repository }],
      );
      if (flags.json) {
        printJson(
          rows.map(({ id, accountId: claimedBy, repository, createdAt }) => ({
            agent_id: id,
            provider: repository.provider,
            issuer: repository.issuer,
            repository_id: repository.id,
            owner_id: repository.ownerId,
            name: repository.name,
            visibility: repository.visibility,
            account_id: claimedBy,
            created_at: isoTime(createdAt),
          })),
        );
        return 0;
      }
      printStoredPage({
        rows,
        limit,
        none: `There are no such repositories in ${operator.place}.`,
        head: ["AGENT", "PROVIDER", "NAME", "VISIBILITY", "CLAIMED BY", "SINCE"],
        cells: ({ id, accountId: claimedBy, repository, createdAt }) => [
          id,
          repository.provider,
          repository.name,
          repository.visibility,
          claimedBy ?? "-",
          minute(createdAt),
        ],
      });
      return 0;
    });
  },
});

export const repositories: CommandGroup = {
  summary: "The repositories that have an agent, across accounts, in the store itself.",
  commands: { list },
};
