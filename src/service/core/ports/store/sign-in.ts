// One-time links and unfinished flows of people who sign in. Implemented in store/sign-in.ts.

import type { Attempt } from "../../sign-in/attempt.ts";
import type { SignInLink } from "../../sign-in/sign-in-link.ts";

export interface SignInReader {
  findLink(hash: string): Promise<SignInLink | null>;
}

export interface SignInStore extends SignInReader {
  insertLink(link: SignInLink): Promise<void>;
  /** The link, used up now. Null when there is none, or it was used or has ended. Safe to race: one caller gets it. */
  useLink(use: { hash: string; now: number }): Promise<SignInLink | null>;
  insertAttempt(attempt: Attempt): Promise<void>;
  /** The attempt, deleted. Null when there is none. Safe to race: one caller gets it. */
  takeAttempt(hash: string): Promise<Attempt | null>;
}
