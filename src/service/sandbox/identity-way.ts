// The way of a command to the relay of its run's ID tokens, and the variables that name it.
// Why: docs/decisions/170-commands-ask-a-relay-for-id-tokens.md

import type { CommandIdentity } from "../core/ports/command-identity.ts";
import { requestVariables } from "../core/run-identity/request-variables.ts";
import { IDENTITY_PORT } from "./relay.ts";

export type IdentityWay = {
  readonly secret: string;
  /** On the loopback that the command has. */
  readonly port: number;
  /** The unix socket behind the port. Null: the port is this machine's. */
  readonly socket: string | null;
};

/** Null where the command gets no ID tokens. */
export async function identityWay(
  identity: CommandIdentity | null | undefined,
  { loopback }: { readonly loopback: "own" | "machine" },
): Promise<IdentityWay | null> {
  if (identity === null || identity === undefined) return null;
  const { secret } = identity;
  if (loopback === "machine") return { secret, port: await identity.port(), socket: null };
  return { secret, port: IDENTITY_PORT, socket: await identity.socket() };
}

export function identityVariables(way: IdentityWay | null): Readonly<Record<string, string>> {
  return way === null ? {} : requestVariables(way);
}
