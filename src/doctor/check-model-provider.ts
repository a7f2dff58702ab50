// The exchange of the job's identity at the model's provider, or the change that its administrator has to make. The one check
// that shows the whole subject: a trust is made of it.

import { msUntil } from "../base/clock.ts";
import { createProvider } from "../ci/detect.ts";
import { type CiProvider, IdentityError } from "../ci/provider.ts";
import { providerDefinitions } from "../ci/providers.ts";
import { eventRules } from "../contract/ci/events.ts";
import { isCloud } from "../contract/models/clouds.ts";
import { apiOfModel, federationOf } from "../contract/models/federations.ts";
import { type FederatingProvider, inputOf } from "../contract/models/providers.ts";
import { exchangeIdToken } from "../federation/exchange-id-token.ts";
import { FederationError } from "../federation/federation-error.ts";
import type { ModelFederation, TokenExchange } from "../federation/provider.ts";
import { tokenExchanges } from "../federation/providers.ts";
import type { DoctorCheck, DoctorFix } from "../report/doctor-page.ts";
import { observeModel } from "./check-model.ts";
import { explainNoToken } from "./check-token.ts";
import { type ExamineOptions, found, notTried } from "./examination.ts";
import { readClaims, type TokenClaims } from "./token-claims.ts";

const MODEL_PROVIDER_HEADING = { id: "model-provider", title: "Model without a key" };

type ModelProviderJob = Pick<
  ExamineOptions,
  "env" | "face" | "transport" | "clock" | "random" | "signal" | "federatedModel"
> & {
  readonly federation: ModelFederation;
  /** Null outside of a CI job. */
  readonly provider: CiProvider | null;
  /** Whether a service takes the job's own token. */
  readonly hasService: boolean;
  /** Keeps a value out of the page, and out of the log. */
  readonly hide: (secret: string) => void;
};

/** Mints one token, exchanges it and asks the model's API one small question. The access token is thrown away: it ends by itself. */
export async function checkModelProvider(job: ModelProviderJob): Promise<DoctorCheck> {
  const { provider, federation, hasService, signal } = job;
  if (provider === null) return notTried(MODEL_PROVIDER_HEADING, "this is no CI job");
  const { provider: ci, event } = provider.job;
  if (eventRules(ci, event).isRefused) {
    return notTried(
      MODEL_PROVIDER_HEADING,
      `in a job of "${event}" an outsider's change could use the account, so no token is requested`,
    );
  }
  const { modelTokens } = providerDefinitions[ci];
  if (modelTokens.type === "shared" && hasService) {
    return found(MODEL_PROVIDER_HEADING, {
      state: "fault",
      found: modelTokens.refusal,
      fixes: [{ text: "Leave the identifiers of the model's provider out, or run without a service." }],
    });
  }
  const tokens = tokensOf(
    job,
    modelTokens.type === "variable" ? { tokenVariable: modelTokens.variable } : {},
  );
  try {
    const idToken = await tokens.mintIdToken(federation.audience, signal);
    job.hide(idToken);
    return await exchange(job, idToken);
  } catch (cause) {
    signal?.throwIfAborted();
    if (!(cause instanceof IdentityError)) throw cause;
    return explainNoToken(MODEL_PROVIDER_HEADING, { job: provider.job, error: cause });
  }
}

function tokensOf(
  { env, transport, clock, random }: ModelProviderJob,
  chosen: { readonly tokenVariable?: string },
): CiProvider {
  return createProvider({ env, transport, clock, random, ...chosen });
}

async function exchange(job: ModelProviderJob, idToken: string): Promise<DoctorCheck> {
  const { federation, transport, clock, signal, hide } = job;
  const { title } = federationOf(federation.provider);
  const claims = readClaims(idToken);
  const facts = factsOf(federation, claims);
  try {
    const { accessToken, expiresAt } = await exchangeIdToken(federation, {
      idToken,
      send: transport,
      keep: hide,
      clock,
      signal,
    });
    hide(accessToken);
    const seconds = Math.round(msUntil(clock, expiresAt) / 1000);
    const { apiHeaders: headers, neededRight } = tokenExchanges[federation.provider];
    const secret = { type: "token", value: accessToken } as const;
    const { federatedModel: model } = job;
    const place = { ...apiOfModel(federation, model ?? ""), hasNoModels: isCloud(federation.provider) };
    const api = { ...place, headers, secret, neededRight, model };
    const seen = await observeModel(api, { face: job.face, transport, signal });
    return found(MODEL_PROVIDER_HEADING, {
      state: seen.state,
      found: `${title} takes the job's token, and gave one of its own. No key is needed. ${seen.found}`,
      facts: { ...facts, "its token lasts": `${seconds} s`, model: job.federatedModel },
      fixes: seen.fixes,
    });
  } catch (cause) {
    signal?.throwIfAborted();
    if (!FederationError.is(cause)) throw cause;
    return found(MODEL_PROVIDER_HEADING, {
      state: "fault",
      found: cause.message,
      facts: { reason: cause.code, status: cause.status, ...facts },
      fixes: fixesFor(cause, { federation, trusted: tokenExchanges[federation.provider], claims }),
    });
  }
}

function factsOf(
  { provider, identifiers, audience }: ModelFederation,
  claims: TokenClaims | null,
): Readonly<Record<string, string>> {
  const { "sub, its form": _, ...shown } = claims?.facts ?? {};
  return {
    provider: federationOf(provider).title,
    ...Object.fromEntries(Object.entries(identifiers).map(([field, id]) => [inputOf(provider, field), id])),
    audience,
    ...shown,
    ...(claims?.subject == null ? {} : { sub: claims.subject }),
  };
}

type Refused = {
  readonly federation: ModelFederation;
  readonly trusted: TokenExchange;
  readonly claims: TokenClaims | null;
};

/** Values of this job's token to copy, in the words of the provider's page. */
function fixesFor({ code }: FederationError, { federation, trusted, claims }: Refused): readonly DoctorFix[] {
  const { settingsPage, guideUrl, exchangeUrl } = trusted;
  const { title } = federationOf(federation.provider);
  const guide: DoctorFix = { text: `${title} describes the set-up:`, url: guideUrl };
  switch (code) {
    case "federation_unreachable":
      return [
        { text: `Let the runner reach ${new URL(exchangeUrl(federation.identifiers)).host} on port 443.` },
      ];
    case "federation_unavailable":
      return [
        { text: `Nothing is wrong with the job. Look at the status page of ${title}, and try again later.` },
      ];
    case "federation_token_missing":
    case "federation_token_expired":
    case "federation_token_used":
    case "federation_token_too_large":
    case "federation_answer_invalid":
      return [];
    case "federation_request_invalid":
    case "federation_identifier_unknown":
      return [{ text: `Copy the identifiers again, from ${settingsPage}.` }, guide];
    case "federation_audience_refused":
    case "federation_account_refused":
    case "federation_refused":
      return [
        {
          text: `Compare with what is configured: ${settingsPage}. It must fit these values of the job's token exactly:`,
          code: trustText(federation, claims),
        },
        ...ownFixes[federation.provider](federation),
        guide,
      ];
  }
}

function trustText({ audience }: ModelFederation, claims: TokenClaims | null): string {
  const { iss, repository_id, repository, project_id } = claims?.facts ?? {};
  const lines = {
    issuer: iss,
    audience,
    subject: claims?.subject,
    repository_id,
    repository,
    project_id,
  };
  return Object.entries(lines)
    .flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []))
    .join("\n");
}

/** Fixes that only one provider's administrators can look up. */
const ownFixes: Readonly<Record<FederatingProvider, (refused: ModelFederation) => readonly DoctorFix[]>> = {
  anthropic: ({ identifiers }) => {
    const workspace: DoctorFix = {
      text: "A rule that is enabled for several workspaces needs the one that pays:",
      code: "anthropic-workspace-id: wrkspc_…",
    };
    return [
      { text: "The reason is in the Claude Console: Settings → Workload identity → Authentication events." },
      ...(identifiers.workspace_id === undefined ? [workspace] : []),
    ];
  },
  openai: () => [],
  openrouter: () => [],
  foundry: ({ identifiers: { client_id }, audience }) => [
    {
      text: "Entra compares the whole subject, in the same case. For an application:",
      code: `az ad app federated-credential create --id ${client_id} --parameters '{"name": "agent", "issuer": "…", "subject": "…", "audiences": ["${audience}"]}'`,
    },
  ],
  bedrock: ({ identifiers: { role_arn }, audience }) => [
    {
      text: `The trust policy of ${role_arn}, where the account has an identity provider for the issuer:`,
      code: `"Action": "sts:AssumeRoleWithWebIdentity", "Condition": {"StringEquals": {"{issuer without https://}:aud": "${audience}", "{issuer without https://}:sub": "…"}}`,
    },
  ],
  vertex: ({ identifiers: { workload_identity_provider: provider } }) => [
    {
      text: "The issuer, the mapping and the condition of the provider:",
      code: `gcloud iam workload-identity-pools providers describe ${provider}`,
    },
  ],
};
