// An owner's choice of access, as it is stored. Pure.

type Chosen = { readonly agentId: string; readonly createdAt: number };

export type StoredAccess =
  | (Chosen & {
      readonly kind: "deploy_key";
      /** As an `authorized_keys` file has it. */
      readonly publicKey: string;
      /** The private key as `seal` writes it, bound to the agent. */
      readonly sealed: string;
    })
  | (Chosen & { readonly kind: "github_app" });

/** The binding of a sealed key: of another agent it cannot be opened. */
export function boundTo(agentId: string): string {
  return `deploy key of agent ${agentId}`;
}
