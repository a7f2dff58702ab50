// A workspace that is given by its id or by its name.

import { singleLine } from "../../base/untrusted-text.ts";
import type { Client } from "../../client/client.ts";
import { CommandError } from "../command-error.ts";
import { anyText, argument } from "../flags.ts";
import { everyItem } from "./pages.ts";

const WORKSPACE_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const workspaceArgument = argument(anyText, "The workspace, by its id or its name.");

/** Throws CommandError where the account has no such workspace, or more than one. */
export async function findWorkspaceId(client: Pick<Client, "workspaces">, given: string): Promise<string> {
  if (WORKSPACE_ID.test(given)) return given;
  const ids: string[] = [];
  for await (const { id, name } of everyItem((query) => client.workspaces.list({ query }))) {
    if (name === given) ids.push(id);
  }
  const [found, another] = ids;
  if (found !== undefined && another === undefined) return found;
  const name = JSON.stringify(singleLine(given, 100));
  throw new CommandError(
    found === undefined
      ? `There is no workspace ${name} in this account. "agent-service workspaces list" shows them.`
      : `More than one workspace is called ${name}. Give the id: ${ids.slice(0, 5).join(", ")}.`,
  );
}
