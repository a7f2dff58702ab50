// The name that its maker gave a model, of the names that gateways and clouds make of it. Pure.

/** Amazon Bedrock's inference profiles that stay in a part of the world. */
const regional = /^(?:us|us-gov|eu|apac|jp|au|ca)\./;
/** "global." and a maker: "anthropic.claude-…". A dot within a version is followed by a digit. */
const places = /^(?:global\.)?(?:[a-z][a-z0-9]{1,30}\.(?=[a-z]))?/;
/** Versions of Amazon Bedrock ("-v1:0", ":0") and dates of Vertex AI ("@20250929"). */
const versions = /(?:-v\d{1,2})?:\d{1,3}$|@\d{8}$/;

type PlainName = {
  readonly name: string;
  /** Asked in one part of the world alone, for which clouds take more. */
  readonly isRegional: boolean;
};

export function plainName(modelId: string): PlainName {
  const last = modelId.slice(modelId.lastIndexOf("/") + 1).toLowerCase();
  const name = last.replace(regional, "").replace(places, "").replace(versions, "");
  return { name, isRegional: regional.test(last) };
}
