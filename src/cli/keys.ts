// agent-service keys: an operator makes, lists and revokes the keys of accounts, in the store itself.

import { type ApiKey, type KeyOwner, type Plan, plans } from "../service/operator.ts";
import { CommandError } from "./command-error.ts";
import { readFlags, readOneOf, runVerb, takeArguments, UsageError } from "./flags.ts";
import { operate, storeFlags } from "./operate.ts";
import { printJson, printTable } from "./print.ts";

const MAX_NAME_CHARS = 100;

/** Resolves to the exit code. Throws UsageError or CommandError. */
export async function keys(args: readonly string[]): Promise<number> {
  return await runVerb("keys", { create, list, revoke }, args);
}

async function create(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, {
    ...storeFlags,
    account: { type: "string" },
    plan: { type: "string" },
    name: { type: "string" },
    "ai-client": { type: "boolean" },
  });
  takeArguments("keys create", positionals);
  const plan = readOneOf(values.plan, { name: "--plan", values: plans });
  const owner = readOwner({ account: values.account, plan });
  const name = (values.name ?? "").trim();
  if (name.length > MAX_NAME_CHARS) {
    throw new UsageError(`--name must be at most ${MAX_NAME_CHARS} characters, got ${name.length}.`);
  }
  const callerClass = values["ai-client"] === true ? "ai_client" : "owner";
  return await operate(values, async ({ operator, serviceUrl }) => {
    const made = await operator.createKey({ owner, callerClass, name });
    if (!made.ok) throw new CommandError(noAccountText(values.account ?? "", operator.place));
    const { key, secret } = made.value;
    if (values.json === true) printJson({ ...shown(key), secret });
    else process.stdout.write(welcome({ key, secret, serviceUrl, place: operator.place }));
    return 0;
  });
}

async function list(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, { ...storeFlags, account: { type: "string" } });
  takeArguments("keys list", positionals);
  return await operate(values, async ({ operator }) => {
    const found = await operator.listKeys(values.account ?? null);
    if (values.json === true) printJson(found.map(shown));
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
  });
}

async function revoke(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, storeFlags);
  const [id = ""] = takeArguments("keys revoke <key-id>", positionals);
  return await operate(values, async ({ operator }) => {
    const revoked = await operator.revokeKey(id);
    if (!revoked.ok && revoked.refusal === "key_not_found") {
      throw new CommandError(
        `There is no key "${id}" in ${operator.place}. "agent-service keys list" shows the ids.`,
      );
    }
    if (values.json === true) printJson({ id, revoked: true });
    else process.stdout.write(`Key ${id} ${revoked.ok ? "is revoked." : "was revoked before."}\n`);
    return 0;
  });
}

function readOwner(given: { account: string | undefined; plan: Plan | undefined }): KeyOwner {
  const { account, plan } = given;
  if (account === undefined) return { plan: plan ?? "registered_free" };
  if (plan === undefined) return { accountId: account };
  throw new UsageError("--plan is for a new account: leave it out, or leave out --account.");
}

/** What is said of an account that is not in the store. */
export function noAccountText(accountId: string, place: string): string {
  return `There is no account "${accountId}" in ${place}. "agent-service keys list" shows those that have a key.`;
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

function welcome(made: { key: ApiKey; secret: string; serviceUrl: string; place: string }): string {
  const { key, secret, serviceUrl, place } = made;
  const holder =
    key.callerClass === "owner" ? "its owner" : "an AI client, which may not confirm or activate";
  return `Key ${key.id} of account ${key.accountId}, for ${holder}, in ${place}:

    ${secret}

It is not shown again. To use it:

    export AGENT_SERVICE_URL=${serviceUrl}
    export AGENT_SERVICE_KEY=<the key above>
    curl -H "Authorization: Bearer $AGENT_SERVICE_KEY" "$AGENT_SERVICE_URL/v1/users/${key.accountId}/credits"
`;
}

/** To the minute (UTC), as exactly as the last use is known. */
function minute(ms: number | null): string {
  return ms === null ? "-" : `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")}Z`;
}
