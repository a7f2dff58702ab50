// Evaluates the documents by which administrators configure a trust, as the clouds' pages describe them: a role's trust policy of AWS, a
// provider of a workload identity pool of Google. What a document has beside that is refused, so that no test passes by what nobody
// evaluates. Looked up on 2026-11-29: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_iam-condition-keys.html,
// https://docs.aws.amazon.com/IAM/latest/UserGuide/id_session-tags.html,
// https://cloud.google.com/iam/docs/reference/rest/v1/projects.locations.workloadIdentityPools.providers

import * as z from "zod/mini";

export type TokenClaims = Readonly<Record<string, unknown>>;

const texts = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.transform((value: string | string[]) => [value].flat()),
);
const conditions = z.record(z.string(), texts);
const trustPolicySchema = z.strictObject({
  Version: z.literal("2012-10-17"),
  Statement: z.array(
    z.strictObject({
      Effect: z.literal("Allow"),
      Principal: z.strictObject({ Federated: z.string() }),
      Action: texts,
      Condition: z.strictObject({ StringEquals: z.optional(conditions), StringLike: z.optional(conditions) }),
    }),
  ),
});

const AWS_TAGS = "https://aws.amazon.com/tags";
const tagsSchema = z.object({ principal_tags: z.record(z.string(), z.array(z.string())) });
/** The claims of a token that a condition can name, of an identity provider that AWS does not know by name. */
const conditionKeys = ["aud", "sub", "amr"];

/** Whether a role with this trust policy may be assumed with the token. A token with tags needs the right to pass them. */
export function isAssumable(
  document: unknown,
  { claims, account }: { readonly claims: TokenClaims; readonly account: string },
): boolean {
  const { Statement } = trustPolicySchema.parse(document);
  const provider = String(claims.iss).replace(/^https?:\/\//, "");
  const tags = tagsSchema.safeParse(claims[AWS_TAGS]);
  const needed = ["sts:AssumeRoleWithWebIdentity", ...(tags.success ? ["sts:TagSession"] : [])];
  const valuesOf = (key: string): readonly string[] => {
    const tag = /^aws:RequestTag\/(.+)$/.exec(key)?.[1];
    if (tag !== undefined) return (tags.success ? tags.data.principal_tags[tag] : undefined) ?? [];
    const claim = conditionKeys.find((name) => key === `${provider}:${name}`);
    return claim === undefined || claims[claim] === undefined ? [] : [claims[claim]].flat().map(String);
  };
  const meets = (
    wanted: Readonly<Record<string, readonly string[]>>,
    is: (value: string, one: string) => boolean,
  ) =>
    Object.entries(wanted).every(([key, allowed]) =>
      valuesOf(key).some((value) => allowed.some((one) => is(value, one))),
    );
  return Statement.some(
    ({ Principal, Action, Condition: { StringEquals = {}, StringLike = {} } }) =>
      Principal.Federated === `arn:aws:iam::${account}:oidc-provider/${provider}` &&
      needed.every((action) => Action.includes(action)) &&
      meets(StringEquals, (value, one) => value === one) &&
      meets(StringLike, isAlike),
  );
}

/** A `*` of the pattern stands for any text. */
export function isAlike(value: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return value === pattern;
  if (!value.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = rest.at(-1) ?? "";
  return value.length - at >= last.length && value.endsWith(last);
}

const poolProviderSchema = z.strictObject({
  displayName: z.optional(z.string().check(z.maxLength(32))),
  attributeMapping: z.record(
    z.string().check(z.regex(/^(?:google\.subject|attribute\.[a-z_]+)$/)),
    z.string(),
  ),
  attributeCondition: z.string(),
  oidc: z.strictObject({ issuerUri: z.string(), allowedAudiences: z.optional(z.array(z.string())) }),
});
/** The most that a subject may have. */
const MAX_SUBJECT_BYTES = 127;

export type PoolProvider = z.output<typeof poolProviderSchema>;

export function poolProvider(document: unknown): PoolProvider {
  return poolProviderSchema.parse(document);
}

/** Whether the provider's condition lets the token in, and its mapping gives a subject. */
export function isFederated(
  { attributeMapping, attributeCondition }: PoolProvider,
  claims: TokenClaims,
): boolean {
  const mapped = Object.entries(attributeMapping).map(([name, expression]) => {
    const claim = /^assertion\.([a-z_]+)$/.exec(expression)?.[1];
    if (claim === undefined) throw new Error(`Nobody here evaluates the mapping ${expression}.`);
    return [name, claims[claim]] as const;
  });
  const subject = Object.fromEntries(mapped)["google.subject"];
  if (typeof subject !== "string" || Buffer.byteLength(subject) > MAX_SUBJECT_BYTES) return false;
  if (mapped.some(([, value]) => typeof value !== "string")) return false;
  return attributeCondition.split("&&").every((term) => {
    const [, claim = "", value] = /^ *assertion\.([a-z_]+) == "([^"]*)" *$/.exec(term) ?? [];
    if (value === undefined) throw new Error(`Nobody here evaluates the condition ${term}.`);
    return claims[claim] === value;
  });
}
