// Signing operators in and out.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Operator } from "../../../core/operators/operator.ts";
import { endOperatorSession } from "../../../core/operators/operator-sessions.ts";
import { useOperator } from "../../../core/operators/operators.ts";
import type { OperatorRefusal } from "../../../core/operators/refusals.ts";
import { chargeSignIn, giveBackSignIn } from "../../../core/sign-in/sign-in-by-key.ts";
import { recallAttempt, rememberAttempt } from "../attempt-cookie.ts";
import { readForm } from "../form.ts";
import { beginAtProvider, providerOf, silentText } from "../pages/sign-in/provider-attempt.ts";
import { loadCeremony, passkeyDomain } from "../passkey-domain.ts";
import type { WebContext, WebEnv } from "../web-context.ts";
import { finishOperatorSignIn, operatorPathOf, refuseOperator } from "./finish-sign-in.ts";
import { nothingHere } from "./operator-page.ts";
import { clearOperator, operatorOf } from "./operator-session.ts";
import { operatorSignInForm } from "./sign-in-form.ts";

const passkeyForm = z.object({
  response: z.string().check(z.maxLength(32_000)),
  to: z.optional(z.string()),
});
const stateSchema = z.object({ challenge: z.string() });

export function operatorSignInRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get("/operator/sign-in", async (context) => {
    const to = operatorPathOf(context.req.query("to"));
    if ((await operatorOf(context)) !== null) return context.redirect(to, 303);
    return await operatorSignInForm(context, { to, alert: null });
  });

  routes.post("/operator/sign-in/passkey/options", async (context) => {
    const { core } = context.get("parts");
    const domain = passkeyDomain(core);
    if (domain === null) return context.json({ error: "Passkeys need a domain." }, 404);
    const { assertionOptions } = await loadCeremony();
    const options = await assertionOptions(core, domain);
    await rememberAttempt(context, { kind: "operator_passkey", state: { challenge: options.challenge } });
    context.header("Cache-Control", "no-store");
    return context.json(options);
  });

  routes.post("/operator/sign-in/passkey", async (context) => {
    const form = await readForm(context, passkeyForm);
    if (!form.ok)
      return await operatorSignInForm(context, {
        to: "/operator",
        alert: html`${form.refusal}`,
        status: 422,
      });
    const { response, to } = form.value;
    const signedIn = await signIn(context, response);
    if (!signedIn.ok) return await refuseOperator(context, signedIn.refusal, { method: "passkey", to });
    const who = { kind: "passkey", operator: signedIn.value } as const;
    return await finishOperatorSignIn(context, { who, to: operatorPathOf(to) });
  });

  routes.get("/operator/sign-in/with/:provider", async (context) => {
    const provider = providerOf(context, context.req.param("provider"));
    if (provider === null || context.get("parts").core.policy.operators.identities.length === 0)
      return await nothingHere(context);
    const to = operatorPathOf(context.req.query("to"));
    const url = await beginAtProvider(context, provider, { kind: "operator", to });
    if (url !== null) return context.redirect(url, 303);
    return await operatorSignInForm(context, { to, alert: html`${silentText(provider)}`, status: 422 });
  });

  routes.post("/operator/sign-out", async (context) => {
    const session = await operatorOf(context);
    const requestId = context.get("requestId");
    if (session !== null) await endOperatorSession(context.get("parts").core, { session, requestId });
    clearOperator(context);
    return context.redirect("/operator/sign-in", 303);
  });

  return routes;
}

async function signIn(context: WebContext, response: string): Promise<Result<Operator, OperatorRefusal>> {
  const { core } = context.get("parts");
  const address = context.get("address");
  const excess = chargeSignIn(core, address);
  if (excess !== null) return refused(excess);
  const state = z.safeParse(stateSchema, await recallAttempt(context, "operator_passkey"));
  const domain = passkeyDomain(core);
  if (!state.success || domain === null) return refused({ reason: "attempt_over" });
  const { challenge } = state.data;
  const { verifyAssertion } = await loadCeremony();
  const find = (credentialId: string) => core.store.committed.operators.findByCredential(credentialId);
  const verified = await verifyAssertion(core, { domain, challenge, response, find });
  if (verified === null) return refused({ reason: "passkey_refused" });
  const { passkey: operator, ...use } = verified;
  const used = await useOperator(core, { operator, ...use });
  if (!used.ok) return used;
  giveBackSignIn(core, address);
  return ok(operator);
}
