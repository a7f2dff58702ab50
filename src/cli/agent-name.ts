// An agent that is given by its id or by its name.

import { singleLine } from "../base/untrusted-text.ts";
import type { Client } from "../client/client.ts";
import type { Operator } from "../service/operator/operator.ts";
import { CommandError } from "./command-error.ts";
import { anyText, argument } from "./flags.ts";

const AGENT_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const agentArgument = argument(anyText, "The agent, by its id or its name.");

/** The id of the key's account's agent. Throws CommandError where there is no such agent, or more than one. */
export async function findAgentId(client: Pick<Client, "agents">, given: string): Promise<string> {
  if (AGENT_ID.test(given)) return given;
  const agents = await client.agents.list({ query: { include_independent: true } });
  const named = agents.filter(({ name, retired_at }) => name === given && retired_at === undefined);
  return onlyOne(
    named.map(({ id }) => id),
    { given, place: "this account" },
  );
}

/** The id of an agent in the operator's store, of any account. Throws as `findAgentId` does. */
export async function findStoredAgentId(
  { findAgentIds, place }: Pick<Operator, "findAgentIds" | "place">,
  given: string,
): Promise<string> {
  return AGENT_ID.test(given) ? given : onlyOne(await findAgentIds(given), { given, place });
}

function onlyOne(
  ids: readonly string[],
  { given, place }: { readonly given: string; readonly place: string },
): string {
  const [found, another] = ids;
  if (found !== undefined && another === undefined) return found;
  const name = JSON.stringify(singleLine(given, 100));
  throw new CommandError(
    found === undefined
      ? `There is no agent ${name} in ${place}. "agent-service agents list" shows an account's agents.`
      : `More than one agent in ${place} is called ${name}. Give the id: ${ids.slice(0, 5).join(", ")}.`,
  );
}
