// Reads run concurrently, writes alone, in order of arrival: a read that was requested after a write sees it.

import type { ToolAccess } from "../../tools/tool.ts";

export class ReadWriteLock {
  #lastWrite: Promise<unknown> = Promise.resolve();
  #readsSince: Promise<unknown>[] = [];

  /** Does the work as soon as it may. Settles as the work does. */
  async hold<Value>(access: ToolAccess, work: () => Promise<Value>): Promise<Value> {
    const before = access === "read" ? [this.#lastWrite] : [this.#lastWrite, ...this.#readsSince];
    const done = Promise.all(before).then(work);
    const settled = done.catch(() => {});
    if (access === "read") this.#readsSince.push(settled);
    else {
      this.#lastWrite = settled;
      this.#readsSince = [];
    }
    return await done;
  }
}
