// Objects of the fake cluster with their versions and the events of their changes, as a watch reads them.

import { randomUUID } from "node:crypto";

export type ClusterValue = {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp: string;
    annotations?: Record<string, string>;
    deletionTimestamp?: string;
  };
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
};

export type ClusterEvent = {
  readonly version: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: ClusterValue;
};

export class ClusterObjects {
  readonly #all = new Map<string, ClusterValue>();
  readonly #events: ClusterEvent[] = [];
  readonly #readers = new Set<() => void>();
  #version = 100;
  /** Changes up to this one are not known any more. */
  #floor = 0;

  get values(): readonly ClusterValue[] {
    return [...this.#all.values()];
  }

  get version(): number {
    return this.#version;
  }

  find(name: string): ClusterValue | undefined {
    return this.#all.get(name);
  }

  add(given: Pick<ClusterValue, "apiVersion" | "kind" | "spec"> & { metadata: object }, name: string): void {
    const value = structuredClone(given) as ClusterValue;
    Object.assign(value.metadata, { uid: randomUUID(), creationTimestamp: new Date().toISOString() });
    this.#all.set(name, value);
    this.#tell("ADDED", value);
  }

  change(name: string, status: Record<string, unknown>): void {
    const value = this.#all.get(name);
    if (value === undefined) return;
    value.status = { ...value.status, ...status };
    this.#tell("MODIFIED", value);
  }

  remove(name: string): void {
    const value = this.#all.get(name);
    if (value === undefined) return;
    this.#all.delete(name);
    this.#tell("DELETED", value);
  }

  /** Events after a version. Null: they are not known any more. */
  since(version: number): readonly ClusterEvent[] | null {
    if (version < this.#floor) return null;
    return this.#events.filter((event) => event.version > version);
  }

  /** As etcd after its compaction. */
  forget(): void {
    this.#version += 1;
    this.#floor = this.#version;
    this.#events.length = 0;
  }

  /** Calls `read` after each change, until what is returned is called. */
  follow(read: () => void): () => void {
    this.#readers.add(read);
    return () => this.#readers.delete(read);
  }

  #tell(type: ClusterEvent["type"], value: ClusterValue): void {
    this.#version += 1;
    value.metadata.resourceVersion = `${this.#version}`;
    this.#events.push({ version: this.#version, type, object: structuredClone(value) });
    for (const read of this.#readers) read();
  }
}
