// ID tokens that a provider puts into variables before the job begins, so that their number is fixed. Pure.

import { audiencesOf, isCompactToken } from "./compact-form.ts";
import { IdentityError } from "./provider.ts";

type GivenTokens = {
  /** The first one's variable. */
  readonly variable: string;
  /** In the order in which they are used, without those that are not set. */
  readonly tokens: readonly string[];
  /** The lines that give the job a token for an audience. */
  readonly fix: (audience: string) => string;
};

/**
 * A `mintIdToken` that gives one token after the other, and the last again when all were given: an exchange that never
 * arrived may be tried again with it. Rejects with an IdentityError whose message is the lines to add.
 */
export function takeGivenToken(given: GivenTokens): (audience: string) => Promise<string> {
  let taken = 0;
  return async (audience) => {
    const token = given.tokens[Math.min(taken, given.tokens.length - 1)];
    checkGiven(given, { token, audience });
    taken += 1;
    return token ?? "";
  };
}

function checkGiven(
  { variable, fix }: GivenTokens,
  { token, audience }: { token: string | undefined; audience: string },
): void {
  const lines = `\n\n${fix(audience)}\n`;
  if (token === undefined) {
    throw new IdentityError(
      "id_token_unavailable",
      `No ID token available: the variable ${variable} is not set. Add to this job:${lines}`,
    );
  }
  if (!isCompactToken(token)) {
    throw new IdentityError(
      "id_token_unavailable",
      `No ID token available: the variable ${variable} holds something else. Set it only by this:${lines}`,
    );
  }
  const [only, ...more] = audiencesOf(token);
  if (only !== audience || more.length > 0) {
    throw new IdentityError(
      "id_token_refused",
      `The ID token is not made for "${audience}" alone. Change in this job:${lines}`,
    );
  }
}
