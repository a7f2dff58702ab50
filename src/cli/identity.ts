// agent-service identity: the service as an issuer of ID tokens, in the store itself: its address, and its keys for clouds that cannot read them.

import { createPublicKey, type JsonWebKey } from "node:crypto";
import { oneOf } from "../base/settings/kinds.ts";
import { issuerFaultText, NEW_ISSUER_TEXT } from "../contract/issuer-reach.ts";
import { command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { valueFlag } from "./flags.ts";
import { operate, storeFlags } from "./operate.ts";
import { minute, printFields, printJson } from "./print.ts";
import { isoTime } from "./stored-pages.ts";

export const identity = command({
  summary: "Print the issuer that vouches for runs, and its public keys.",
  notes: [
    "For clouds that do not reach the service: Google takes the set of keys, Vault takes them as PEM. They are the same as at BASE_URL/id/jwks.",
    "Needs the service's RUN_SECRETS_KEY, and makes the keys where there are none yet.",
  ],
  flags: {
    ...storeFlags,
    format: valueFlag({
      kind: oneOf(["text", "jwks", "pem"]),
      fallback: "text",
      takes: "<format>",
      description: "text says all; jwks and pem are the keys alone, for a file.",
    }),
  },
  examples: ["identity", "identity --format jwks > keys.json", "identity --format pem > keys.pem"],
  run: async ({ flags: { format, ...flags } }) =>
    await operate(flags, async ({ operator, service }) => {
      const published = await operator.publishedKeys();
      if (published === null)
        throw new CommandError(
          "RUN_SECRETS_KEY is not set here: the keys that vouch for runs are sealed with it. Set it as for the service.",
        );
      const keys = published.keys.map((key): JsonWebKey => JSON.parse(key));
      const fault = issuerFaultText(service.url);
      const goodUntil = isoTime(published.goodUntil);
      if (flags.json) {
        printJson({ issuer: `${service.url}/id`, jwks: { keys }, good_until: goodUntil, fault });
        return 0;
      }
      if (format === "jwks") printJson({ keys });
      else if (format === "pem") process.stdout.write(keys.map(pemOf).join(""));
      else {
        printFields({
          Issuer: `${service.url}/id`,
          Metadata: `${service.url}/id/.well-known/openid-configuration`,
          Keys: `${service.url}/id/jwks`,
          "Good until": `${minute(published.goodUntil)}, where they were uploaded`,
        });
        process.stdout.write(`${NEW_ISSUER_TEXT}\n`);
        if (fault !== null) process.stdout.write(`${fault}\n`);
        if (service.advice !== null) process.stdout.write(service.advice);
        printJson({ keys });
      }
      return 0;
    }),
});

function pemOf(jwk: JsonWebKey): string {
  return createPublicKey({ key: jwk, format: "jwk" }).export({ type: "spki", format: "pem" }).toString();
}
