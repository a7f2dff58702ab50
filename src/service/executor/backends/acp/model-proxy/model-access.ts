// Access of the service to the model of an agent. Types only.

import type { CodingAgentWire } from "../../../../../contract/models/protocols.ts";
import type { FederatedAccess } from "../../../../../federation/provider.ts";
import type { BroughtModel } from "../../../backend.ts";

export type ModelAccess = {
  readonly wire: CodingAgentWire;
  /** With the version, without a trailing slash. */
  readonly baseUrl: string;
  /** Claude on Vertex AI. */
  readonly isRawPredict?: boolean | undefined;
  /** Null where the server needs none. Never in the agent's environment, an event, a message or a log. */
  readonly apiKey: string | null;
  /** By a federated account of the operator: its token is sent in place of a key. */
  readonly federated?: FederatedAccess;
  /** Of the run's own account: its token is sent in place of a key. */
  readonly brought?: BroughtModel;
};
