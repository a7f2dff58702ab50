// The kinds of settings for what a job writes back, which the Action's inputs and the flags of `agent-service run` share. Pure.

import { listOf } from "../base/settings/kinds.ts";
import { type Kind, kind } from "../base/settings/setting.ts";

export const branchPrefix: Kind<string> = kind(
  'up to 100 letters, digits and ._/- that end with "/" or "-", like "agent/"',
  (prefix) => {
    const isPlain = /^[A-Za-z0-9][\w./-]{0,98}[/-]$/.test(prefix);
    return isPlain && !/\.\.|\/\/|\/\.|\.\/|\.lock(\/|$)/.test(prefix) ? prefix : undefined;
  },
);

/** `*` and `?` stay within a segment of a path, `**` does not. */
export const pathPatterns = listOf({
  allowed: 'patterns of paths in the repository, separated by commas or line breaks, like "src/**, *.md"',
  separator: /[,\n]/,
  item: (pattern) =>
    /^[/!]|\p{Cc}|(^|\/)\.\.?(\/|$)/u.test(pattern) || pattern.length > 255 ? undefined : pattern,
});
