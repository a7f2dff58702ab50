// What a script has opened and not closed yet: processes, schemas, folders. Closed last first, also when a part
// fails or the script is interrupted.

const open: (() => Promise<void>)[] = [];

/** Remembers how to close what was opened. Returns the same, to be called when it is over; safe to repeat. */
export function opened(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null;
  const once = () => {
    closing ??= close().finally(() => open.splice(open.indexOf(once), 1));
    return closing;
  };
  open.push(once);
  return once;
}

/** Closes all that is still open, whatever fails on the way. */
export async function closeOpened(): Promise<void> {
  for (let close = open.at(-1); close !== undefined; close = open.at(-1)) {
    await close().catch((cause: unknown) => process.stderr.write(`Could not be closed: ${cause}\n`));
  }
}
