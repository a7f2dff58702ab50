// Runs an entry of the Action from its source in this process, for what a process of its own would not show otherwise: a tenth
// of its processor time. One at a time: the entry reads process.env and writes to process.stdout, as on a runner.

export type InsideEntry = "main" | "post";

let isAtWork = false;

/** Whether an entry runs in this process now: another one needs a process of its own. */
export function isRunningInside(): boolean {
  return isAtWork;
}

/** Runs it with exactly this environment to its end. Rejects for what would be an unhandled error of the process. */
export async function runInside(
  entry: InsideEntry,
  { env, print }: { readonly env: Readonly<Record<string, string>>; readonly print: (text: string) => void },
): Promise<{ readonly exitCode: number }> {
  if (isAtWork) throw new Error("An entry of the Action is at work in this process.");
  isAtWork = true;
  const { run } = await load(entry);
  const restore = replaceSurroundings(env, print);
  try {
    await run();
    return { exitCode: Number(process.exitCode ?? 0) };
  } finally {
    restore();
    isAtWork = false;
  }
}

/** What main.ts does first, the comment without a command, is tried as a process: it writes to the file descriptor. */
async function load(entry: InsideEntry): Promise<{ run(): Promise<void> }> {
  return entry === "main"
    ? await import("../../src/action/run-agent.ts")
    : await import("../../src/action/post.ts");
}

function replaceSurroundings(
  env: Readonly<Record<string, string>>,
  print: (text: string) => void,
): () => void {
  const variables = { ...process.env };
  const { exitCode } = process;
  const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
  replaceVariables(env);
  process.exitCode = undefined;
  for (const { stream } of streams) {
    stream.write = (chunk: string | Uint8Array) => {
      print(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
      return true;
    };
  }
  return () => {
    for (const { stream, write } of streams) stream.write = write;
    process.exitCode = exitCode;
    replaceVariables(variables);
  };
}

function replaceVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(variables)) process.env[name] = value;
}
