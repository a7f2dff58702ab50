// The key that the command signs in with: made once of the token that its person allowed it, and ended by itself.

import type { Hono } from "hono";
import * as z from "zod/mini";
import { hashSecret } from "../../../base/secret-token.ts";
import { KEY_MINT } from "../../../contract/oauth/scopes.ts";
import { needRole, needScopes } from "../../core/accounts/caller.ts";
import { makeOwnKey, revokeOwnKey } from "../../core/accounts/own-keys.ts";
import { spendGrant } from "../../core/oauth/grants.ts";
import { forbidden, invalidRequest } from "../../core/ports/problem.ts";
import type { FaceContext, FaceEnv, FaceParts } from "../http/face.ts";
import { answerProblem, answerRefusal } from "../http/problems.ts";
import { readText } from "../http/read-body.ts";
import type { RequestContext } from "../http/request-context.ts";
import { admitCaller } from "../shared/admit-caller.ts";
import { bearerOf } from "../shared/bearer.ts";
import { COMMAND_CLIENT } from "./built-in-client.ts";
import { oauthPaths } from "./paths.ts";

const MAX_BODY_BYTES = 4 * 1024;
const MAX_NAME_CHARS = 100;

const keyRequest = z.object({
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_NAME_CHARS)),
});

export function keyRoutes(app: Hono<FaceEnv>, { core }: FaceParts): void {
  app.post(oauthPaths.key, async (context) => {
    const outer = asOuter(context);
    const caller = await callerOf(context, core);
    if (!caller.ok) return answerRefusal(outer, caller.refusal);
    const lacking = needScopes(caller.value, [KEY_MINT]);
    if (!lacking.ok) return answerRefusal(outer, lacking.refusal);
    const mayMint = needRole(caller.value, "owner");
    if (!mayMint.ok) return answerRefusal(outer, mayMint.refusal);
    const token = caller.value.kind === "account" ? caller.value.accessToken : undefined;
    if (token === undefined || token.clientId !== COMMAND_CLIENT) {
      return answerProblem(outer, forbidden("Only the command's own sign-in gets a key here."));
    }
    const name = nameOf(await readText(context, MAX_BODY_BYTES));
    if (name === null)
      return answerProblem(outer, invalidRequest('"name" must be text of 1 to 100 characters.'));
    // Spent first: of two requests with one token, one gets a key.
    if (!(await spendGrant(core, token.grantId)))
      return answerRefusal(outer, { reason: "access_token_revoked" });
    const { accountId, personId } = token;
    if (personId === null) return answerProblem(outer, forbidden("Only a person gets a key here."));
    const made = await makeOwnKey(core, {
      accountId,
      personId,
      callerClass: "owner",
      name,
      requestId: outer.get("requestId"),
    });
    if (!made.ok) return answerProblem(outer, forbidden("An account may have 100 keys. Revoke one first."));
    const { key, secret } = made.value;
    context.header("Cache-Control", "no-store");
    return context.json({ key: secret, id: key.id, account_id: accountId, name: key.name }, 201);
  });

  app.delete(oauthPaths.key, async (context) => {
    const outer = asOuter(context);
    const caller = await callerOf(context, core);
    if (!caller.ok) return answerRefusal(outer, caller.refusal);
    const bearer = bearerOf(context.req.header("authorization")) ?? "";
    const credential = await core.store.committed.credentials.find(hashSecret(bearer));
    if (credential?.kind !== "key") return answerProblem(outer, forbidden("Only a key ends itself here."));
    const { accountId, personId, id } = credential;
    await revokeOwnKey(core, { accountId, personId, id, requestId: outer.get("requestId") });
    return context.body(null, 204);
  });
}

async function callerOf(context: FaceContext, core: FaceParts["core"]) {
  const bearer = bearerOf(context.req.header("authorization"));
  return await admitCaller(core, { bearer, address: context.get("address") });
}

function nameOf(text: string | null | undefined): string | null {
  if (typeof text !== "string") return null;
  try {
    const read = keyRequest.safeParse(JSON.parse(text));
    return read.success ? read.data.name : null;
  } catch {
    return null;
  }
}

function asOuter(context: FaceContext): RequestContext {
  return context as unknown as RequestContext;
}
