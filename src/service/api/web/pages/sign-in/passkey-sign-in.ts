// Signing in with a passkey: the script asks for a challenge, and sends the signature of the authenticator as a form.

import { Hono } from "hono";
import * as z from "zod/mini";
import { ok, type Result, refused } from "../../../../../base/result.ts";
import { signInByPasskey } from "../../../../core/sign-in/passkeys.ts";
import type { ProvenMember } from "../../../../core/sign-in/proven-member.ts";
import type { SignInRefusal } from "../../../../core/sign-in/refusals.ts";
import { chargeSignIn, giveBackSignIn } from "../../../../core/sign-in/sign-in-by-key.ts";
import { recallAttempt, rememberAttempt } from "../../attempt-cookie.ts";
import { readForm } from "../../form.ts";
import { ownPathOf } from "../../own-path.ts";
import { loadCeremony, passkeyDomain } from "../../passkey-domain.ts";
import type { WebContext, WebEnv } from "../../web-context.ts";
import { finishSignIn, recordRefusal, refusalText } from "./finish-sign-in.ts";
import { signInPage } from "./sign-in-page.ts";

const passkeyForm = z.object({
  response: z.string().check(z.maxLength(32_000)),
  to: z.optional(z.string()),
  again: z.optional(z.string()),
});
const stateSchema = z.object({ challenge: z.string() });

export function passkeySignInRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.post("/sign-in/passkey/options", async (context) => {
    const { core } = context.get("parts");
    const domain = passkeyDomain(core);
    if (domain === null) return context.json({ error: "Passkeys need a domain." }, 404);
    const { assertionOptions } = await loadCeremony();
    const options = await assertionOptions(core, domain);
    await rememberAttempt(context, { kind: "passkey", state: { challenge: options.challenge } });
    context.header("Cache-Control", "no-store");
    return context.json(options);
  });

  routes.post("/sign-in/passkey", async (context) => {
    const form = await readForm(context, passkeyForm);
    if (!form.ok) {
      return await signInPage(context, { to: "/", isAgain: false, alert: form.refusal, status: 422 });
    }
    const { response, again } = form.value;
    const to = ownPathOf(form.value.to);
    const signedIn = await signIn(context, response);
    if (signedIn.ok) return await finishSignIn(context, { ...signedIn.value, method: "passkey", to });
    await recordRefusal(context, { reason: signedIn.refusal.reason, method: "passkey" });
    const alert = refusalText(signedIn.refusal);
    return await signInPage(context, { to, isAgain: again === "1", alert, status: 403 });
  });

  return routes;
}

async function signIn(context: WebContext, response: string): Promise<Result<ProvenMember, SignInRefusal>> {
  const { core } = context.get("parts");
  const address = context.get("address");
  const excess = chargeSignIn(core, address);
  if (excess !== null) return refused(excess);
  const state = z.safeParse(stateSchema, await recallAttempt(context, "passkey"));
  const domain = passkeyDomain(core);
  if (!state.success || domain === null) return refused({ reason: "attempt_over" });
  const { challenge } = state.data;
  const { verifyAssertion } = await loadCeremony();
  const find = (credentialId: string) => core.store.committed.identities.findPasskey(credentialId);
  const verified = await verifyAssertion(core, { domain, challenge, response, find });
  if (verified === null) return refused({ reason: "passkey_refused" });
  const signedIn = await signInByPasskey(core, verified);
  if (!signedIn.ok) return signedIn;
  giveBackSignIn(core, address);
  return ok(signedIn.value);
}
