// The parts of a service that reads repositories without a job. Types alone.

import type { SealingKeys } from "../../../base/sealed-text.ts";
import type { Remotes } from "./remotes.ts";

declare module "../core.ts" {
  interface Core {
    /** Repositories at their code hosts. Null for a service that works on a checkout of its own. */
    readonly access: AccessKeeping | null;
  }
}

type AccessKeeping = {
  readonly remotes: Remotes;
  /** Keys that seal deploy keys. Null where none is set: one of the process's own would be gone with it. */
  readonly keys: SealingKeys | null;
};
