// Vitest's global set-up. Starts a deployment when the first test file asks for it, and ends it after the last file: a
// run that asks for none pays for none.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import type { DeploymentHandle, RunningDeployment } from "./deployments.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where to ask for deployments. */
    readonly deployments: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running = new Map<string, Promise<RunningDeployment>>();
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent((request.url ?? "/").slice(1));
    const started = running.get(name) ?? startByName(name);
    running.set(name, started);
    try {
      response.end(JSON.stringify((await started).handle));
    } catch (cause) {
      response.writeHead(500).end(String(cause));
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  project.provide("deployments", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    await Promise.all([...running.values()].map(async (started) => (await started).close()));
    server.closeAllConnections();
    server.close();
  };
}

/** Asks for a deployment at the address that the set-up provides. */
export async function askForDeployment(address: string, name: string): Promise<DeploymentHandle> {
  const answer = await fetch(`${address}/${encodeURIComponent(name)}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The deployment "${name}" did not start: ${text}`);
  return JSON.parse(text);
}

async function startByName(name: string): Promise<RunningDeployment> {
  const { deployments } = await import("./deployments.ts");
  const deployment = deployments.find((candidate) => candidate.name === name);
  if (deployment === undefined) throw new Error(`There is no deployment "${name}".`);
  return await deployment.start();
}
