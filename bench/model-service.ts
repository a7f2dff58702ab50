// The service with a model: `agent-service serve` with BACKEND=model, a scripted model's API in the benchmark's own
// process, and a repository that its runs clone.

import { type ModelServer, startModelServer } from "../fakes/model-server/model-server.ts";
import type { Script } from "../fakes/model-server/script.ts";
import { opened } from "../scripts/opened.ts";
import { type BenchService, startBenchService } from "./bench-service.ts";
import { makeSmallRepository } from "./made-repositories.ts";

export const MODEL = "scripted-model";

/** A scripted model that the benchmark closes, whatever fails. */
export async function openModelServer(script: Script): Promise<ModelServer> {
  const server = await startModelServer({ script });
  return { ...server, close: opened(() => server.close()) };
}

export async function startModelService(options: {
  script: Script;
  /** The embedded store unless told. */
  databaseUrl?: string;
  /** Where the repository lies: a small one of this service's own unless told. */
  repository?: string;
  /** As of `startBenchService`. */
  pairs?: number;
  env?: Readonly<Record<string, string>>;
}): Promise<BenchService> {
  const { script, databaseUrl, pairs, env } = options;
  const model = await openModelServer(script);
  const own = options.repository === undefined ? await makeSmallRepository() : null;
  const service = await startBenchService({
    repository: options.repository ?? own?.path ?? "",
    env: { BACKEND: "model", MODEL, MODEL_BASE_URL: model.baseUrl, ...env },
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(pairs === undefined ? {} : { pairs }),
  });
  return {
    ...service,
    stop: async () => {
      await service.stop();
      await Promise.all([model.close(), own?.remove()]);
    },
  };
}
