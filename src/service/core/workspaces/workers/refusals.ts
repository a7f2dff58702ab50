// Why a worker is not started or found. Pure.

export type WorkerRefusal =
  | { readonly reason: "worker_not_found"; readonly workerId: string; readonly workspaceId: string }
  | { readonly reason: "worker_base_named_twice" };
