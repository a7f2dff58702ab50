// A store with some methods replaced, for what only happens when a query waits or fails at a chosen moment.

import type { Store, StoreReader, StoreTransaction } from "../../src/service/core/ports/store.ts";

/** Methods by noun: `{ queue: { beat } }`. */
type Replacements<Nouns> = { readonly [Noun in keyof Nouns]?: Partial<Nouns[Noun]> };

/** The store with reads of committed state replaced. */
export function withReads(store: Store, replacements: Replacements<StoreReader>): Store {
  return { ...store, committed: replaceMethods(store.committed, replacements) };
}

/** The store with methods of each transaction replaced; `replace` gets the transaction that they stand before. */
export function withWrites(
  store: Store,
  replace: (tx: StoreTransaction) => Replacements<StoreTransaction>,
): Store {
  return {
    ...store,
    transact: (work, options) => store.transact((tx) => work(replaceMethods(tx, replace(tx))), options),
  };
}

function replaceMethods<Nouns extends object>(nouns: Nouns, replacements: Replacements<Nouns>): Nouns {
  const replaced: ReadonlyMap<string | symbol, object> = new Map(
    Object.entries<object | undefined>(replacements).flatMap(([noun, methods]) =>
      methods === undefined ? [] : [[noun, methods]],
    ),
  );
  return new Proxy(nouns, {
    get: (target, noun) => {
      const original: unknown = Reflect.get(target, noun);
      const methods = replaced.get(noun);
      return methods === undefined || !isObject(original) ? original : overlay(original, methods);
    },
  });
}

function overlay(original: object, methods: object): object {
  return new Proxy(original, {
    get: (target, name) => {
      if (name in methods) return Reflect.get(methods, name);
      const method: unknown = Reflect.get(target, name);
      return typeof method === "function" ? method.bind(target) : method;
    },
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
