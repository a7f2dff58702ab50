// Opens the store for an operator's command, beside a serving process, and closes it.

import { type Operator, openOperator } from "../service/operator.ts";
import { readConfig } from "../service/settings/config.ts";
import { CommandError } from "./command-error.ts";
import { UsageError } from "./flags.ts";

/** Where the API of this store's service is, as far as the settings tell. */
export type Workplace = { readonly operator: Operator; readonly serviceUrl: string };

/** Flags of every command that works on the store. */
export const storeFlags = { "data-dir": { type: "string" }, json: { type: "boolean" } } as const;

/**
 * Does `work` on the store that `serve` with these settings uses. Throws UsageError for a wrong setting and
 * CommandError when the store cannot be opened.
 */
export async function operate(
  flags: { readonly "data-dir"?: string | undefined },
  work: (place: Workplace) => Promise<number>,
): Promise<number> {
  const dataDir = flags["data-dir"];
  const config = readConfig(dataDir === undefined ? {} : { DATA_DIR: dataDir });
  if (!config.ok) throw new UsageError(config.refusal.join("\n"));
  const { baseUrl, host, port } = config.value;
  const operator = await openOperator(config.value).catch((cause: unknown) => {
    throw new CommandError(`The store cannot be opened: ${reasonOf(cause)}`, { cause });
  });
  try {
    return await work({ operator, serviceUrl: baseUrl ?? `http://${host}:${port}` });
  } finally {
    await operator.close();
  }
}

/** Several addresses that all refuse come as one error without a message. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.message !== "") return cause.message;
  return "code" in cause && typeof cause.code === "string" ? `${cause.code}.` : `${cause.name}.`;
}
