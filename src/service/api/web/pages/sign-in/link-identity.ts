// An identity that its person has just proved, linked to the account that they are signed in to.

import { linkIdentity } from "../../../../core/sign-in/identities.ts";
import type { ProvenPersonOf } from "../../identity-provider.ts";
import type { WebContext } from "../../web-context.ts";
import { needRecent } from "../../web-session.ts";
import { identitiesPage } from "../settings/identities-page.ts";

export async function linkIdentityOf(
  context: WebContext,
  { accountId, proven }: { accountId: string; proven: ProvenPersonOf },
): Promise<Response> {
  const session = await needRecent(context);
  if (session instanceof Response) return session;
  if (session.accountId !== accountId) {
    return await identitiesPage(context, session, "You have signed in to another account meanwhile.");
  }
  const requestId = context.get("requestId");
  const { core } = context.get("parts");
  const linked = await linkIdentity(core, { accountId, requestId, identity: proven.identity });
  if (linked.ok) return context.redirect("/settings/identities", 303);
  return await identitiesPage(context, session, "Another account has this identity.");
}
