// The two ceremonies of WebAuthn, for the origin of the pages: what a browser is asked for, and whether its answer is right.
// Why a passkey needs a name of a host and verifies its person: docs/decisions/065-signing-in.md

import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import * as z from "zod/mini";
import type { Core } from "../../core/core.ts";
import type { Passkey } from "../../core/sign-in/identity.ts";
import type { NewPasskey } from "../../core/sign-in/passkeys.ts";

const CHALLENGE_BYTES = 32;
/** COSE: EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257] as const;
const MAX_ID_CHARS = 1_400;

const base64url = z.string().check(z.regex(/^[A-Za-z0-9_-]*$/), z.maxLength(8_000));
const credentialShape = {
  id: base64url.check(z.minLength(1), z.maxLength(MAX_ID_CHARS)),
  rawId: base64url,
  type: z.literal("public-key"),
  clientExtensionResults: z.record(z.string(), z.unknown()),
  authenticatorAttachment: z.optional(z.enum(["platform", "cross-platform"])),
};
const registrationSchema = z.object({
  ...credentialShape,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.optional(z.array(z.string().check(z.maxLength(40))).check(z.maxLength(10))),
  }),
});
const assertionSchema = z.object({
  ...credentialShape,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: z.optional(base64url),
  }),
});

/** The browser's options to make a passkey. `userName` is what the browser calls it, `userId` whose it is. */
export async function registrationOptions(
  core: Core,
  request: {
    readonly domain: string;
    readonly userName: string;
    readonly userId: string;
    /** Whose authenticator has one of these makes none. */
    readonly known: readonly Pick<Passkey, "credentialId" | "transports">[];
  },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { domain, userName, userId, known } = request;
  return await generateRegistrationOptions({
    rpName: domain,
    rpID: domain,
    userName,
    userID: new TextEncoder().encode(userId),
    challenge: Uint8Array.from(core.random.bytes(CHALLENGE_BYTES)),
    attestationType: "none",
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: [...transports],
    })),
    supportedAlgorithmIDs: [...ALGORITHMS],
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** The passkey that a browser made for this challenge. Null where its answer is wrong. */
export async function verifyRegistration(
  core: Core,
  answer: { domain: string; challenge: string; response: string; name: string },
): Promise<NewPasskey | null> {
  const response = decodeAnswer(registrationSchema, answer.response);
  if (response === null) return null;
  const verified = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: answer.challenge,
    expectedOrigin: new URL(core.policy.webUrl).origin,
    expectedRPID: answer.domain,
    supportedAlgorithmIDs: [...ALGORITHMS],
    requireUserVerification: true,
  }).catch(() => null);
  if (verified === null || !verified.verified) return null;
  const { credential, credentialBackedUp } = verified.registrationInfo;
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: response.response.transports ?? [],
    isBackedUp: credentialBackedUp,
    name: answer.name,
  };
}

/** The browser's options to sign in: any passkey that it has for the domain. */
export async function assertionOptions(
  core: Core,
  domain: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return await generateAuthenticationOptions({
    rpID: domain,
    challenge: Uint8Array.from(core.random.bytes(CHALLENGE_BYTES)),
    userVerification: "required",
  });
}

type KnownPasskey = Pick<Passkey, "credentialId" | "publicKey" | "counter">;

type VerifiedAssertion<Known> = {
  readonly passkey: Known;
  readonly counter: number;
  readonly isBackedUp: boolean;
};

type Assertion<Known> = {
  readonly domain: string;
  readonly challenge: string;
  readonly response: string;
  /** Null for one that is not known. */
  readonly find: (credentialId: string) => Promise<Known | null>;
};

/** The passkey that signed this challenge. Null where it is not known or its answer is wrong. */
export async function verifyAssertion<Known extends KnownPasskey>(
  core: Core,
  answer: Assertion<Known>,
): Promise<VerifiedAssertion<Known> | null> {
  const response = decodeAnswer(assertionSchema, answer.response);
  if (response === null) return null;
  const passkey = await answer.find(response.id);
  if (passkey === null) return null;
  const verified = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: answer.challenge,
    expectedOrigin: new URL(core.policy.webUrl).origin,
    expectedRPID: answer.domain,
    credential: {
      id: passkey.credentialId,
      publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, "base64url")),
      counter: passkey.counter,
    },
    requireUserVerification: true,
  }).catch(() => null);
  if (verified === null || !verified.verified) return null;
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  return { passkey, counter: newCounter, isBackedUp: credentialBackedUp };
}

function decodeAnswer<Schema extends z.ZodMiniType>(schema: Schema, text: string): z.output<Schema> | null {
  try {
    const decoded = z.safeParse(schema, JSON.parse(text));
    return decoded.success ? decoded.data : null;
  } catch {
    return null;
  }
}
