// The price of a model that nobody publishes, as whoever runs it says it. Pure.

import { type Kind, kind } from "../../base/settings/setting.ts";

/** US dollars for a million tokens. */
export type GivenPrice = {
  readonly input: number;
  /** Of input from the provider's cache. */
  readonly cached: number;
  readonly output: number;
};

const MAX_DOLLARS = 10_000;

/** "2.5 / 15", or "2.5 / 0.25 / 15" with the price of cached input, which is that of other input where it is not given. */
export const modelPrice: Kind<GivenPrice> = kind(
  'US dollars for a million tokens of input and of output, like "2.5 / 15", or of input, cached input and output, like "2.5 / 0.25 / 15"',
  (text) => {
    const parts = text.split("/").map((part) => part.trim());
    if (parts.length < 2 || parts.length > 3 || !parts.every((part) => /^\$?\d{1,5}(\.\d{1,6})?$/.test(part)))
      return undefined;
    const amounts = parts.map((part) => Number(part.replace("$", "")));
    const [input = 0, cached = 0] = amounts;
    const output = amounts.at(-1) ?? 0;
    if (amounts.some((amount) => amount > MAX_DOLLARS) || input + output === 0) return undefined;
    if (parts.length === 2) return { input, cached: input, output };
    return cached > input ? undefined : { input, cached, output };
  },
);

/** As it is written in a setting. */
export function priceText({ input, cached, output }: GivenPrice): string {
  return `${input} / ${cached} / ${output}`;
}
