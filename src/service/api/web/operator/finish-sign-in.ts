// The end of every way in which an operator signs in: a cookie and the page that was asked for; or a page that says why not.

import { auditRefusedSignIn } from "../../../core/accounts/audit-account.ts";
import { isSameIdentity } from "../../../core/operators/operator.ts";
import { openOperatorSession, type ProvenOperator } from "../../../core/operators/operator-sessions.ts";
import type { OperatorRefusal } from "../../../core/operators/refusals.ts";
import type { ProvenIdentity } from "../../../core/sign-in/identity.ts";
import { ownPathOf } from "../own-path.ts";
import type { WebContext } from "../web-context.ts";
import { operatorOf, setOperator } from "./operator-session.ts";
import { operatorRefusalText, operatorSignInForm } from "./sign-in-form.ts";

const ROOT = "/operator";

/** Where it leads is one of the operator's pages, whatever the address says. */
export function operatorPathOf(text: string | undefined): string {
  const path = ownPathOf(text);
  return /^\/operator(?:[/?]|$)/.test(path) ? path : ROOT;
}

/** Signs the browser in, and leads it on. */
export async function finishOperatorSignIn(
  context: WebContext,
  { who, to }: { readonly who: ProvenOperator; readonly to: string },
): Promise<Response> {
  const opened = await openOperatorSession(context.get("parts").core, {
    who,
    earlier: await operatorOf(context),
    requestId: context.get("requestId"),
  });
  setOperator(context, opened);
  return context.redirect(operatorPathOf(to), 303);
}

/** Signs in who has proved an identity that the settings name. */
export async function signOperatorIn(
  context: WebContext,
  { identity, to }: { readonly identity: ProvenIdentity; readonly to: string },
): Promise<Response> {
  const { identities } = context.get("parts").core.policy.operators;
  if (!identities.some((one) => isSameIdentity(one, identity)))
    return await refuseOperator(
      context,
      { reason: "not_an_operator", identity },
      { method: identity.kind, to },
    );
  return await finishOperatorSignIn(context, { who: { kind: identity.kind, identity }, to });
}

/** Leaves the refusal in the audit trail and in the log. `to`: where whoever signs in otherwise goes. */
export async function refuseOperator(
  context: WebContext,
  refusal: OperatorRefusal,
  { method, to }: { readonly method: ProvenOperator["kind"]; readonly to?: string | undefined },
): Promise<Response> {
  const { reason } = refusal;
  const requestId = context.get("requestId");
  context.get("log")().info({ reason, method }, "sign-in of an operator refused");
  const isExcess = refusal.reason === "rate_limited";
  if (isExcess) context.header("Retry-After", String(Math.ceil(refusal.retryAfterMs / 1000)));
  // Attempts beyond the rate would fill the trail.
  else
    await auditRefusedSignIn(context.get("parts").core, {
      action: "operator_sign_in",
      reason,
      method,
      requestId,
    });
  const alert = operatorRefusalText(refusal);
  return await operatorSignInForm(context, { to: operatorPathOf(to), alert, status: isExcess ? 429 : 403 });
}
