// The end of every way to sign in: a cookie and the page that was asked for; or a page that says why not.

import { html } from "hono/html";
import { auditRefusedSignIn } from "../../../../core/accounts/audit-account.ts";
import type { Core } from "../../../../core/core.ts";
import { completeSignIn } from "../../../../core/sign-in/complete-sign-in.ts";
import { mayGoOnIn, type ProvenMember } from "../../../../core/sign-in/proven-member.ts";
import type { SignInRefusal } from "../../../../core/sign-in/refusals.ts";
import type { SignInMethod, WebSession } from "../../../../core/web-sessions/web-session.ts";
import { ownPathOf } from "../../own-path.ts";
import type { WebContext } from "../../web-context.ts";
import { sessionOf, setSession } from "../../web-session.ts";

type SignedIn = ProvenMember & { readonly method: SignInMethod; readonly to: string };

/**
 * Signs the browser in, and leads it on: past a choice where its person has several accounts. Whoever proves again who they are
 * stays in their account.
 */
export async function finishSignIn(context: WebContext, signedIn: SignedIn): Promise<Response> {
  const { personId, method, hasChoice = false, endsAt } = signedIn;
  const { core } = context.get("parts");
  const earlier = await sessionOf(context);
  const isAgain =
    earlier?.personId === personId && (await mayStay(core, { earlier, endsAt: endsAt ?? null }));
  const opened = await completeSignIn(core, {
    accountId: isAgain ? earlier.accountId : signedIn.accountId,
    personId,
    method,
    ...(endsAt === undefined ? {} : { endsAt }),
    userAgent: context.req.header("user-agent") ?? "",
    requestId: context.get("requestId"),
    earlier,
  });
  setSession(context, opened);
  const to = ownPathOf(signedIn.to);
  return context.redirect(hasChoice && !isAgain ? `/accounts?to=${encodeURIComponent(to)}` : to, 303);
}

/** Whether the way by which somebody has proved again who they are leads into the account that they are signed in to. */
async function mayStay(
  core: Core,
  { earlier, endsAt }: { readonly earlier: WebSession; readonly endsAt: number | null },
): Promise<boolean> {
  const { accountId, personId } = earlier;
  const member = await core.store.committed.people.findMember({ accountId, personId });
  return member !== null && mayGoOnIn(core, member, { endsAt });
}

/** Leaves the refusal in the audit trail and in the log. */
export async function recordRefusal(
  context: WebContext,
  { reason, method }: { reason: SignInRefusal["reason"]; method: SignInMethod },
): Promise<void> {
  const requestId = context.get("requestId");
  context.get("log")().info({ reason, method }, "sign-in refused");
  // Attempts beyond the rate would fill the trail.
  if (reason === "rate_limited") return;
  await auditRefusedSignIn(context.get("parts").core, { reason, method, requestId });
}

/** The text for a person. It says nothing of which accounts and keys there are. */
export function refusalText(refusal: SignInRefusal): string {
  switch (refusal.reason) {
    case "link_over":
      return "This link was used before, or it has ended. Ask the operator for a new one.";
    case "key_refused":
      return "This is no key of this service, or it was revoked.";
    case "key_of_another_kind":
      return "Only an owner's key signs in: it begins with svc_sk_.";
    case "attempt_over":
      return "This sign-in was not begun in this browser, or it took more than ten minutes. Begin again.";
    case "passkey_refused":
      return "This passkey is not registered here. Sign in another way, then add it in the settings.";
    case "identity_refused":
      return "The provider did not confirm who you are. Begin again.";
    case "sign_up_closed":
      return "No account has this identity, and signing in opens none here. Sign in to your account another way, then link it in the settings.";
    case "no_account":
      return "You are no member of any account here. Ask an owner of the account for an invitation.";
    case "provider_needed":
      return "You are in your account by your groups at a provider. Sign in with that provider.";
    case "no_group_role":
      return "None of your groups at the provider has a role here. Ask whoever runs this service, or an owner of the account.";
    case "groups_unreadable":
      return "The provider did not say which groups you are in. Ask whoever runs this service: it has to name them in the ID token.";
    case "rate_limited":
      return `Too many attempts from your network. Try again in ${Math.ceil(refusal.retryAfterMs / 1000)} s.`;
  }
}

/** The alert at the top of a form. */
export function alertOf(text: string | null): ReturnType<typeof html> {
  return text === null ? html`` : html`<p class="note bad" role="alert">${text}</p>`;
}
