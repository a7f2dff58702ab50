// Git's objects of workspaces. Implemented in store/workspaces/objects.ts.

import type { ObjectKind } from "../../../workspaces/objects/object-kind.ts";

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

export interface ObjectReader {
  /** In no order. Those that are not kept are left out. */
  find(query: { workspaceId: string; oids: readonly string[] }): Promise<readonly KeptObject[]>;
  /** Of those that are kept. */
  sizes(query: { workspaceId: string; oids: readonly string[] }): Promise<ReadonlyMap<string, number>>;
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
  /** Keeps what is there from being swept for a while. Returns the oids that are not kept. */
  touch(objects: { workspaceId: string; oids: readonly string[]; now: number }): Promise<readonly string[]>;
}
