// The port to what answers git's own clients: fetches out of objects that are stored elsewhere, and what a push brings. Implemented
// in checkouts/served/ by the system's git.

import type { Result } from "../../../base/result.ts";
import type { PackRefusal } from "../commits/pack-receiver.ts";
import type { GivenObject } from "./git-scratch.ts";

export type GitRef = { readonly name: string; readonly oid: string };

/** A workspace as git sees it. */
export type ServedRepository = {
  readonly workspaceId: string;
  readonly accountId: string;
  /** Of commits. `refs/heads/main` is among them. */
  readonly refs: readonly GitRef[];
  /** Every commit, folder and file to which the commits lead, but not below what `isKnown` knows. */
  history(tips: readonly string[], isKnown: (oid: string) => boolean): AsyncIterable<GivenObject>;
};

export type FetchRequest = {
  readonly repository: ServedRepository;
  /** The value of Git-Protocol, as git has it. Null: the oldest. */
  readonly protocol: string | null;
  /** Null: what there is to fetch is told, and nothing is fetched. */
  readonly input: AsyncIterable<Uint8Array> | null;
  /** Whether `input` asks for refs alone, and for no object. */
  readonly asksForRefs: boolean;
};

export type IncomingPush = {
  readonly repository: ServedRepository;
  /** Commits that refs are to be moved to. */
  readonly tips: readonly string[];
  /** Null where nothing but known objects is pushed. */
  readonly pack: AsyncIterable<Uint8Array> | null;
  /** Those of the commits that are revisions: what they lead to is stored. */
  readonly findRevisions: (commits: readonly string[]) => Promise<ReadonlySet<string>>;
};

/** What a push brings to one ref. */
export type PushedHistory = {
  readonly tip: string;
  /** Revisions' commits on which it builds. The tip alone where it is a revision. */
  readonly builtOn: readonly string[];
  /** Commits that are no revisions. */
  readonly commits: number;
};

/** An object that no revision in the history of the tips has. */
export type PushedObject = {
  readonly kind: "blob" | "tree" | "commit";
  readonly oid: string;
  readonly size: number;
  /** Once, before the next object is asked for. */
  content(): AsyncIterable<Uint8Array>;
};

export type ReceivedPush = {
  readonly histories: readonly PushedHistory[];
  /** Each once. Rejects where git fails. */
  objects(): AsyncIterable<PushedObject>;
};

export type ServeRefusal =
  | { readonly reason: "served_too_large"; readonly what: "objects" | "bytes"; readonly allowed: number }
  | {
      readonly reason: "overloaded";
      readonly what: "fetches" | "account_fetches";
      readonly allowed: number;
    };

/**
 * Both reject with the signal's reason when it aborts. By then every process has ended, and nothing of the call is left on disk but
 * objects that this node keeps for the next one.
 */
export interface GitService {
  /** What `git upload-pack` answers. Its pack begins once all is there that it needs. */
  serve(request: FetchRequest, signal: AbortSignal): Promise<Result<AsyncIterable<Uint8Array>, ServeRefusal>>;
  /** Checks what is pushed, strictly, then has `take` read it. What reading the pack throws is thrown. */
  receive<Value>(
    push: IncomingPush,
    take: (received: ReceivedPush) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Result<Value, PackRefusal | ServeRefusal>>;
  /** Removes objects for which nobody has asked for a while. */
  sweep(): Promise<void>;
}
