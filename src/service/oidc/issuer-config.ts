// The issuers that this service accepts: the entries of CI_ISSUERS, and the rules for an entry. Pure.
// Why: docs/decisions/010-allow-events-per-issuer.md

import * as z from "zod/mini";
import { PIPELINE_PLACEHOLDER, REPOSITORY_PLACEHOLDER } from "../../base/clone-template.ts";
import { isLoopbackName } from "../../base/confidential-url.ts";
import type { Result } from "../../base/result.ts";
import { decodeBySchema, json, jsonInteger } from "../../base/settings/json-kinds.ts";
import type { Kind } from "../../base/settings/setting.ts";
import { strictObject } from "../../base/strict-object.ts";
import { refusedEvents } from "../../contract/ci/events.ts";
import { ciProviderNames, ciProviders } from "../../contract/ci/providers.ts";
import { AZURE_REFUSED, isAzureIssuer } from "./azure-devops.ts";

/** Providers whose tokens say whether the repository is public. */
const visibilityClaimers = ciProviderNames.filter((name) => ciProviders[name].claimsVisibility);
/** Providers whose repositories may be cloned by the name of their pipeline. */
const pipelineCloners = ciProviderNames.filter((name) => ciProviders[name].cloneNames.includes("pipeline"));
const MAX_TOKEN_SECONDS = 30 * 24 * 3600;

/** Events that are refused unless an entry allows them: an outsider's change can steer such a job. */
const riskyEvents = ciProviderNames.flatMap(refusedEvents);

const secureUrl = z
  .string("must be a URL")
  .check(z.refine(isSecureUrl, "must be an https URL without credentials (http only on loopback)"));

const issuerUrl = secureUrl.check(
  z.refine(
    (text) => !/[?#]/.test(text),
    "must be an issuer URL, exactly as tokens spell it: no query, no fragment",
  ),
  z.refine((text) => !isAzureIssuer(text), `must be another provider's. ${AZURE_REFUSED.replace(/\.$/, "")}`),
);

const cloneUrl = secureUrl.check(
  z.refine(holdsPlaceholder, `must contain ${REPOSITORY_PLACEHOLDER} once, in its path, and no query`),
);

const sshUrl = z
  .string("must be a URL")
  .check(
    z.refine(
      isSshTemplate,
      `must be like ssh://git@git.example.com/${REPOSITORY_PLACEHOLDER}.git: a user without a secret, ${REPOSITORY_PLACEHOLDER} once, in its path`,
    ),
  );

const entrySchema = strictObject({
  provider: z.enum(ciProviderNames, `must be one of: ${ciProviderNames.join(", ")}`),
  /** Compared with `iss` letter by letter. */
  issuer: issuerUrl,
  jwks_uri: secureUrl,
  /** `{repository}` stands for `owner/name`, or what each provider has in its place. */
  clone_url: cloneUrl,
  /** The address of its repositories for deploy keys. Left out: at the host of `clone_url`, for the user `git`. */
  ssh_url: z.optional(sshUrl),
  /** False refuses every token of this issuer, before any cryptography. */
  enabled: z._default(z.boolean("must be true or false"), true),
  allow_events: z._default(
    z.array(z.enum(riskyEvents, `must be one of: ${riskyEvents.join(", ")}`), "must be a list of events"),
    [],
  ),
  /** The longest life of a token, in place of the provider's. Each token is remembered for so long. */
  max_token_seconds: z.optional(jsonInteger({ min: 60, max: MAX_TOKEN_SECONDS })),
  /** The visibility of its repositories where tokens do not say; private unless written. */
  visibility: z.optional(z.enum(["public", "private"], "must be public or private")),
});

/** One entry of CI_ISSUERS. */
const issuerSchema = entrySchema.check(
  z.refine((entry) => entry.visibility === undefined || !visibilityClaimers.includes(entry.provider), {
    path: ["visibility"],
    error: `must be left out: tokens of ${visibilityClaimers.join(" and ")} say it themselves`,
  }),
  z.refine(
    (entry) => pipelineCloners.includes(entry.provider) || entry.clone_url.includes(REPOSITORY_PLACEHOLDER),
    {
      path: ["clone_url"],
      error: `must contain ${REPOSITORY_PLACEHOLDER}: ${PIPELINE_PLACEHOLDER} is for ${pipelineCloners.join(" and ")}`,
    },
  ),
);

export type IssuerConfig = z.infer<typeof issuerSchema>;

/** GitHub's public issuer, the default. */
export const githubIssuer: IssuerConfig = {
  provider: "github",
  issuer: ciProviders.github.issuer.url,
  jwks_uri: ciProviders.github.issuer.url + ciProviders.github.issuer.keysPath,
  clone_url: "https://github.com/{repository}.git",
  enabled: true,
  allow_events: [],
};

const issuersSchema = z.array(issuerSchema, "must be a list").check(
  z.minLength(1, "must name an issuer"),
  z.check((payload) => {
    const issuers = payload.value.map(({ issuer }) => issuer);
    for (const [index, issuer] of issuers.entries()) {
      if (issuers.indexOf(issuer) === index) continue;
      const message = `must be listed once, got ${JSON.stringify(issuer)} again`;
      payload.issues.push({ code: "custom", path: [index, "issuer"], message, input: issuer });
    }
  }),
);

export const issuersKind: Kind<readonly IssuerConfig[]> = json({
  allowed: "a JSON list of issuers",
  schema: issuersSchema,
});

/**
 * Decodes the parsed JSON of CI_ISSUERS. A refusal is every fault found, each one line that begins with the
 * place: `[0].jwks_uri must be an https URL …`.
 */
export function decodeIssuers(value: unknown): Result<readonly IssuerConfig[], readonly string[]> {
  return decodeBySchema(issuersSchema, value);
}

function isSecureUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || /\s/.test(text)) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackName(url.hostname));
}

function isSshTemplate(text: string): boolean {
  const parts = text.split(REPOSITORY_PLACEHOLDER);
  const url = URL.parse(parts.join("owner/name"));
  if (parts.length !== 2 || url?.protocol !== "ssh:") return false;
  const { username, password, hostname, pathname, search, hash } = url;
  return (
    /^[\w-]+$/.test(username) &&
    password + search + hash === "" &&
    /^[\w[][\w.:\]-]*$/.test(hostname) &&
    pathname.includes("/owner/name")
  );
}

function holdsPlaceholder(text: string): boolean {
  const parts = text.replace(PIPELINE_PLACEHOLDER, REPOSITORY_PLACEHOLDER).split(REPOSITORY_PLACEHOLDER);
  const url = URL.parse(parts.join("owner/name"));
  return parts.length === 2 && url !== null && url.search === "" && url.pathname.includes("/owner/name");
}
