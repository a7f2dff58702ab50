// The address of a run's page: asked of the service once the run is known, and done without where it has no answer.

import type { Clock } from "../base/clock.ts";
import type { JobClient } from "../client/job-client.ts";

/** The log's first lines wait for it. */
const WAIT_MS = 5_000;
const MAX_URL_CHARS = 2_000;

/** The page's address. Null where the service has none, as before version 1, and where it does not say in time. */
export async function findRunPage(
  client: JobClient,
  { runId, clock, signal }: { runId: string; clock: Clock; signal: AbortSignal },
): Promise<string | null> {
  const isAnswered = new AbortController();
  const isLate = new AbortController();
  void clock.sleep(WAIT_MS, isAnswered.signal).then(
    () => isLate.abort(),
    () => {},
  );
  try {
    const { page_url: url } = await client.ci.linkPage({
      runId,
      signal: AbortSignal.any([signal, isLate.signal]),
      retry: { attempts: 1, firstDelayMs: 0, maxDelayMs: 0 },
    });
    return isWebAddress(url) ? url : null;
  } catch {
    // The run is there, whatever hindered this: its address in the API is shown in the page's place.
    return null;
  } finally {
    isAnswered.abort();
  }
}

/** It is printed, and linked to: one line, of the web. */
function isWebAddress(url: string): boolean {
  if (url.length > MAX_URL_CHARS || /[^!-~]/.test(url) || !URL.canParse(url)) return false;
  return ["http:", "https:"].includes(new URL(url).protocol);
}
