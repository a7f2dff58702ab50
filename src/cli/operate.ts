// Opens the store for an operator's command, beside a serving process, and closes it.

import { resolve } from "node:path";
import { OperatorError } from "../base/operator-error.ts";
import { jobEnvironment } from "../ci/environment.ts";
import { hasStore, type Operator, openOperator } from "../service/operator/operator.ts";
import { type Config, readConfig } from "../service/settings/config.ts";
import { readRunningAddress } from "../service/wiring/running-address.ts";
import { CommandError } from "./command-error.ts";
import { anyText, switchFlag, UsageError, valueFlag } from "./flags.ts";

/** The address of the API of this store's service. */
export type ServiceAddress = {
  readonly url: string;
  /** The address of the pages for people. */
  readonly pagesUrl: string;
  /** False: no service runs on this data folder, and the address is the one that the settings name. */
  readonly isRunning: boolean;
  /** The advice beside the addresses where they are only the default ones. */
  readonly advice: string | null;
};
type Workplace = { readonly operator: Operator; readonly service: ServiceAddress };

/** Flags of every command that works on the store. */
export const storeFlags = {
  "data-dir": valueFlag({
    kind: anyText,
    fallback: null,
    takes: "<folder>",
    description: "The data folder of the service.",
    shownDefault: "DATA_DIR, ./agent-service-data",
  }),
  json: switchFlag("Print JSON on standard output."),
};

/**
 * Does `work` on the store that `serve` with these settings uses. Throws UsageError for a wrong setting, or where there
 * is no store and none was named, CommandError
 * or OperatorError when the store cannot be opened.
 */
export async function operate(
  flags: { readonly "data-dir": string | null },
  work: (place: Workplace) => Promise<number>,
): Promise<number> {
  const config = await readStoreConfig(flags);
  const { baseUrl, webUrl, host, port } = config;
  const isNew = !hasStore(config);
  if (isNew) checkNewStore({ folder: resolve(config.dataDir), isNamed: isFolderNamed(flags["data-dir"]) });
  const operator = await openOperator(config).catch((cause: unknown) => {
    if (cause instanceof OperatorError) throw cause;
    throw new CommandError(`The store cannot be opened: ${reasonOf(cause)}`, { cause });
  });
  try {
    if (isNew) process.stderr.write(`Made a new store in ${operator.place}.\n`);
    const running = readRunningAddress(config.dataDir);
    const url = running?.url ?? baseUrl ?? `http://${host}:${port}`;
    const pagesUrl = webUrl ?? running?.pagesUrl ?? url;
    const isRunning = running !== null || config.databaseUrl !== null;
    const advice = isRunning && running === null && baseUrl === null ? defaultAddressText(url) : null;
    return await work({ operator, service: { url, pagesUrl, isRunning, advice } });
  } finally {
    await operator.close();
  }
}

/** The settings of the service whose store the flags and the environment name. Throws UsageError for a wrong setting. */
export async function readStoreConfig(flags: { readonly "data-dir": string | null }): Promise<Config> {
  const dataDir = flags["data-dir"];
  const config = readConfig(dataDir === null ? {} : { DATA_DIR: dataDir }, undefined, { asksByKey: false });
  if (!config.ok) throw new UsageError(config.refusal.join("\n"));
  return config.value;
}

function isFolderNamed(dataDir: string | null): boolean {
  return dataDir !== null || (jobEnvironment.DATA_DIR ?? "").trim() !== "";
}

/** A store that nobody named is more often the wrong folder than a new store. */
function checkNewStore({ folder, isNamed }: { readonly folder: string; readonly isNamed: boolean }): void {
  if (isNamed) return;
  throw new UsageError(
    `There is no store in ${folder}. Name the service's data folder with --data-dir or DATA_DIR; where it has none yet, it is made there.`,
  );
}

/** Nodes that share a database may be on other machines. */
function defaultAddressText(url: string): string {
  return `BASE_URL is not set here: put the address of your service in place of ${url}.\n`;
}

/** The text about an account that is not in the store. */
export function noAccountText(accountId: string, place: string): string {
  return `There is no account "${accountId}" in ${place}. "agent-service accounts list" shows them.`;
}

/** Several addresses that all refuse come as one error without a message. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.message !== "") return cause.message;
  return "code" in cause && typeof cause.code === "string" ? `${cause.code}.` : `${cause.name}.`;
}
