// The request of a device: found by the code that its person enters, and decided once.

import * as z from "zod/mini";
import { hashSecret } from "../../../base/secret-token.ts";
import type { Core } from "../../core/core.ts";
import type { Artifact } from "../../core/oauth/artifact.ts";
import { openGrant, revokeGrant } from "../../core/oauth/grants.ts";
import { resourceOf } from "../../core/oauth/resource.ts";
import { grantableScopes } from "./request-words.ts";

const KIND = "DeviceCode";
/** As a person may write it: any case, with or without what separates its halves. */
const SEPARATORS = /[^A-Z]/g;
const CODE_CHARS = 8;

const payloadSchema = z.looseObject({
  clientId: z.string(),
  params: z.looseObject({ scope: z.optional(z.string()) }),
  accountId: z.optional(z.string()),
  error: z.optional(z.string()),
});

export type DeviceRequest = {
  readonly artifact: Artifact;
  readonly payload: z.infer<typeof payloadSchema>;
  readonly clientId: string;
  readonly scopes: readonly string[];
};

/** The code as it is compared. Null where the text is none. */
export function readUserCode(text: string): string | null {
  const code = text.toUpperCase().replace(SEPARATORS, "");
  return code.length === CODE_CHARS ? code : null;
}

/** The request that waits under this code. Null where there is none, or it was decided, or has ended. */
export async function findDeviceRequest(core: Core, code: string): Promise<DeviceRequest | null> {
  const key = { kind: KIND, userCodeHash: hashSecret(code) };
  const artifact = await core.store.committed.oauthArtifacts.find(key);
  if (artifact === null || artifact.expiresAt <= core.clock.now() || artifact.consumedAt !== null)
    return null;
  const payload = payloadSchema.parse(JSON.parse(artifact.payload));
  if (payload.accountId !== undefined || payload.error !== undefined) return null;
  const { clientId } = payload;
  return { artifact, payload, clientId, scopes: grantableScopes(payload.params.scope, clientId) };
}

type AllowedDevice = {
  readonly request: DeviceRequest;
  readonly accountId: string;
  /** Who agreed. */
  readonly personId: string;
  readonly clientName: string;
};

/** Lets the device have its tokens. False where somebody else decided first. */
export async function allowDevice(
  core: Core,
  { request, accountId, personId, clientName }: AllowedDevice,
): Promise<boolean> {
  const resource = resourceOf(core.policy.baseUrl);
  const scope = request.scopes.join(" ");
  const { clientId } = request;
  const grant = await openGrant(core, { accountId, personId, clientId, clientName, scope, resource });
  const isFirst = await decide(core, request, { accountId, grantId: grant.id, scope, resource });
  if (!isFirst) await revokeGrant(core, grant.id);
  return isFirst;
}

/** Lets the device know that its person said no. False where somebody else decided first. */
export async function denyDevice(core: Core, request: DeviceRequest): Promise<boolean> {
  const errorDescription = "The account's owner did not agree.";
  return await decide(core, request, { error: "access_denied", errorDescription });
}

async function decide(
  core: Core,
  { artifact, payload }: DeviceRequest,
  decision: { readonly grantId?: string; readonly [name: string]: string | undefined },
): Promise<boolean> {
  const decided: Artifact = {
    ...artifact,
    grantId: decision.grantId ?? null,
    payload: JSON.stringify({ ...payload, ...decision }),
  };
  const { kind, idHash, payload: from } = artifact;
  return await core.store.transact((tx) =>
    tx.oauthArtifacts.replace({ kind, idHash, from, artifact: decided }),
  );
}
