// The kinds of inputs that only the Action has. Pure.

import { line, listOf, matching } from "../base/settings/kinds.ts";
import { type Kind, kind } from "../base/settings/setting.ts";
import { serviceUrl } from "../job/job-settings.ts";

export const EMBEDDED = "embedded";
/** The agent that is no other coding agent. */
export const BUILT_IN = "built-in" as const;

/** The address of the service, or the word for the one inside the job. */
export const serviceAddress: Kind<string> = {
  allowed: `"${EMBEDDED}", or the address of the service, like "https://agents.example.com"`,
  decode: (text) => (text === EMBEDDED ? { ok: true, value: EMBEDDED } : serviceUrl.decode(text)),
};

/** "thread": the session of the issue or the pull request that the event is about, where it is about one. */
export type SessionInput =
  | { readonly type: "thread" }
  | { readonly type: "new" }
  | { readonly type: "id"; readonly id: string };

export const session: Kind<SessionInput> = {
  allowed: '"new", or the id of a session, one line of at most 255 characters',
  decode: (text) => {
    if (text === "new") return { ok: true, value: { type: "new" } };
    const id = line({ maxChars: 255 }).decode(text);
    return id.ok ? { ok: true, value: { type: "id", id: id.value } } : id;
  },
};

export const promptFile: Kind<string> = kind(
  'a path inside the repository, like ".github/prompts/review.md"',
  (path) => {
    const isInside =
      !/^([/\\]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes("..") && !/\p{Cc}/u.test(path);
    return isInside ? path.replaceAll("\\", "/").replace(/^(\.\/)+/, "") : undefined;
  },
);

export const triggerPhrase = matching(
  'one word of 2 to 50 letters, digits and ./@!:-, like "/agent"',
  /^[\w./@!:-]{2,50}$/,
);

export const users = loginSet('like "octocat, hubot"; "*" is no login', /^[\w.-]+$/);
export const bots = loginSet('like "renovate[bot]"; "*" is no login', /^[\w.-]+(\[bot\])?$/);

export const eventNames = wordSet(
  'a comma-separated list of events, or actions of pull_request, like "watch, pull_request.closed"',
  /^(pull_request\.)?[a-z_]+$/,
);

function loginSet(hint: string, login: RegExp): Kind<ReadonlySet<string>> {
  return wordSet(`a comma-separated list of logins (${hint})`, login);
}

/** In lower case. */
function wordSet(allowed: string, pattern: RegExp): Kind<ReadonlySet<string>> {
  const list = listOf({
    allowed,
    separator: /[\s,]+/,
    item: (word) => (pattern.test(word) ? word.toLowerCase() : undefined),
  });
  return {
    ...list,
    decode: (text) => {
      const words = list.decode(text);
      return words.ok ? { ok: true, value: new Set(words.value) } : words;
    },
  };
}
