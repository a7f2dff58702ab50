// The fake cluster, driven by the client that Kubernetes publishes: what that one finds right is not only right for ours.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import * as k8s from "@kubernetes/client-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeCluster } from "../../../../fakes/kubernetes/cluster.ts";

type Claim = {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly sandbox?: { readonly name: string };
  };
};

const claims = { group: "extensions.agents.x-k8s.io", version: "v1beta1", plural: "sandboxclaims" };

describe("the fake cluster", () => {
  let cluster: FakeCluster;
  beforeEach(async () => {
    cluster = await FakeCluster.start();
  });
  afterEach(() => cluster.close());

  it("answers the client of Kubernetes: a claim, its watch, its pod, a program in it, and refusals", async () => {
    const config = new k8s.KubeConfig();
    const caData = readFileSync(join(cluster.credentials, "ca.crt")).toString("base64");
    config.loadFromOptions({
      clusters: [{ name: "cluster", server: cluster.url, caData }],
      users: [{ name: "user", token: cluster.token }],
      contexts: [{ name: "context", cluster: "cluster", user: "user" }],
      currentContext: "context",
    });
    const [custom, core] = [config.makeApiClient(k8s.CustomObjectsApi), config.makeApiClient(k8s.CoreV1Api)];
    const { namespace } = cluster;
    const body = {
      apiVersion: "extensions.agents.x-k8s.io/v1beta1",
      kind: "SandboxClaim",
      metadata: { name: "claim", namespace },
      spec: { warmPoolRef: { name: cluster.pool } },
    };
    const create = () => custom.createNamespacedCustomObject({ ...claims, namespace, body });
    const resourceVersion = `${cluster.claims.version}`;
    await create();
    await expect(create()).rejects.toMatchObject({ code: 409 });

    const types: string[] = [];
    const ready = Promise.withResolvers<string>();
    const watching = await new k8s.Watch(config).watch(
      `/apis/${claims.group}/v1beta1/namespaces/${namespace}/sandboxclaims`,
      { fieldSelector: "metadata.name=claim", resourceVersion },
      (type, { status }: Claim) => {
        types.push(type);
        const isReady = status?.conditions?.some((one) => one.type === "Ready" && one.status === "True");
        if (isReady === true) ready.resolve(status?.sandbox?.name ?? "");
      },
      () => {},
    );
    const name = await ready.promise;
    expect(types).toEqual(["ADDED", "MODIFIED"]);
    watching.abort();
    expect(await core.readNamespacedPod({ name, namespace })).toMatchObject({
      status: { phase: "Running" },
    });

    const [output, complaint, input] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const ended = Promise.withResolvers<unknown>();
    const command = ["sh", "-c", "cat; echo complaint >&2; exit 3"];
    const exec = new k8s.Exec(config);
    const streams = [output, complaint, input] as const;
    const socket = await exec.exec(namespace, name, "commands", command, ...streams, false, ended.resolve);
    expect(socket.protocol).toBe("v5.channel.k8s.io");
    input.end("given\n");
    expect(await ended.promise).toMatchObject({
      details: { causes: [{ reason: "ExitCode", message: "3" }] },
    });
    expect(String(output.read())).toBe("given\n");
    expect(String(complaint.read())).toBe("complaint\n");

    await expect(core.readNamespacedPod({ name: "other", namespace })).rejects.toMatchObject({ code: 404 });
    await expect(core.listNamespacedPod({ namespace })).rejects.toMatchObject({ code: 403 });
    await custom.deleteNamespacedCustomObject({ ...claims, namespace, name: "claim" });
    expect(cluster.claims.values).toEqual([]);
  });
});
