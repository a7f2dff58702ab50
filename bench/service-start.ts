// `agent-service serve` in an empty folder: how long until it is ready, and what it then occupies.

import { residentMb, startServer } from "../scripts/served-process.ts";
import { startBenchService } from "./bench-service.ts";
import { median } from "./statistics.ts";

export type StartFigures = { readonly readyMs: number; readonly residentMb: number | null };

/** Medians of several starts, the service and the bare server in turn. */
export async function measureStart(rounds: number): Promise<{ ours: StartFigures; bare: StartFigures }> {
  const ours: StartFigures[] = [];
  const bare: StartFigures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const floor = await startServer({ args: ["bench/bare-server.cjs"] });
    bare.push({ readyMs: floor.readyMs, residentMb: residentMb(floor.pid) });
    await floor.stop();
    const service = await startBenchService();
    const [{ readyMs, pid }] = service.workers;
    ours.push({ readyMs, residentMb: residentMb(pid) });
    await service.stop();
  }
  return { ours: middle(ours), bare: middle(bare) };
}

function middle(figures: readonly StartFigures[]): StartFigures {
  const memory = figures.flatMap((figure) => (figure.residentMb === null ? [] : [figure.residentMb]));
  return {
    readyMs: median(figures.map((figure) => figure.readyMs)),
    residentMb: memory.length === 0 ? null : median(memory),
  };
}
