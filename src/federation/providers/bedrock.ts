// Amazon Bedrock: AssumeRoleWithWebIdentity at STS, whose credentials become a short-term Bedrock key at once and are forgotten. Looked up
// on 2026-11-29: https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html (fields, errors).

import { stsHost } from "../../contract/models/clouds.ts";
import { type AwsSession, bedrockKey, SESSION_SECONDS } from "../bedrock-key.ts";
import { claimsOf, type IdTokenClaims } from "../claims.ts";
import type { ExchangeRefusal, Explained, ModelFederation, TokenExchange } from "../provider.ts";
import { formOf } from "../token-exchange.ts";

const PAGE = "IAM, Roles → Trust relationships, and Identity providers";

/** A session may do less than its role: ask models, and nothing else. */
const policy = JSON.stringify({
  Version: "2012-10-17",
  Statement: [
    {
      Effect: "Allow",
      Action: [
        "bedrock:InvokeModel",
        "bedrock:InvokeModelWithResponseStream",
        "bedrock:CallWithBearerToken",
        "bedrock-mantle:CreateInference",
        "bedrock-mantle:CallWithBearerToken",
      ],
      Resource: "*",
    },
  ],
});

const urlOf = (region: string | undefined) => `https://${stsHost(region)}/`;

export const bedrock: TokenExchange = {
  exchangeUrl: ({ region }) => urlOf(region),
  apiHeaders: {},
  settingsPage: PAGE,
  matches:
    "whether the account has an identity provider with the token's issuer; its audiences; and that the role's trust policy allows sts:AssumeRoleWithWebIdentity for the token's subject and audience",
  guideUrl:
    "https://docs.github.com/en/actions/how-tos/secure-your-work/security-harden-deployments/oidc-in-aws",
  neededRight:
    "The role needs bedrock:InvokeModel, bedrock:InvokeModelWithResponseStream and bedrock:CallWithBearerToken (for mantle bedrock-mantle:CreateInference and bedrock-mantle:CallWithBearerToken) for this model, and no service control policy against it.",
  exchange: async ({ idToken, identifiers: { role_arn: role = "", region = "" }, send, keep, nowMs }) => {
    const answer = await send({
      url: urlOf(region),
      ...formOf({
        Action: "AssumeRoleWithWebIdentity",
        Version: "2011-06-15",
        RoleArn: role,
        RoleSessionName: sessionNameOf(claimsOf(idToken)),
        WebIdentityToken: idToken,
        DurationSeconds: String(SESSION_SECONDS),
        Policy: policy,
      }),
    });
    const credentials = credentialsIn(answer);
    if (credentials === null) return { accessToken: null };
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    for (const secret of [accessKeyId, secretAccessKey, sessionToken]) keep(secret);
    return await bedrockKey(credentials, { region, nowMs });
  },
  explain,
};

function credentialsIn(answer: Readonly<Record<string, unknown>>): Required<AwsSession> | null {
  const response = fieldsOf(answer.AssumeRoleWithWebIdentityResponse);
  const result = fieldsOf(response.AssumeRoleWithWebIdentityResult);
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = fieldsOf(result.Credentials);
  // In JSON it is a number of seconds, elsewhere a date.
  const endsAtMs = typeof Expiration === "number" ? Expiration * 1000 : Date.parse(String(Expiration));
  const isWhole = [AccessKeyId, SecretAccessKey, SessionToken].every(
    (part) => typeof part === "string" && part.length >= 16,
  );
  if (!isWhole || Number.isNaN(endsAtMs)) return null;
  return {
    accessKeyId: String(AccessKeyId),
    secretAccessKey: String(SecretAccessKey),
    sessionToken: String(SessionToken),
    endsAtMs,
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** In CloudTrail it says which run of the CI asked. */
function sessionNameOf(claims: IdTokenClaims | null): string {
  const run = claims?.runId ?? null;
  return run === null ? "agent-service" : `agent-service-${run}`;
}

function explain(
  { status, error, text }: ExchangeRefusal,
  { audience, identifiers }: ModelFederation,
): Explained {
  const { role_arn: role, region } = identifiers;
  const account = /::(\d{12}):/.exec(role ?? "")?.[1] ?? "";
  switch (error) {
    case "AccessDenied":
    case "AccessDeniedException":
      return {
        code: "federation_refused",
        advice: `The trust policy of ${role} does not let this job assume it, or there is no such role. Compare its conditions on the token's subject and audience ("${audience}") with the values that the doctor shows (${PAGE}).`,
      };
    case "InvalidIdentityToken":
      return explainInvalid(text, { account, audience });
    case "IDPRejectedClaim":
      return {
        code: "federation_refused",
        advice:
          "The identity provider rejected a claim of the ID token. Another try would end as this one did.",
      };
    case "IDPCommunicationError":
      return {
        code: "federation_unavailable",
        advice: "STS could not reach the issuer of the ID token. Run the job again later.",
      };
    case "ExpiredToken":
    case "ExpiredTokenException":
      return {
        code: "federation_token_expired",
        advice: "The ID token had expired before STS saw it. Compare the runner's clock.",
      };
    case "PackedPolicyTooLarge":
    case "MalformedPolicyDocument":
      return {
        code: "federation_request_invalid",
        advice:
          "STS does not take the session's policy beside what the role's sessions have. Remove session tags from the trust.",
      };
    case "RegionDisabledException":
      return {
        code: "federation_account_refused",
        advice: `STS is not active in ${region} for the account ${account}. Activate it in IAM, Account settings, or choose another aws-region.`,
      };
    case "ValidationError":
      return {
        code: "federation_request_invalid",
        advice: `STS cannot read the request. Correct aws-role-arn ${role} or aws-region ${region}.`,
      };
    default:
      return status === 403 ? "federation_account_refused" : "federation_refused";
  }
}

function explainInvalid(
  text: string,
  { account, audience }: { readonly account: string; readonly audience: string },
): Explained {
  if (/audience/i.test(text)) {
    return {
      code: "federation_audience_refused",
      advice: `The identity provider in the account ${account} does not list the audience "${audience}". Add it there, or set "model-audience" to one that it lists.`,
    };
  }
  if (/No OpenIDConnect provider/i.test(text)) {
    return {
      code: "federation_refused",
      advice: `The account ${account} has no identity provider for the issuer of the job's token. Add one in IAM, Identity providers, with the issuer as the doctor shows it and the audience "${audience}".`,
    };
  }
  if (/verification key/i.test(text)) {
    return {
      code: "federation_refused",
      advice:
        "AWS cannot fetch the keys of the ID token's issuer. They must be public: look at the issuer's address, and run the job again.",
    };
  }
  return {
    code: "federation_refused",
    advice: `AWS does not accept the ID token. Compare issuer and audience ("${audience}") in IAM, Identity providers of the account ${account}, with the values that the doctor shows.`,
  };
}
