// Resolves the names of hosts, a few at a time: the system's resolver takes a thread of this process while it waits, and the
// name server of a host may let it wait.

import { lookup } from "node:dns/promises";

/** Node has four threads for all of its files and names. */
const AT_ONCE = 2;

export type ResolveName = (name: string) => Promise<readonly string[]>;

/** Every address of a name, by the system's resolver. One for all runs of a node. */
export function systemResolver(): ResolveName {
  return inTurns(async (name) => (await lookup(name, { all: true })).map(({ address }) => address), AT_ONCE);
}

/** At most so many at a time, in the order in which they came. */
function inTurns(resolve: ResolveName, atOnce: number): ResolveName {
  const waiting: (() => void)[] = [];
  let working = 0;
  return async (name) => {
    if (working < atOnce) working += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await resolve(name);
    } finally {
      const next = waiting.shift();
      if (next === undefined) working -= 1;
      else next();
    }
  };
}
