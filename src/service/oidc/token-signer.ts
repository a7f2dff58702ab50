// RS256 by jose: keys and signatures of the service's own ID tokens.

import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT } from "jose";
import type { TokenSigner } from "../core/run-identity/token-signer.ts";

/** What every cloud takes: Entra takes nothing else. */
const ALGORITHM = "RS256";
const MODULUS_BITS = 2_048;

export const tokenSigner: TokenSigner = {
  makeKey: async () => {
    const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, {
      modulusLength: MODULUS_BITS,
      extractable: true,
    });
    const jwk = await exportJWK(publicKey);
    const kid = await calculateJwkThumbprint(jwk);
    return {
      kid,
      publicJwk: JSON.stringify({ ...jwk, kid, alg: ALGORITHM, use: "sig" }),
      privateJwk: JSON.stringify(await exportJWK(privateKey)),
    };
  },
  sign: async (claims, { kid, privateJwk }) => {
    const key = await importJWK(JSON.parse(privateJwk), ALGORITHM);
    return await new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, kid, typ: "JWT" }).sign(key);
  },
};
