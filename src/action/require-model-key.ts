// Without a server, a model that takes no request without a key needs one: said before anything is started or sent.

import { untrustedOrigin } from "../ci/github.ts";
import { IdentityError } from "../ci/provider.ts";
import { needsKey } from "../federation/needs-key.ts";
import { StepError } from "../job/step-error.ts";
import type { ActionStep } from "./action-types.ts";
import type { ModelInputs } from "./model-inputs.ts";

const EMPTY = 'the input "model-api-key" is empty';
const origins = {
  fork_pull_request: "jobs of a fork's pull request get no secrets",
  dependabot:
    "jobs that Dependabot starts get no secrets but those of Settings → Secrets and variables → Dependabot",
} as const;

/**
 * Of a model that no input gives a key. Rejects with StepError where it needs one, and with IdentityError where GitHub withholds it: the
 * job is then skipped.
 */
export async function requireModelKey({ env }: ActionStep, { baseUrl }: ModelInputs): Promise<void> {
  const origin = await untrustedOrigin(env);
  // A server beside the job may need no key: it is reached by plain http.
  if (origin !== null && (baseUrl === null || baseUrl.startsWith("https:"))) {
    const message = `Nothing ran: ${origins[origin]}, and ${EMPTY}. A maintainer can ask for a run in a comment, or start one by workflow_dispatch.`;
    throw new IdentityError(origin, message);
  }
  if (!needsKey(baseUrl)) return;
  throw new StepError(
    "invalid_settings",
    'Input "model-api-key" is empty, and the model\'s API takes no request without a key. ' +
      "The secret that it names is not set, or its name is misspelled: Settings → Secrets and variables → Actions. " +
      "docs/keyless-models.md shows how to do without a key.",
  );
}
