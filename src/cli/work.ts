// agent-service work: a node that carries runs out and answers nothing but probes. Any number of them share DATABASE_URL.

import { serve } from "./serve.ts";

/** Works until SIGINT or SIGTERM. Exit codes as of `serve`. */
export async function work(args: readonly string[]): Promise<number> {
  return await serve(args, { command: "work", fixed: { ROLE: "worker" } });
}
