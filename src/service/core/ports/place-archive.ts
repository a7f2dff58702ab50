// The port to what setup has left in a place that is not this machine: packed there into bytes that are kept here unread.

/** Takes a pack. `begin` is called before each try, and what came before it counts no more. */
export type PackSink = { begin(): void; take(bytes: Buffer): Promise<void> };

export interface PlaceArchive {
  /** What decides whether packages of another place work in this one: system, machine, image. */
  readonly facts: readonly string[];
  /**
   * Packs the home of the run's commands and what git ignores in the tree. False where that is more than may be kept. Rejects with the
   * signal's reason, and where the place is lost.
   */
  pack(to: PackSink, bounds: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<boolean>;
  /**
   * Brings a pack back, whole: it replaces nothing of the tree, goes behind no link, and leaves out what git does not ignore there. False for
   * one that cannot be read or is too large: nothing is changed then. Rejects as `pack` does.
   */
  unpack(
    pack: { readonly bytes: number; read(): AsyncIterable<Uint8Array> },
    signal: AbortSignal,
  ): Promise<boolean>;
}
