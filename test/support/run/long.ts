// `npm run test:long` repeats what `npm test` does a few times only: crashes, load, whole sets of examples.

/** Whether this is the long run. */
export const isLong = process.env.TEST_LONG === "1";

/** How often to repeat something, or how much of it to make. */
export function amount(amounts: { readonly short: number; readonly long: number }): number {
  return isLong ? amounts.long : amounts.short;
}
