// Commits that a job sends to the service: those that are held, and the pack of the others.

import type { SentCommit } from "../contract/ci/commits.ts";
import type { commitRoutes } from "../contract/ci/routes.ts";
import * as endpoints from "../contract/endpoints.ts";
import type { SizedBytes } from "./byte-source.ts";
import { type NounClient, nounClient, type RouteOptions } from "./noun-client.ts";
import { type ApiConnection, request } from "./request.ts";

/** As `PACK_TYPE` of the contract, whose schemas are not to load before the first answer. */
const PACK_TYPE = "application/x-git-packed-objects";
/** A large pack over a slow line. */
const LONGEST_UPLOAD_MS = 60 * 60 * 1000;

/** The options of `commits.send`: the commit's `sha`, and its pack. */
export type SendCommitOptions = Omit<RouteOptions<(typeof commitRoutes)["send"]>, "body" | "contentType"> & {
  /** Opened anew when the call is repeated. */
  readonly pack: SizedBytes;
};

/** Commits of a job: asks which the service holds, and sends the others. */
export type CommitClient = Pick<NounClient<typeof commitRoutes>, "find"> & {
  /** PUT /v1/ci/commits/{sha}. Streams the pack, and sends all of it again on failure. */
  send(options: SendCommitOptions): Promise<SentCommit>;
};

/** Makes the methods of `client.commits`. */
export function commitClient(connection: ApiConnection): CommitClient {
  const { find } = nounClient<Pick<typeof commitRoutes, "find">>(connection, {
    find: endpoints.commits.find,
  });
  return { find, send: (options) => sendCommit(connection, options) };
}

async function sendCommit(connection: ApiConnection, options: SendCommitOptions): Promise<SentCommit> {
  const { sha, query = {}, pack, signal, retry } = options;
  const { method, path, answer } = endpoints.commits.send;
  const { value } = await request(connection, {
    method,
    path: path.replace("{sha}", encodeURIComponent(sha)),
    query: { pull_request: query.pull_request, base: query.base?.join(",") },
    upload: { bytes: pack, contentType: PACK_TYPE },
    effect: "repeatable",
    credential: "renewable",
    decoder: answer,
    timeoutMs: LONGEST_UPLOAD_MS,
    ...(retry === undefined ? {} : { retry }),
    signal,
  });
  return value;
}
