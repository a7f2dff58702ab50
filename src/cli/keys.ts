// agent-service keys: an operator makes, lists and revokes the keys of accounts, in the store itself.

import { oneOf } from "../base/settings/kinds.ts";
import { kind } from "../base/settings/setting.ts";
import { type ApiKey, type KeyOwner, type Plan, plans } from "../service/operator/operator.ts";
import { type CommandGroup, command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { anyText, argument, switchFlag, UsageError, valueFlag } from "./flags.ts";
import { noAccountText, operate, type ServiceAddress, storeFlags } from "./operate.ts";
import { minute, printJson, printTable } from "./print.ts";

const MAX_NAME_CHARS = 100;
const keyName = kind(`text of at most ${MAX_NAME_CHARS} characters`, (text) =>
  text.length <= MAX_NAME_CHARS ? text : undefined,
);

const create = command({
  summary: "Open an account and make its first key, or make a key for an account.",
  flags: {
    ...storeFlags,
    account: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<id>",
      description: "The account that gets the key.",
      shownDefault: "a new one",
    }),
    plan: valueFlag({
      kind: oneOf(plans),
      fallback: null,
      takes: "<plan>",
      description: "The plan of a new account.",
      shownDefault: "registered_free",
    }),
    name: valueFlag({
      kind: keyName,
      fallback: "",
      takes: "<text>",
      description: "What to call the key.",
    }),
    "ai-client": switchFlag("Make a key for an AI client, which may not confirm or activate."),
  },
  examples: ["keys create --data-dir /var/lib/agent-service", "keys create --account <id> --ai-client"],
  run: async ({ flags }) => {
    const owner = readOwner(flags);
    const callerClass = flags["ai-client"] ? "ai_client" : "owner";
    return await operate(flags, async ({ operator, service }) => {
      const made = await operator.createKey({ owner, callerClass, name: flags.name });
      if (!made.ok) throw new CommandError(noAccountText(flags.account ?? "", operator.place));
      const { key, secret } = made.value;
      if (flags.json) printJson({ ...shown(key), secret });
      else process.stdout.write(welcome({ key, secret, service, place: operator.place }));
      return 0;
    });
  },
});

const list = command({
  summary: "List keys, without their secrets.",
  flags: {
    ...storeFlags,
    account: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<id>",
      description: "Only the keys of this account.",
    }),
  },
  examples: ["keys list", "keys list --account <id> --json"],
  run: async ({ flags }) =>
    await operate(flags, async ({ operator }) => {
      const found = await operator.listKeys(flags.account);
      if (flags.json) printJson(found.map(shown));
      else if (found.length === 0) {
        process.stderr.write(
          `There are no keys in ${operator.place}. "agent-service keys create" makes one.\n`,
        );
      } else {
        printTable(
          ["ID", "ACCOUNT", "CLASS", "NAME", "KEY", "CREATED", "LAST USED", "REVOKED"],
          found.map((key) => [
            key.id,
            key.accountId,
            key.callerClass,
            key.name,
            `…${key.hint}`,
            minute(key.createdAt),
            minute(key.lastUsedAt),
            minute(key.revokedAt),
          ]),
        );
      }
      return 0;
    }),
});

const revoke = command({
  summary: "End a key at once.",
  arguments: { "key-id": argument(anyText, 'The key\'s id, as "keys list" shows it.') },
  flags: storeFlags,
  examples: ["keys revoke <key-id>"],
  run: async ({ arguments: { "key-id": id }, flags }) =>
    await operate(flags, async ({ operator }) => {
      const revoked = await operator.revokeKey(id);
      if (!revoked.ok && revoked.refusal === "key_not_found") {
        throw new CommandError(
          `There is no key "${id}" in ${operator.place}. "agent-service keys list" shows the ids.`,
        );
      }
      if (flags.json) printJson({ id, revoked: true });
      else process.stdout.write(`Key ${id} ${revoked.ok ? "is revoked." : "was revoked before."}\n`);
      return 0;
    }),
});

export const keys: CommandGroup = {
  summary: "The keys of accounts, in the store itself.",
  commands: { create, list, revoke },
};

function readOwner({ account, plan }: { account: string | null; plan: Plan | null }): KeyOwner {
  if (account === null) return { plan: plan ?? "registered_free" };
  if (plan === null) return { accountId: account };
  throw new UsageError("--plan is for a new account: leave it out, or leave out --account.");
}

/** A key as JSON, with the API's spelling. Its hash stays in the store. */
function shown(key: ApiKey) {
  return {
    id: key.id,
    account_id: key.accountId,
    caller_class: key.callerClass,
    name: key.name,
    hint: key.hint,
    created_at: new Date(key.createdAt).toISOString(),
    last_used_at: key.lastUsedAt === null ? null : new Date(key.lastUsedAt).toISOString(),
    revoked_at: key.revokedAt === null ? null : new Date(key.revokedAt).toISOString(),
  };
}

function welcome(made: {
  readonly key: ApiKey;
  readonly secret: string;
  readonly service: ServiceAddress;
  readonly place: string;
}): string {
  const { key, secret, service, place } = made;
  const holder =
    key.callerClass === "owner" ? "its owner" : "an AI client, which may not confirm or activate";
  return `Key ${key.id} of account ${key.accountId}, for ${holder}, in ${place}:

    ${secret}

It is not shown again. ${service.isRunning ? "To use it" : "No service runs on this data folder. To use it, once the service listens there"}:

    export AGENT_SERVICE_URL=${service.url}
    export AGENT_SERVICE_KEY=<the key above>
    curl -H "Authorization: Bearer $AGENT_SERVICE_KEY" "$AGENT_SERVICE_URL/v1/users/${key.accountId}/credits"
${service.advice === null ? "" : `\n${service.advice}`}`;
}
