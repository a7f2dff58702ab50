// The form of examples, and the ids and the money that every example of the OpenAPI document is told with: one account, one
// agent, one run. Pure.

export const ACCOUNT_ID = "3f0e8a52-6f5b-4a8e-9a43-0a4f5d6e7b81";
export const AGENT_ID = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
export const THREAD_ID = "b8d5a1c2-90f4-4f0e-8d2b-5f6a7c8e9d10";
export const RUN_ID = "0198d2c4-5b7a-7c31-9e42-6d1f0a8b3c55";
export const SCHEDULE_ID = "5d1c7f3a-2b84-4e6f-8c90-1a2b3c4d5e6f";
export const APPROVAL_ID = "0198d2c4-5c33-7b02-a1d4-8e7f6a5b4c3d";
export const WORKFLOW_ID = "e4b1f6d8-3c25-47a9-b0e7-9f8d6c5b4a32";
export const REQUEST_ID = "0198d2c4-5b10-7e55-8f21-3c4d5e6f7a8b";

export const repository = {
  provider: "github",
  id: "1296269",
  owner_id: "583231",
  name: "octo-org/hello-world",
  visibility: "public" as const,
};

/** The run's turn cost 24,000 micro-USD, which is 2.88 credits: 3 are charged. */
export const settled = {
  credits: 3,
  tokens: 18_240,
  gross_micro_usd: 24_000,
  usage_by_role: { executor: { credits: 2.88, micro_usd: 24_000, tokens: 18_240, calls: 4 } },
};

export const WORKSPACE_ID = "a2f6c1d4-8b3e-4c57-9d20-1e5f7a9b3c48";
export const COPY_ID = "c4d8e2f6-1a5b-4e93-8f07-2b6c9d1e5a74";
export const REVISION_ID = "0198d2c4-6a11-7d42-b3f5-4e8a9c0d1b26";
export const LATER_REVISION_ID = "0198d2c4-7b22-7e53-a4c6-5f9b0d1e2c37";
export const PIN_ID = "0198d2c4-9b55-7386-b91b-a4ef5263718c";
export const OPERATION_ID = "0198d2c4-6c33-7f64-95d7-60ac1e2f3d48";
export const CHANGESET_ID = "0198d2c4-8d44-7075-86e8-71bd2f304e59";
export const TASK_GROUP_ID = "0198d2c4-6e55-7186-97f9-82ce30415f6a";
export const WORKER_ID = "0198d2c4-6f66-7297-a80a-93df4152607b";
export const MEMBER_ID = "0198d2c4-6a12-7318-a91b-a4ef5263718c";
export const CONTEXT_ITEM_ID = "0198d2c4-6a13-7429-ba2c-b5f06374829d";

type Example<Value> = { readonly summary: string; readonly value: Value };

/** Examples by names that are unique in the document. */
export type NamedExamples<Value = unknown> = Readonly<Record<string, Example<Value>>>;
