// Actors in a workspace, as they are stored and shown. Pure.

export type Actor =
  | { readonly type: "owner" }
  | { readonly type: "ai_client"; readonly name: string | null }
  | { readonly type: "run"; readonly run_id: string; readonly agent_id: string }
  | { readonly type: "service" };
