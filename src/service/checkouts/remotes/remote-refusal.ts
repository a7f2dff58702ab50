// From the failure of git at a code host that was shown a credential to what people are told. Pure.
// Git and ssh have no error codes: their English messages (LC_ALL=C) are read here and nowhere else. None is quoted.

import { GitError } from "../../../base/git/git.ts";
import type { RemoteCredential, RemoteRefusal } from "../../core/repository-access/remotes.ts";

type Kind = RemoteCredential["kind"];

const denied: Readonly<Record<Kind, string>> = {
  deploy_key:
    "the code host does not accept the deploy key; add the public key that the agent's settings show to the repository's deploy keys, without write access",
  github_app:
    "the code host does not accept the App's installation token; look whether the App may read the repository's contents",
};
const absent: Readonly<Record<Kind, string>> = {
  deploy_key:
    "the code host shows no such repository to the deploy key; add the public key that the agent's settings show to this repository, and run the agent once from CI if the repository was renamed",
  github_app:
    "the code host shows no such repository to the App; run the agent once from CI if the repository was renamed",
};

const explanations: readonly (readonly [
  pattern: RegExp,
  text: string | Readonly<Record<Kind, string>>,
  isPassing: boolean,
])[] = [
  [
    /Host key verification failed|HOST IDENTIFICATION HAS CHANGED|host key is known for|no hostkey alg|no matching host key type/i,
    "the code host shows another host key than the pinned one, and nothing was sent to it; tell the service's operator, who compares it with the published one (SSH_KNOWN_HOSTS_FILE)",
    false,
  ],
  [/Permission denied|returned error: 40[13]|could not read Username|Authentication failed/, denied, false],
  [
    /Repository not found|does not appear to be a git repository|repository '[^']*' not found|returned error: 404|could not be found/i,
    absent,
    false,
  ],
  [
    /cannot run ssh|ssh: not found|No user exists for uid/,
    "the service cannot execute ssh; tell its operator",
    false,
  ],
  [
    /UNPROTECTED PRIVATE KEY|Load key|invalid format/,
    "the service cannot use the deploy key; tell its operator",
    false,
  ],
  [
    /not our ref|couldn't find remote ref|unadvertised object/,
    "the code host does not have this commit any more; its branch may have been force-pushed or deleted",
    false,
  ],
  [
    /Could not resolve|Connection (refused|timed out|reset|closed)|timed out|Network is unreachable|No route to host|Failed to connect|Couldn't connect|returned error: (429|5\d\d)|kex_exchange/i,
    "the code host could not be reached; try again later",
    true,
  ],
];

/** A repository that could not be opened with its credential. `message` goes on after "Could not clone owner/name at 1a2b3c4: ". */
export class RemoteRefusedError extends Error {
  override readonly name = "RemoteRefusedError";
  readonly code = "remote_refused";
}

/** Null where git's failure has another cause than the code host: see `refusalOf`. Throws what is no failure of git. */
export function remoteRefusalOf(cause: unknown, kind: Kind): RemoteRefusal | null {
  if (!(cause instanceof GitError)) throw cause;
  if (cause.code === "git_timed_out")
    return { detail: "the code host did not answer in time; try again later", isPassing: true };
  if (cause.code !== "git_failed") return null;
  for (const [pattern, text, isPassing] of explanations)
    if (pattern.test(cause.stderr))
      return { detail: typeof text === "string" ? text : text[kind], isPassing };
  return null;
}
