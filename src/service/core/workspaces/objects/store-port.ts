// Git's objects of workspaces. Implemented in store/workspaces/objects.ts.

import type { ObjectKind } from "./object-kind.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly objects: ObjectReader;
  }
  interface StoreTransaction {
    readonly objects: ObjectStore;
  }
}

/** One that is kept. Exactly one of `data` and `blobKey` is null. */
export type KeptObject = {
  readonly oid: string;
  readonly kind: ObjectKind;
  /** Of the contents, in bytes. */
  readonly size: number;
  readonly data: Uint8Array | null;
  readonly blobKey: string | null;
};

export type NewObject = KeptObject & {
  /** Of the contents, in hex: tells two contents apart that have one oid. */
  readonly sha256: string;
};

/** One that names others. */
export type ObjectNode = {
  readonly oid: string;
  readonly kind: "tree" | "commit";
  readonly data: Uint8Array;
};

export interface ObjectReader {
  /** In no order. Those that are not kept are left out. */
  find(query: { workspaceId: string; oids: readonly string[] }): Promise<readonly KeptObject[]>;
  /** Of those that are kept. */
  sizes(query: { workspaceId: string; oids: readonly string[] }): Promise<ReadonlyMap<string, number>>;
  /** Objects that revisions, copies, their trash and links to files name, all at one time. Each oid once. */
  listRoots(workspaceId: string): Promise<readonly string[]>;
  /** The trees and commits of these objects: in no order. */
  findNodes(query: { workspaceId: string; oids: readonly string[] }): Promise<readonly ObjectNode[]>;
  /** Oids in their order, of what was last touched before `touchedBefore`. Null: from the first on. */
  listOld(query: {
    workspaceId: string;
    touchedBefore: number;
    after: string | null;
    limit: number;
  }): Promise<readonly string[]>;
}

export interface ObjectStore extends ObjectReader {
  /**
   * Keeps objects, and touches those that are kept already. Returns the oids of those that are kept with other contents: nothing of
   * them is changed.
   */
  put(objects: {
    workspaceId: string;
    objects: readonly NewObject[];
    now: number;
  }): Promise<readonly string[]>;
  /**
   * Names another blob for an object whose blob `from` is lost. False where the object has another blob meanwhile, other contents, or is
   * gone.
   */
  replaceBlob(lost: {
    workspaceId: string;
    object: Pick<NewObject, "oid" | "sha256">;
    from: string;
    to: string;
  }): Promise<boolean>;
  /** Keeps what is there from being swept for a while. Returns the oids that are not kept. */
  touch(objects: { workspaceId: string; oids: readonly string[]; now: number }): Promise<readonly string[]>;
  /** Deletes those that were not touched since. Returns how many, and the keys of the blobs that were theirs. */
  deleteOld(objects: {
    workspaceId: string;
    oids: readonly string[];
    touchedBefore: number;
  }): Promise<{ readonly deleted: number; readonly blobKeys: readonly string[] }>;
}
