// A sign-in at another provider under way: what for, and what its browser has to bring back.

import * as z from "zod/mini";
import type { IdentityProvider } from "../../../../core/sign-in/sign-in-policy.ts";
import { rememberAttempt } from "../../attempt-cookie.ts";
import { beginAuthorization } from "../../identity-provider.ts";
import type { WebContext } from "../../web-context.ts";

const purposeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("sign_in"), to: z.string() }),
  z.object({ kind: z.literal("link"), personId: z.string() }),
  z.object({ kind: z.literal("claim"), accountId: z.string(), agentId: z.string() }),
  z.object({ kind: z.literal("operator"), to: z.string() }),
]);
export const attemptStateSchema = z.object({
  provider: z.string(),
  expected: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  purpose: purposeSchema,
});

/** The purpose for which somebody goes to a provider. */
export type Purpose = z.infer<typeof purposeSchema>;
export type AttemptState = z.infer<typeof attemptStateSchema>;

export function providerOf(context: WebContext, id: string): IdentityProvider | null {
  return context.get("parts").core.policy.signIn.providers.find((one) => one.id === id) ?? null;
}

/** The address to which the browser goes. Null where the provider does not answer. */
export async function beginAtProvider(
  context: WebContext,
  provider: IdentityProvider,
  purpose: Purpose,
): Promise<string | null> {
  const { core } = context.get("parts");
  try {
    const { url, expected } = await beginAuthorization(core, provider);
    await rememberAttempt(context, { kind: "identity", state: { provider: provider.id, expected, purpose } });
    return url;
  } catch (cause) {
    context.get("log")().warn({ err: cause, provider: provider.id }, "the identity provider did not answer");
    return null;
  }
}

export function silentText({ title }: IdentityProvider): string {
  return `${title} did not answer. Try again later, or sign in another way.`;
}
