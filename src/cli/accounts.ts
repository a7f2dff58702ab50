// agent-service accounts: an operator lists and names accounts, lists their agents and runs, and makes sign-in links, in the store itself.

import { oneOf } from "../base/settings/kinds.ts";
import { kind } from "../base/settings/setting.ts";
import { accountNameSchema, MAX_ACCOUNT_NAME_CHARS } from "../contract/account.ts";
import { runStatuses } from "../contract/runs/run.ts";
import { findStoredAgentId } from "./agent-name.ts";
import { type CommandGroup, command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { anyText, argument, valueFlag } from "./flags.ts";
import { noAccountText, operate, storeFlags } from "./operate.ts";
import { minute, printFields, printJson } from "./print.ts";
import { accountFlag, isoTime, printStoredPage, storedPageFlags } from "./stored-pages.ts";

const accountArgument = argument(anyText, 'The account\'s id, as "accounts list" shows it.');

const list = command({
  summary: "List accounts, newest first.",
  flags: {
    ...storedPageFlags,
    text: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<text>",
      description: "Only accounts whose name or id contains this, in any case.",
    }),
  },
  examples: ["accounts list", 'accounts list --text "platform"', "accounts list --limit 10 --json"],
  run: async ({ flags }) =>
    await operate(flags, async ({ operator }) => {
      const { text, before, limit } = flags;
      const found = await operator.lists.accounts({ text, before, limit });
      if (flags.json) {
        printJson(
          found.map(({ account, signedInAt, agents, balance }) => ({
            id: account.id,
            name: account.name,
            plan: account.plan,
            created_at: isoTime(account.createdAt),
            signed_in_at: isoTime(signedInAt),
            agents,
            balance,
          })),
        );
        return 0;
      }
      printStoredPage({
        rows: found.map((one) => ({ ...one, id: one.account.id })),
        limit,
        none:
          text === null
            ? `There are no accounts in ${operator.place}. "agent-service keys create" opens one.`
            : `There are no such accounts in ${operator.place}.`,
        head: ["ID", "NAME", "PLAN", "CREATED", "SIGNED IN", "AGENTS", "BALANCE"],
        cells: ({ account, signedInAt, agents, balance }) => [
          account.id,
          account.name ?? "-",
          account.plan,
          minute(account.createdAt),
          minute(signedInAt),
          String(agents),
          String(balance),
        ],
      });
      return 0;
    }),
});

const agents = command({
  summary: "List the agents of all accounts, newest first.",
  flags: { ...storedPageFlags, account: accountFlag },
  examples: ["accounts agents", "accounts agents --account <id> --json"],
  run: async ({ flags }) =>
    await operate(flags, async ({ operator }) => {
      const { account: accountId, before, limit } = flags;
      const rows = await operator.lists.agents({ accountId, of: "all", before, limit });
      if (flags.json) {
        printJson(
          rows.map((agent) => ({
            id: agent.id,
            account_id: agent.accountId,
            name: agent.name,
            model: agent.model,
            repository: agent.repository?.name ?? null,
            created_at: isoTime(agent.createdAt),
            retired_at: isoTime(agent.retiredAt),
          })),
        );
        return 0;
      }
      printStoredPage({
        rows,
        limit,
        none: `There are no such agents in ${operator.place}.`,
        head: ["ID", "ACCOUNT", "NAME", "MODEL", "REPOSITORY", "CREATED", "RETIRED"],
        cells: (agent) => [
          agent.id,
          agent.accountId ?? "-",
          agent.name,
          agent.model ?? "-",
          agent.repository?.name ?? "-",
          minute(agent.createdAt),
          minute(agent.retiredAt),
        ],
      });
      return 0;
    }),
});

const runs = command({
  summary: "List the runs of all accounts, newest first.",
  flags: {
    ...storedPageFlags,
    account: accountFlag,
    agent: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<agent>",
      description: "Only runs of this agent, by its id or its name.",
    }),
    status: valueFlag({
      kind: oneOf(runStatuses),
      fallback: null,
      takes: "<status>",
      description: "Only runs with this status.",
    }),
  },
  examples: ["accounts runs --status running", "accounts runs --agent helper --limit 5 --json"],
  run: async ({ flags }) =>
    await operate(flags, async ({ operator }) => {
      const { account: accountId, agent, status, before, limit } = flags;
      const agentId = agent === null ? null : await findStoredAgentId(operator, agent);
      const found = await operator.lists.runs({ accountId, agentId, status, before, limit });
      if (flags.json) {
        printJson(
          found.map(({ run, agentName, accountId: owner, credits }) => ({
            id: run.id,
            agent_id: run.agentId,
            agent: agentName,
            account_id: owner,
            session_id: run.sessionId,
            status: run.status,
            cause: run.cause,
            origin: run.origin,
            submitted_at: isoTime(run.submittedAt),
            started_at: isoTime(run.startedAt),
            ended_at: isoTime(run.endedAt),
            credits,
          })),
        );
        return 0;
      }
      printStoredPage({
        rows: found.map((one) => ({ ...one, id: one.run.id })),
        limit,
        none: `There are no such runs in ${operator.place}.`,
        head: ["ID", "STATUS", "CAUSE", "ORIGIN", "AGENT", "ACCOUNT", "SUBMITTED", "CREDITS"],
        cells: ({ run, agentName, accountId: owner, credits }) => [
          run.id,
          run.status,
          run.cause ?? "-",
          run.origin,
          agentName,
          owner ?? "-",
          minute(run.submittedAt),
          String(credits),
        ],
      });
      return 0;
    }),
});

const signInLink = command({
  summary: "Print a link that signs its holder in to an account's pages, once and within 15 minutes.",
  notes: ["Whoever opens it first is the account's owner in that browser: give it to nobody else."],
  arguments: { account: accountArgument },
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
      if (service.advice !== null) process.stdout.write(service.advice);
      if (!service.isRunning) process.stdout.write("No service runs on this data folder yet.\n");
      return 0;
    }),
});

const accountName = kind(
  `one line of 1 to ${MAX_ACCOUNT_NAME_CHARS} characters, none of them hidden`,
  (given) => accountNameSchema.safeParse(given).data,
);

const name = command({
  summary: "Name an account, for its people, on their pages and in the operator's lists.",
  notes: ["Its owners and admins can change the name under Settings, Account."],
  arguments: {
    account: accountArgument,
    name: argument(accountName, "What its people call it."),
  },
  flags: storeFlags,
  examples: ['accounts name <account> "Platform team"'],
  run: async ({ arguments: { account: accountId, name: given }, flags }) =>
    await putName(flags, { accountId, name: given }),
});

const unname = command({
  summary: "Take an account's name away: pages show its id.",
  arguments: { account: accountArgument },
  flags: storeFlags,
  examples: ["accounts unname <account>"],
  run: async ({ arguments: { account: accountId }, flags }) =>
    await putName(flags, { accountId, name: null }),
});

async function putName(
  flags: { readonly "data-dir": string | null; readonly json: boolean },
  named: { readonly accountId: string; readonly name: string | null },
): Promise<number> {
  return await operate(flags, async ({ operator }) => {
    const account = await operator.nameAccount(named);
    if (account === null) throw new CommandError(noAccountText(named.accountId, operator.place));
    if (flags.json) printJson({ account_id: account.id, name: account.name });
    else printFields({ account: account.id, name: account.name ?? "none" });
    return 0;
  });
}

export const accounts: CommandGroup = {
  summary: "Accounts, their agents and runs, in the store itself.",
  commands: { list, name, unname, agents, runs, "sign-in-link": signInLink },
};
