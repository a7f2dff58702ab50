// What takes a while in a workspace. No schema loads here. Pure.

export const operationKinds = [
  "checkpoint",
  "create_copy",
  "delete_copy",
  "adopt",
  "rollback_adoption",
  "erase_workspace",
] as const;
export type OperationKind = (typeof operationKinds)[number];
