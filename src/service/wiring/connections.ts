// Authorization servers as the core asks them. Loaded at the first use of a connection: it brings the protocol's SDK.

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import {
  ConnectionRefused,
  findConnection,
  redeemCode,
  refreshTokens,
  revokeToken,
} from "../../federation/mcp/server-connection.ts";
import { ServerAccessError } from "../../federation/mcp/server-grant.ts";
import type { AuthorizationFault, AuthorizationServers } from "../core/connections/authorization-port.ts";
import type { ClientSecret } from "../core/connections/connection.ts";
import type { Policy } from "../core/core.ts";
import { rulesOf } from "../core/egress/rules.ts";
import type { EgressBlock, EgressProvider, EgressTarget, RunEgress } from "../core/egress/run-egress.ts";
import { authorizationFetch } from "../executor/tools/mcp/egress-fetch.ts";

type ServersParts = {
  readonly egress: EgressProvider;
  readonly policy: Pick<Policy, "egress">;
  readonly clock: Clock;
  readonly log: Logger;
};

/** For what a person does, within what the operator lets runs reach at all. */
export function authorizationServers(parts: ServersParts): AuthorizationServers {
  const { clock, log } = parts;
  return {
    find: async (asked) =>
      await faultless(log, async () => {
        const { client, ...found } = await withoutRun(parts, (fetch) =>
          findConnection(asked, { fetch, clock }),
        );
        return { ...found, clientId: client.id, client: { method: client.method, secret: client.secret } };
      }),
    redeem: async (code) =>
      await faultless(log, () =>
        withoutRun(parts, (fetch) => redeemCode({ ...code, client: clientOf(code) }, { fetch, clock })),
      ),
    refresh: async ({ egress, ...token }) =>
      await faultless(log, () =>
        refreshTokens(
          { ...token, client: clientOf(token) },
          { fetch: authorizationFetch({ egress }), clock },
        ),
      ),
    revoke: async (token) => {
      const told = await faultless(log, () =>
        withoutRun(parts, (fetch) => revokeToken({ ...token, client: clientOf(token) }, { fetch, clock })),
      );
      return told.ok;
    },
  };
}

function clientOf({ clientId, client }: { clientId: string; client: ClientSecret }) {
  return { id: clientId, ...client };
}

async function faultless<Value>(
  log: Logger,
  work: () => Promise<Value>,
): Promise<Result<Value, AuthorizationFault>> {
  try {
    return ok(await work());
  } catch (cause) {
    if (!ServerAccessError.is(cause)) throw cause;
    log.info({ reason: cause.message }, "an authorization server gave nothing");
    const reason = cause instanceof ConnectionRefused ? "refused" : "failed";
    return refused({ reason, detail: cause.message });
  }
}

/** Names are resolved once and every address is checked, as for a run. */
async function withoutRun<Value>(
  { egress, policy }: ServersParts,
  work: (send: typeof fetch) => Promise<Value>,
): Promise<Value> {
  const { entries, registries } = policy.egress;
  const opened = egress.open({ runId: "connections", rules: rulesOf(entries, registries) });
  try {
    return await work(authorizationFetch({ egress: inOperatorsWords(opened) }));
  } finally {
    await opened.close();
  }
}

/** Null: those for a run will do. */
function operatorsWords(block: EgressBlock, { host, port }: EgressTarget): string | null {
  switch (block) {
    case "not_allowed":
    case "port":
      return `Runs of this service may not reach ${port === 443 ? host : `${host}:${port}`}. Its operator adds it to EGRESS.`;
    case "address":
      return `The address ${host} is blocked: hosts are reached by their names.`;
    default:
      return null;
  }
}

/** A page has no run whose policy could be changed. */
function inOperatorsWords(egress: Pick<RunEgress, "admit">): Pick<RunEgress, "admit"> {
  return {
    admit: async (target) => {
      const admitted = await egress.admit(target);
      if (admitted.ok || admitted.refusal.reason !== "blocked") return admitted;
      const { block, detail } = admitted.refusal;
      return refused({ reason: "unreachable", detail: operatorsWords(block, target) ?? detail });
    },
  };
}
