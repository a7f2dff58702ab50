// The commit that a checkout stands on, for a job whose variables do not name it.

import { devNull } from "node:os";
import { findCheckoutRoot, readCheckout } from "../base/git/found-checkout.ts";
import { GitError } from "../base/git/git.ts";

const TIMEOUT_MS = 10_000;

/** Null where there is no checkout, or no git. */
export async function readHeadCommit(folder: string): Promise<string | null> {
  const root = await findCheckoutRoot(folder);
  if (root === null) return null;
  const place = { root, home: devNull, environment: process.env, timeoutMs: TIMEOUT_MS };
  try {
    return (await readCheckout(place, new AbortController().signal))?.headSha ?? null;
  } catch (cause) {
    if (cause instanceof GitError) return null;
    throw cause;
  }
}
