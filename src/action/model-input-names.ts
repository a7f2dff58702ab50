// The names of the inputs of the model: all that a step without one needs to know of them.

/** In the order of the documentation. `model-inputs.ts` has their kinds. */
export const modelInputNames = [
  "model",
  "fallback-model",
  "explore-model",
  "model-base-url",
  "model-api-key",
  "model-provider",
  "effort",
  "model-price",
  "anthropic-federation-rule-id",
  "anthropic-organization-id",
  "anthropic-service-account-id",
  "anthropic-workspace-id",
  "openai-identity-provider-id",
  "openai-service-account-id",
  "openrouter-federation-policy-id",
  "azure-tenant-id",
  "azure-client-id",
  "azure-resource",
  "azure-token-scope",
  "aws-role-arn",
  "aws-region",
  "aws-endpoint",
  "google-workload-identity-provider",
  "google-service-account",
  "google-project-id",
  "google-location",
  "model-audience",
] as const;

export type ModelInputName = (typeof modelInputNames)[number];
