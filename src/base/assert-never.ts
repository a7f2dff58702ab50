// Ends an exhaustive switch. Pure.

/** Fails to compile while a case is missing; throws if untyped data reaches it. */
export function assertNever(value: never): never {
  throw new TypeError(`Unexpected case: ${JSON.stringify(value)}`);
}
