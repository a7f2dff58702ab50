// Work on many things, some at a time.

/** Resolves once all is done. Rejects with the first failure; what has begun ends by itself, and nothing more is begun. */
export async function eachOf<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  let hasFailed = false;
  const takeTurns = async () => {
    for (let next = left.next(); !hasFailed && next.done !== true; next = left.next()) {
      await work(next.value).catch((cause: unknown) => {
        hasFailed = true;
        throw cause;
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
}
