// The options of a delivery: the changes, the request that they answer, and the job's access to the code host. Types only.

import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { CiJob } from "../../ci/provider.ts";
import type { ChangesEvent } from "../../contract/runs/changes.ts";
import type { ChangesHost, ChangesSubject } from "./changes-host.ts";
import type { Pushed } from "./pushed-commit.ts";

export type DeliveryOptions = {
  readonly mode: "commit" | "pull-request";
  readonly changes: ChangesEvent["value"];
  readonly run: { readonly id: string; readonly sessionId: string };
  /** The agent's reply, in Markdown; may be empty. Untrusted. */
  readonly reply: string;
  /** The title of the commit, where there is no issue or pull request. */
  readonly prompt: string;
  readonly subject: ChangesSubject | null;
  readonly job: CiJob;
  readonly env: Environment;
  readonly host: ChangesHost;
  readonly branchPrefix: string;
  readonly signedCommits: boolean;
  /** Is told of the commit that the delivery pushes. Null: nobody asks. */
  readonly onPushed: ((pushed: Pushed) => void) | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onNote: (note: string) => void;
};
