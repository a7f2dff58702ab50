// The clouds that a house plays beside its own hosts.

import { type BedrockSettings, bedrockCloud, bedrockIdentifiers } from "./bedrock.ts";
import type { CloudFake, CloudIssuer } from "./cloud.ts";
import { type FoundrySettings, foundryCloud, foundryIdentifiers } from "./foundry.ts";
import { PROVIDER, type VertexSettings, vertexCloud, vertexIdentifiers } from "./vertex.ts";

export type CloudSettings = {
  readonly foundry?: Partial<FoundrySettings>;
  readonly bedrock?: Partial<BedrockSettings>;
  readonly vertex?: Partial<VertexSettings>;
};

export function openClouds(issuer: CloudIssuer, settings: CloudSettings = {}): readonly CloudFake[] {
  return [
    foundryCloud(issuer, settings.foundry),
    bedrockCloud(issuer, settings.bedrock),
    vertexCloud(issuer, settings.vertex),
  ];
}

/** Identifiers of a trust at each, by the names of their fields, and models that are there. */
export const cloudTrusts = {
  foundry: {
    prefix: "azure",
    identifiers: foundryIdentifiers,
    audience: "api://AzureADTokenExchange",
    models: ["claude-x", "gpt-x", "grok-x"],
  },
  bedrock: {
    prefix: "aws",
    identifiers: bedrockIdentifiers,
    audience: "sts.amazonaws.com",
    models: ["us.anthropic.claude-x", "openai.gpt-x", "moonshotai.kimi-x"],
  },
  vertex: {
    prefix: "google",
    identifiers: vertexIdentifiers,
    audience: `https://iam.googleapis.com/${PROVIDER}`,
    models: ["claude-x", "gemini-x"],
  },
} as const;

export type PlayedCloud = keyof typeof cloudTrusts;
export const playedClouds = Object.keys(cloudTrusts) as readonly PlayedCloud[];

/** The inputs that name the trust. */
export function cloudInputs(cloud: PlayedCloud): Readonly<Record<string, string>> {
  const { prefix, identifiers } = cloudTrusts[cloud];
  return Object.fromEntries(
    Object.entries(identifiers).map(([field, id]) => [`${prefix}-${field.replaceAll("_", "-")}`, id]),
  );
}
