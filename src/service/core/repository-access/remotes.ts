// The port to repositories at their code host, for runs that no job asks for. Implemented in checkouts/remotes/.

import type { Result } from "../../../base/result.ts";
import type { ChosenAccessKind } from "../../../contract/repository-access.ts";
import type { AgentRepository } from "../agents/agent.ts";

/** Which repository, at which issuer's code host. */
export type RemoteRepository = Pick<AgentRepository, "issuer" | "id" | "name">;

/** The credential that a fetch shows to the code host. The App's own key is the implementation's. */
export type RemoteCredential =
  | { readonly kind: "deploy_key"; readonly privateKey: string }
  | { readonly kind: "github_app" };

/** The newest commit of the default branch. */
export type RemoteHead = { readonly sha: string; readonly ref: string; readonly cloneUrl: string };

/** The code host did not give what was asked for. `detail` goes on after "…: ", without a secret, and says what to do. */
export type RemoteRefusal = {
  readonly detail: string;
  /** Whether it may be another answer later, though nobody changes anything. */
  readonly isPassing: boolean;
};

export interface Remotes {
  /** The address that it is fetched from; a refusal says why this service cannot, and what its operator sets. Asks nobody. */
  locate(repository: RemoteRepository, kind: ChosenAccessKind): Result<string, string>;
  /** Asks the code host. Rejects with the signal's reason. */
  findHead(
    remote: { readonly repository: RemoteRepository; readonly credential: RemoteCredential },
    signal: AbortSignal,
  ): Promise<Result<RemoteHead, RemoteRefusal>>;
}
