// An issuer of CI tokens that the deployment trusts, with its private key: mints the ID tokens of jobs.

import { createPrivateKey, type JsonWebKey, sign } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/ids.ts";

/** As a file holds it. */
export type IssuerDocument = {
  readonly issuer: string;
  readonly audience: string;
  readonly kid: string;
  readonly alg: "RS256" | "ES256";
  readonly private_key: JsonWebKey;
};

export type ClaimValues = Readonly<Record<string, unknown>>;

export type Issuer = {
  readonly audience: string;
  /** A job's token: of a repository of its own unless the claims name one. */
  mint(claims?: ClaimValues, header?: ClaimValues): string;
};

const TOKEN_SECONDS = 300;

/** Signs by node:crypto. The claims are those that GitHub Actions documents. */
export function openIssuer(
  document: IssuerDocument,
  parts: { readonly clock: Clock; readonly random: Random },
): Issuer {
  const { clock, random } = parts;
  const key = createPrivateKey({ key: document.private_key, format: "jwk" });
  return {
    audience: document.audience,
    mint: (claims = {}, header = {}) => {
      const now = Math.floor(clock.now() / 1000);
      const payload = {
        iss: document.issuer,
        aud: document.audience,
        jti: random.uuid(clock.now()),
        iat: now,
        nbf: now,
        exp: now + TOKEN_SECONDS,
        ...ofARepository(random.uuid(clock.now())),
        ...claims,
      };
      const signed = [{ typ: "JWT", alg: document.alg, kid: document.kid, ...header }, payload]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join(".");
      const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
      return `${signed}.${signature.toString("base64url")}`;
    },
  };
}

function ofARepository(id: string): ClaimValues {
  // Small enough for every language, and nobody's: the first repositories of GitHub are older.
  const number = String(900_000_000_000 + Number.parseInt(id.slice(-8), 16));
  return {
    sub: `repo:conform-${number}/project:ref:refs/heads/main`,
    repository: `conform-${number}/project`,
    repository_id: number,
    repository_owner: `conform-${number}`,
    repository_owner_id: `7${number}`,
    repository_visibility: "public",
    actor: "conform",
    actor_id: "1",
    ref: "refs/heads/main",
    ref_type: "branch",
    sha: "0123456789abcdef0123456789abcdef01234567",
    event_name: "push",
    workflow: "conform",
    workflow_ref: `conform-${number}/project/.github/workflows/conform.yml@refs/heads/main`,
    job_workflow_ref: `conform-${number}/project/.github/workflows/conform.yml@refs/heads/main`,
    run_id: number,
    run_number: "1",
    run_attempt: "1",
    runner_environment: "github-hosted",
  };
}
