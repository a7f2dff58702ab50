// The service with a model: `agent-service serve` with BACKEND=model, a scripted model's API in the benchmark's own
// process, and a small repository that its runs clone.

import { type ModelServer, startModelServer } from "../fakes/model-server/model-server.ts";
import type { Script } from "../fakes/model-server/script.ts";
import { opened } from "../scripts/opened.ts";
import { type BenchService, startBenchService } from "./bench-service.ts";
import { makeSmallRepository } from "./small-repository.ts";

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
  env?: Readonly<Record<string, string>>;
}): Promise<BenchService> {
  const { script, databaseUrl, env } = options;
  const model = await openModelServer(script);
  const repository = await makeSmallRepository();
  const service = await startBenchService({
    repository: repository.path,
    env: { BACKEND: "model", MODEL, MODEL_BASE_URL: model.baseUrl, ...env },
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
  return {
    ...service,
    stop: async () => {
      await service.stop();
      await Promise.all([model.close(), repository.remove()]);
    },
  };
}
