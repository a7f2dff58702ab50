// Values that are made at their first use. Pure.

/** Calls `make` for the first call, and answers each with what it returned. */
export function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
