// `gh attestation verify` as a workflow calls it: a program, whose trusted roots a test gives. Verified by Sigstore's library, from the
// attestations of the code host, as the manual says: https://cli.github.com/manual/gh_attestation_verify

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { bundleFromJSON, isBundleWithDsseEnvelope } from "@sigstore/bundle";
import { TrustedRoot } from "@sigstore/protobuf-specs";
import { toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";

/** The one expression that it knows. */
const ASKER = ".[0].verificationResult.statement.predicate.asker.actor.login // empty";

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    repo: { type: "string" },
    "signer-workflow": { type: "string" },
    "predicate-type": { type: "string" },
    format: { type: "string" },
    jq: { type: "string" },
  },
});
const { GH_TOKEN = "", GITHUB_API_URL = "", GITHUB_SERVER_URL = "", GH_TRUSTED_ROOT = "" } = process.env;

function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const [noun, verb, file = ""] = positionals;
if (noun !== "attestation" || verb !== "verify" || values.format !== "json" || values.jq !== ASKER)
  refuse(`This gh knows no ${process.argv.slice(2).join(" ")}.`);
const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
const url = `${GITHUB_API_URL}/repos/${values.repo}/attestations/sha256:${digest}`;
const answer = await fetch(url, { headers: { authorization: `Bearer ${GH_TOKEN}` } });
if (!answer.ok) refuse(`HTTP ${answer.status}: no attestations found`);
const { attestations } = (await answer.json()) as { attestations: readonly { readonly bundle: unknown }[] };
const root = TrustedRoot.fromJSON(JSON.parse(readFileSync(GH_TRUSTED_ROOT, "utf8").split("\n")[0] ?? ""));

for (const attestation of attestations) {
  const bundle = bundleFromJSON(attestation.bundle);
  if (!isBundleWithDsseEnvelope(bundle)) continue;
  const statement = JSON.parse(bundle.content.dsseEnvelope.payload.toString());
  if (statement.predicateType !== (values["predicate-type"] ?? "https://slsa.dev/provenance/v1")) continue;
  const signer = new Verifier(toTrustMaterial(root)).verify(toSignedEntity(bundle));
  const wanted = `${GITHUB_SERVER_URL}/${values["signer-workflow"]}@`;
  if (signer.identity?.subjectAlternativeName?.startsWith(wanted) !== true) continue;
  process.stdout.write(`${statement.predicate.asker.actor?.login ?? ""}\n`);
  process.exit(0);
}
refuse("no matching attestations found");
