// A checkout of one run, the fake cluster, and the sandbox in between.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClusterOptions, FakeCluster, type SeenRequest } from "../../../../fakes/kubernetes/cluster.ts";
import { systemClock } from "../../../../src/base/clock.ts";
import { systemRandom } from "../../../../src/base/ids.ts";
import type { Sandbox, SandboxCommand, SandboxResult } from "../../../../src/service/core/ports/sandbox.ts";
import {
  type KubernetesSandbox,
  kubernetesSandbox,
} from "../../../../src/service/sandbox/kubernetes/kubernetes-sandbox.ts";
import { SandboxFixture, until } from "../sandbox-fixture.ts";

const RUN = "01ABCDEF";
export const CLAIM = "run-01abcdef";

export class PodFixture {
  readonly cluster: FakeCluster;
  readonly files = new SandboxFixture();
  /** Why the run's pod was lost, once for each time. */
  readonly lost: string[] = [];
  readonly sandbox: Sandbox;
  /** As the worker does that has the run. */
  leave: () => Promise<void> = async () => {};
  readonly #leaving: (() => Promise<void>)[] = [];

  private constructor(cluster: FakeCluster, files: SandboxFixture, sandbox: KubernetesSandbox) {
    this.cluster = cluster;
    this.files = files;
    this.sandbox = sandbox;
  }

  static async start(
    options: ClusterOptions & {
      readonly settings?: Record<string, string>;
      readonly awayMs?: number;
      readonly pingMs?: number;
    } = {},
  ): Promise<PodFixture> {
    const { settings = {}, awayMs, pingMs, ...given } = options;
    const cluster = await FakeCluster.start(given);
    const files = new SandboxFixture();
    const config = files.config({ environment: { ...cluster.environment, ...settings } });
    if (config.kubernetes === null) throw new Error("Another sandbox was chosen.");
    const tools = { clock: systemClock, random: systemRandom, log: files.log };
    const away = { ...(awayMs === undefined ? {} : { awayMs }), ...(pingMs === undefined ? {} : { pingMs }) };
    const sandbox = await kubernetesSandbox({ config, cluster: config.kubernetes, ...tools, ...away });
    const fixture = new PodFixture(cluster, files, sandbox);
    fixture.leave = fixture.enter();
    return fixture;
  }

  /** As a worker does that has taken the run. What is returned is its leaving. */
  enter(sandbox: Sandbox = this.sandbox): () => Promise<void> {
    const { root } = this.files.checkout;
    const leave = sandbox.places?.enter({ runId: RUN, root, onLost: (why) => this.lost.push(why) });
    if (leave === undefined) throw new Error("It has no places.");
    this.#leaving.push(leave);
    return leave;
  }

  run(shell: string, changes: Partial<SandboxCommand> = {}): Promise<SandboxResult> {
    return this.files.result(this.sandbox, shell, changes);
  }

  path(name: string): string {
    return join(this.files.checkout.root, name);
  }

  /** In the pod, which finds it there at once. */
  touch(name: string): void {
    writeFileSync(join(this.cluster.podOf(CLAIM).folder, "tree", name), "");
  }

  /** Of exec requests that were answered. */
  async executed(count: number): Promise<void> {
    await until(async () => this.cluster.commands.length >= count);
  }

  seen(resource: string, verb: string): readonly SeenRequest[] {
    return this.cluster.seen.filter((one) => one.resource === resource && one.verb === verb);
  }

  async close(): Promise<void> {
    await Promise.all(this.#leaving.map((leave) => leave()));
    await this.cluster.close();
    await this.files.close();
  }
}
