// The kinds of settings that more than one part of the product has. Pure.

import { type Kind, kind } from "./setting.ts";

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

export function integer({ min, max }: { readonly min: number; readonly max: number }): Kind<number> {
  return kind(`an integer from ${min} to ${max}`, (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

/** An amount in US dollars such as 2.50, as whole micro-USD. The limits are in dollars. */
export function dollars({ min, max }: { readonly min: number; readonly max: number }): Kind<number> {
  return kind(`US dollars from ${min} to ${max}, such as 2.50`, (text) => {
    const value = /^\d{1,6}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? Math.round(value * 1_000_000) : undefined;
  });
}

/** The words are lower case; the text need not be. */
export function oneOf<const Word extends string>(words: readonly Word[]): Kind<Word> {
  const allowed = words.length <= 2 ? words.join(" or ") : `one of ${words.join(", ")}`;
  return kind(allowed, (text) => words.find((word) => word === text.toLowerCase()));
}

export const flag: Kind<boolean> = kind("true or false", (text) => {
  const word = text.toLowerCase();
  return word === "true" ? true : word === "false" ? false : undefined;
});

/** Any text. */
export function text(allowed: string): Kind<string> {
  return kind(allowed, (given) => given);
}

/** Text of a form that `allowed` describes. */
export function matching(allowed: string, form: RegExp): Kind<string> {
  return kind(allowed, (text) => (form.test(text) ? text : undefined));
}

export function line({ maxChars }: { readonly maxChars: number }): Kind<string> {
  return kind(`one line of at most ${maxChars} characters`, (text) =>
    text.length <= maxChars && !/\p{Cc}/u.test(text) ? text : undefined,
  );
}

/** Its value is without a trailing slash. */
export const httpUrl: Kind<string> = kind(
  "an http:// or https:// URL without user, query or fragment",
  (text) => {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
    if (url.username + url.password + url.search + url.hash !== "") return undefined;
    return url.origin + url.pathname.replace(/\/+$/, "");
  },
);

/** A key or a token, as a header can carry it. */
export const secret: Kind<string> = {
  ...matching("one line of visible ASCII characters", /^[\x21-\x7e]+$/),
  isSecret: true,
};

/** Each item is decoded by `item`; `allowed` describes the whole list. */
export function listOf<Item>(options: {
  readonly allowed: string;
  readonly separator: RegExp;
  readonly item: (text: string) => Item | undefined;
}): Kind<readonly Item[]> {
  const { allowed, separator, item } = options;
  return kind(allowed, (text) => {
    const parts = text.split(separator).map((part) => part.trim());
    const items = parts.filter((part) => part !== "").map(item);
    const decoded = items.filter((one) => one !== undefined);
    return decoded.length === items.length ? decoded : undefined;
  });
}

/** A time span as seconds, or with units: `90`, `90s`, `15m`, `1h30m`, `2d`. The value is in seconds. */
export function duration({ max }: { readonly max: number }): Kind<number> {
  return kind(`a duration such as 30s, 15m, 1h30m or 2d, from 1 s to ${max} s`, (text) => {
    const parts = [...text.matchAll(/(\d{1,9})([smhd])/gy)];
    const isWhole = parts.length > 0 && parts.map(([part]) => part).join("") === text;
    const seconds = isWhole
      ? parts.reduce((sum, [, count, unit]) => sum + Number(count) * SECONDS[unit as keyof typeof SECONDS], 0)
      : /^\d{1,9}$/.test(text)
        ? Number(text)
        : Number.NaN;
    return seconds >= 1 && seconds <= max ? seconds : undefined;
  });
}
