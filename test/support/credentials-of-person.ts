// Every kind of credential that acts for a person in an account.

import { makeSecretToken } from "../../src/base/secret-token.ts";
import { apiScopes } from "../../src/contract/oauth/scopes.ts";
import { makeApiKey } from "../../src/service/core/accounts/keys.ts";
import type { Core } from "../../src/service/core/core.ts";
import { keepAccessToken, openGrant } from "../../src/service/core/oauth/grants.ts";
import { signInTo } from "./web-sign-in.ts";

const HOUR_MS = 60 * 60 * 1000;

export type PersonsCredentials = {
  readonly personId: string;
  /** Of an owner's class: only owners make one. A lesser person can have had it only by a fault. */
  readonly ownerKey: string;
  readonly aiClientKey: string;
  /** With every scope. */
  readonly token: string;
  readonly cookie: string;
};

export async function credentialsOf(
  core: Core,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<PersonsCredentials> {
  const key = async (callerClass: "owner" | "ai_client") =>
    (await makeApiKey(core, { accountId, personId, callerClass, name: callerClass })).secret;
  const clientId = "https://app.example/client.json";
  const resource = `${core.policy.baseUrl}/mcp`;
  const terms = { accountId, personId, clientId, clientName: "app", resource };
  const grant = await openGrant(core, { ...terms, scope: apiScopes.join(" ") });
  const { text: token, hash } = makeSecretToken("svc_at_", core.random.bytes(32));
  const now = core.clock.now();
  await keepAccessToken(core, {
    id: core.random.uuid(now),
    hash,
    accountId,
    clientId,
    scopes: apiScopes,
    resource,
    grantId: grant.id,
    createdAt: now,
    lastUsedAt: null,
    expiresAt: now + HOUR_MS,
    revokedAt: null,
  });
  const { cookie } = await signInTo(core, accountId, personId);
  return { personId, ownerKey: await key("owner"), aiClientKey: await key("ai_client"), token, cookie };
}
