// Refusals about an account's connections, and their problems. Pure.

import { notFound, type ProblemTable, type RefusalOf } from "../ports/problem.ts";

export const connectionProblems = {
  connection_not_found: ({ name }: { name: string }) => notFound(`The account has no connection "${name}".`),
} satisfies ProblemTable;

export type ConnectionRefusal = RefusalOf<typeof connectionProblems>;

/** Why nobody is led to an authorization server, or came back without a connection: for the page, in words of its own. */
export type ConnectRefusal =
  /** The operator has set no RUN_SECRETS_KEY. */
  | { readonly reason: "off" }
  /** `allowed` is what a name may be. */
  | { readonly reason: "name_wrong"; readonly allowed: string }
  | { readonly reason: "url_wrong"; readonly allowed: string }
  | { readonly reason: "reached"; readonly allowed: number }
  | { readonly reason: "other_server"; readonly name: string; readonly serverUrl: string }
  | { readonly reason: "failed"; readonly detail: string }
  /** It was begun in another session, or by nobody, or too long ago. */
  | { readonly reason: "over" }
  /** The answer is another authorization server's: nothing that it says is repeated. */
  | { readonly reason: "other_issuer"; readonly issuer: string }
  /** The authorization server's own words. */
  | {
      readonly reason: "denied";
      readonly issuer: string;
      readonly error: string;
      readonly description: string | null;
    };
