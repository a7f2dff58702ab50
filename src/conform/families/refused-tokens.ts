// Every token that POST /v1/ci/oidc/exchange refuses, each with its reason.

import { expectMember, expectRefused } from "../kit/expect.ts";
import type { ClaimValues } from "../kit/issuer.ts";
import { exchange, freshRepository, mint } from "../kit/jobs.ts";
import type { Statement } from "../kit/statement.ts";
import type { World } from "../kit/world.ts";

/** Seconds from now. */
const at = (world: World, seconds: number) => Math.floor(world.clock.now() / 1_000) + seconds;

type Token = (world: World) => string;
type RefusedLine = readonly [id: string, says: string, token: Token, status: number, reason: string];

const withClaims =
  (claims: ClaimValues): Token =>
  (world) =>
    mint(world, { ...freshRepository(world), ...claims });
const withHeader =
  (header: ClaimValues): Token =>
  (world) =>
    mint(world, freshRepository(world), header);
/** With another part in the place of one. */
const spliced =
  (place: number, change: (part: string) => string): Token =>
  (world) =>
    mint(world)
      .split(".")
      .map((part, index) => (index === place ? change(part) : part))
      .join(".");
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
/** Another letter that decodes to other bits. */
const otherLetter = (part: string) => (part.startsWith("A") ? "B" : "A") + part.slice(1);
const altered = (part: string) => {
  const claims = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  return encode({ ...claims, repository_owner_id: "1" });
};

const tokens: readonly RefusedLine[] = [
  ["signature", "whose signature is another", spliced(2, otherLetter), 401, "signature_invalid"],
  ["altered", "whose claims were altered", spliced(1, altered), 401, "signature_invalid"],
  ["no-signature", "without a signature", spliced(2, () => ""), 401, "token_malformed"],
  ["alg-none", 'of the algorithm "none"', withHeader({ alg: "none" }), 401, "algorithm_refused"],
  ["alg-hs256", "of the algorithm HS256", withHeader({ alg: "HS256" }), 401, "algorithm_refused"],
  [
    "alg-other-case",
    "whose algorithm is in other case",
    withHeader({ alg: "rs256" }),
    401,
    "algorithm_refused",
  ],
  ["no-alg", "without an algorithm", withHeader({ alg: undefined }), 401, "algorithm_refused"],
  ["no-kid", "that names no key", withHeader({ kid: undefined }), 401, "token_malformed"],
  ["number-kid", "whose key is a number", withHeader({ kid: 7 }), 401, "token_malformed"],
  [
    "unknown-kid",
    "of a key that the issuer does not have",
    withHeader({ kid: "no-such-key" }),
    401,
    "key_unknown",
  ],
  ["crit", "that demands extensions", withHeader({ crit: ["exp"] }), 401, "token_malformed"],
  [
    "two-parts",
    "of two parts",
    (world) => mint(world).split(".").slice(0, 2).join("."),
    401,
    "token_malformed",
  ],
  ["four-parts", "of four parts", (world) => `${mint(world)}.AAAA`, 401, "token_malformed"],
  ["space", "with a space before it", (world) => ` ${mint(world)}`, 401, "token_malformed"],
  ["line", "with a line break after it", (world) => `${mint(world)}\n`, 401, "token_malformed"],
  ["padded", "with padding", (world) => `${mint(world)}==`, 401, "token_malformed"],
  ["no-json", "whose claims are no JSON", spliced(1, () => "AAAA"), 401, "token_malformed"],
  [
    "long",
    "that is longer than any token",
    (world) => mint(world, { long: "x".repeat(17_000) }),
    401,
    "token_malformed",
  ],
  ["a-key", "that is a key of an account", () => `svc_sk_${"A".repeat(49)}`, 401, "token_malformed"],
  ["other-issuer", "of another issuer", withClaims({ iss: "https://issuer.example" }), 401, "issuer_unknown"],
  ["no-issuer", "without an issuer", withClaims({ iss: undefined }), 401, "issuer_unknown"],
  [
    "issuer-slash",
    "whose issuer has one slash more",
    (world) => mint(world, { iss: `${issuerOf(world)}/` }),
    401,
    "issuer_unknown",
  ],
  [
    "other-audience",
    "for another audience",
    withClaims({ aud: "another.example" }),
    401,
    "audience_mismatch",
  ],
  ["no-audience", "without an audience", withClaims({ aud: undefined }), 401, "audience_mismatch"],
  [
    "audience-list",
    "for a list of audiences",
    (world) => mint(world, { aud: [world.issuer?.audience ?? "", "another.example"] }),
    401,
    "audience_mismatch",
  ],
  [
    "audience-list-of-one",
    "for a list with the one audience",
    (world) => mint(world, { aud: [world.issuer?.audience ?? ""] }),
    401,
    "audience_mismatch",
  ],
  [
    "expired",
    "that has expired",
    (world) => mint(world, { exp: at(world, -120), iat: at(world, -400), nbf: at(world, -400) }),
    401,
    "token_expired",
  ],
  ["no-exp", "without an end", withClaims({ exp: undefined }), 401, "claim_missing"],
  ["text-exp", "whose end is a text", withClaims({ exp: "tomorrow" }), 401, "claim_missing"],
  ["no-iat", "without the time of its issue", withClaims({ iat: undefined }), 401, "claim_missing"],
  [
    "future",
    "that is issued later",
    (world) => mint(world, { iat: at(world, 300), nbf: at(world, 300), exp: at(world, 600) }),
    401,
    "token_not_yet_valid",
  ],
  [
    "not-before",
    "that is valid later",
    (world) => mint(world, { nbf: at(world, 300) }),
    401,
    "token_not_yet_valid",
  ],
  [
    "long-life",
    "that lives for a year",
    (world) => mint(world, { exp: at(world, 365 * 86_400) }),
    401,
    "token_lifetime_too_long",
  ],
  ["no-jti", "without an id", withClaims({ jti: undefined }), 401, "claim_missing"],
  ["empty-jti", "whose id is empty", withClaims({ jti: "" }), 401, "claim_missing"],
  [
    "no-repository-id",
    "without its repository's id",
    withClaims({ repository_id: undefined }),
    401,
    "claim_missing",
  ],
  [
    "repository-name-as-id",
    "whose repository's id is a name",
    withClaims({ repository_id: "octo/hello" }),
    401,
    "claim_missing",
  ],
  [
    "no-owner-id",
    "without its repository's owner",
    withClaims({ repository_owner_id: undefined }),
    401,
    "claim_missing",
  ],
  [
    "no-repository",
    "without its repository's name",
    withClaims({ repository: undefined }),
    401,
    "claim_missing",
  ],
  ["no-event", "without its event", withClaims({ event_name: undefined }), 401, "claim_missing"],
  ["no-run-id", "without its run's id", withClaims({ run_id: undefined }), 401, "claim_missing"],
  ["no-sha", "without its commit", withClaims({ sha: undefined }), 401, "claim_missing"],
  [
    "target",
    "of pull_request_target",
    withClaims({ event_name: "pull_request_target" }),
    403,
    "event_refused",
  ],
  ["workflow-run", "of workflow_run", withClaims({ event_name: "workflow_run" }), 403, "event_refused"],
];

function issuerOf(world: World): string {
  const [, payload = ""] = mint(world).split(".");
  return String(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")).iss);
}

export const refusedTokens: readonly Statement[] = tokens.map(
  ([id, says, token, status, reason]): Statement => ({
    id: `refused-token.${id}`,
    section: "4.5",
    says: `A token ${says} is answered ${status}.`,
    needs: ["issuer"],
    check: async (world) => {
      const answer = expectRefused(await exchange(world, { subject_token: token(world) }), status);
      expectMember(answer, "reason", reason);
    },
  }),
);
