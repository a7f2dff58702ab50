// A cluster with agent-sandbox, played for tests and the benchmark: an API server that knows claims with their watch, sandboxes, pods and
// exec, asks for rights by verb, and can be away, full or forgetful; behind it a controller with a pool of pods.
// Kubernetes 1.36 and agent-sandbox v1beta1, as their sources and documentation have them on 2026-11-29. No real cluster was met.

import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import * as z from "zod/mini";
import { selfSigned } from "../self-signed.ts";
import { claimSchema, deleteSchema } from "./claim-schema.ts";
import { carryExec } from "./exec.ts";
import { ClusterObjects, type ClusterValue } from "./objects.ts";
import { FakePod, type PodKind } from "./pods.ts";
import { condition, podObject, type StatusObject, sandboxObject, statusObject } from "./statuses.ts";

const PROTOCOL = "v5.channel.k8s.io";
const EXTENSIONS = "extensions.agents.x-k8s.io";
const AGENTS = "agents.x-k8s.io";

export type Rule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
};

/** What a worker needs, and nothing more. */
export const workerRules: readonly Rule[] = [
  { apiGroups: [EXTENSIONS], resources: ["sandboxclaims"], verbs: ["create", "get", "watch", "delete"] },
  { apiGroups: [AGENTS], resources: ["sandboxes"], verbs: ["get"] },
  { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
  { apiGroups: [""], resources: ["pods/exec"], verbs: ["get", "create"] },
];

export type ClusterOptions = {
  readonly pods?: PodKind;
  /** Pods that wait in the pool, and that it is filled up to. Default 1. */
  readonly warm?: number;
  /** Whether a pod is made for a claim where none waits. Default: it is. */
  readonly makesPods?: boolean;
  readonly rules?: readonly Rule[];
  /** Claims that the namespace may have. Default: any number. */
  readonly quota?: number;
  /** Folders of this machine that are in the image of the pods, by the same paths. Default: none beside its programs. */
  readonly image?: readonly string[];
  /** Folders of this machine that pods mount and write to. Default: none. */
  readonly volumes?: readonly string[];
  /** Folders of their programs, before the usual ones. */
  readonly path?: readonly string[];
};

type Asked = { readonly group: string; readonly resource: string; readonly verb: string };

/** A request as it was answered. */
export type SeenRequest = Asked & { readonly status: number };

export class FakeCluster {
  readonly namespace = "agents";
  readonly pool = "agent-pods";
  readonly seen: SeenRequest[] = [];
  /** The words of each program that was executed, without what it read. */
  readonly commands: (readonly string[])[] = [];
  readonly claims = new ClusterObjects();
  readonly pods = new Map<string, FakePod>();
  readonly credentials: string;
  quota: number;
  makesPods: boolean;
  /** Of what new and old pods say that they are made of. */
  imageId = "sha256:one";
  readonly #options: ClusterOptions;
  readonly #root = mkdtempSync(join(tmpdir(), "k8s-"));
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #execs = new Set<WebSocket>();
  readonly #exec = new WebSocketServer({
    noServer: true,
    handleProtocols: (protocols) => (protocols.has(PROTOCOL) ? PROTOCOL : false),
  });
  /** By the name of a claim. */
  readonly #bound = new Map<string, string>();
  readonly #frozen: FakePod[] = [];
  #warm: Promise<FakePod>[] = [];
  #working: Promise<unknown> = Promise.resolve();
  #token = "";
  #isAway = false;
  #made = 0;
  #cutAfterBytes: number | null = null;

  private constructor(options: ClusterOptions) {
    this.#options = options;
    this.quota = options.quota ?? Number.POSITIVE_INFINITY;
    this.makesPods = options.makesPods ?? true;
    const { key, cert } = selfSigned(["localhost"]);
    this.credentials = join(this.#root, "serviceaccount");
    mkdirSync(this.credentials);
    writeFileSync(join(this.credentials, "ca.crt"), cert);
    writeFileSync(join(this.credentials, "namespace"), this.namespace);
    this.rotateToken();
    this.#server = createServer({ key, cert });
    this.#server.on("connection", (socket) => {
      if (this.#isAway) {
        socket.destroy();
        return;
      }
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("request", (request, response) => void this.#answer(request, response));
    this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  static async start(options: ClusterOptions = {}): Promise<FakeCluster> {
    const cluster = new FakeCluster(options);
    await new Promise<void>((resolve) => cluster.#server.listen(0, "127.0.0.1", resolve));
    cluster.#fill();
    await Promise.all(cluster.#warm);
    return cluster;
  }

  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  get token(): string {
    return this.#token;
  }

  /** The settings of a service that uses it. */
  get environment(): Record<string, string> {
    return {
      SANDBOX: "kubernetes",
      SANDBOX_KUBERNETES_POOL: this.pool,
      SANDBOX_KUBERNETES_URL: this.url,
      SANDBOX_KUBERNETES_CREDENTIALS: this.credentials,
    };
  }

  /** The pod of a claim. */
  podOf(claim: string): FakePod {
    const pod = this.pods.get(this.#bound.get(claim) ?? "");
    if (pod === undefined) throw new Error(`The claim ${claim} has no pod.`);
    return pod;
  }

  hasPod(claim: string): boolean {
    return this.pods.has(this.#bound.get(claim) ?? "");
  }

  /** The earlier token is refused from now on. */
  rotateToken(): void {
    this.#token = randomBytes(16).toString("hex");
    writeFileSync(join(this.credentials, "token"), `${this.#token}\n`);
  }

  goAway(): void {
    this.#isAway = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  comeBack(): void {
    this.#isAway = false;
  }

  /** Of watches, execs and whatever is open. New connections are answered. */
  cutConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The next program is cut once it has written so many bytes. */
  cutNextExecAfter(bytes: number): void {
    this.#cutAfterBytes = bytes;
  }

  /** As a kubelet whose node is out of something. */
  async evict(claim: string): Promise<void> {
    const pod = this.podOf(claim);
    pod.status = { reason: "Evicted", message: "The node was low on resource: ephemeral-storage." };
    await pod.end();
    this.#endExecs();
    this.claims.change(claim, { conditions: [condition("False", "SandboxNotReady", "Pod is not ready")] });
  }

  /** As a machine without power: connections to it stay open, and nothing answers. Its pods are deleted. */
  loseMachine(claim: string): void {
    const pod = this.podOf(claim);
    pod.freeze();
    this.#frozen.push(pod);
    this.pods.delete(pod.name);
    this.#bound.delete(claim);
    this.claims.change(claim, { conditions: [condition("False", "SandboxMissing", "Sandbox is missing")] });
  }

  /** Pods are made from now on, for claims that wait, too. */
  fillPool(): void {
    this.makesPods = true;
    for (const claim of this.claims.values) if (!this.#bound.has(claim.metadata.name)) this.#bind(claim);
  }

  /** As the controller at that time: claims whose time is over go, and their pods. */
  async expire(now: number): Promise<void> {
    for (const claim of this.claims.values) {
      const { shutdownTime } = (claim.spec.lifecycle ?? {}) as { shutdownTime?: string };
      if (shutdownTime !== undefined && Date.parse(shutdownTime) <= now) this.#deleteClaim(claim);
    }
    await this.settled();
  }

  /** What the controller has begun is done. */
  async settled(): Promise<void> {
    await this.#working;
  }

  async close(): Promise<void> {
    this.makesPods = false;
    this.goAway();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#working;
    const warm = await Promise.all(this.#warm);
    await Promise.all([...warm, ...this.pods.values(), ...this.#frozen].map((pod) => pod.end()));
    await rm(this.#root, { recursive: true, force: true });
  }

  // The controller.

  #fill(): void {
    while (this.#warm.length < (this.#options.warm ?? 1)) this.#warm.push(this.#makePod());
  }

  #makePod(): Promise<FakePod> {
    this.#made += 1;
    const name = `${this.pool}-${this.#made}`;
    const { pods = "plain", image = [], volumes = [], path = [] } = this.#options;
    return FakePod.start(pods, { name, root: this.#root, image, volumes, path });
  }

  #do(work: () => Promise<void>): void {
    this.#working = this.#working.then(work);
  }

  #bind(claim: ClusterValue): void {
    const { name, uid } = claim.metadata;
    this.#do(async () => {
      const waiting = this.#warm.shift() ?? (this.makesPods ? this.#makePod() : null);
      if (waiting === null) {
        const conditions = [condition("False", "SandboxNotReady", "Sandbox is not ready: the pool is empty")];
        return this.claims.change(name, { conditions });
      }
      const pod = await waiting;
      if (this.claims.find(name)?.metadata.uid !== uid) return await pod.end();
      this.pods.set(pod.name, pod);
      this.#bound.set(name, pod.name);
      const conditions = [condition("True", "DependenciesReady", "Pod is Ready")];
      this.claims.change(name, { conditions, sandbox: { name: pod.name } });
      if (this.makesPods) this.#fill();
    });
  }

  #deleteClaim({ metadata: { name } }: ClusterValue): void {
    this.claims.remove(name);
    const pod = this.pods.get(this.#bound.get(name) ?? "");
    this.#bound.delete(name);
    if (pod === undefined) return;
    this.pods.delete(pod.name);
    this.#do(() => pod.end());
  }

  // The API server.

  #may({ group, resource, verb }: Asked): boolean {
    return (this.#options.rules ?? workerRules).some(
      ({ apiGroups, resources, verbs }) =>
        apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb),
    );
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    return headers.authorization === `Bearer ${this.#token}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
    const url = new URL(request.url ?? "", this.url);
    const place = placeOf(url.pathname);
    const isWatch = url.searchParams.has("watch");
    const verb = verbOf(request.method ?? "GET", { isWatch, isNamed: place?.name !== undefined });
    const asked = { group: place?.group ?? "", resource: place?.resource ?? url.pathname, verb };
    const say = (status: number, body: unknown) => {
      this.seen.push({ ...asked, status });
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    const refuse = (code: number, reason: string, message: string) =>
      say(code, statusObject({ code, reason, message }));
    if (!this.#isKnown(request)) return refuse(401, "Unauthorized", "Unauthorized");
    if (place === null || place.namespace !== this.namespace) return refuse(404, "NotFound", "not found");
    const { resource, name } = place;
    if (!this.#may(asked)) {
      const who = 'User "system:serviceaccount:agents:worker"';
      return refuse(
        403,
        "Forbidden",
        `${resource} is forbidden: ${who} cannot ${verb} resource "${resource}"`,
      );
    }
    const missing = () => refuse(404, "NotFound", `${resource} "${name}" not found`);
    if (resource === "pods" || resource === "sandboxes") {
      const pod = this.pods.get(name ?? "");
      if (pod === undefined) return missing();
      return say(
        200,
        resource === "pods"
          ? podObject(pod, { namespace: this.namespace, imageId: this.imageId })
          : sandboxObject(pod, this.namespace),
      );
    }
    if (resource !== "sandboxclaims") return missing();
    if (verb === "create") return this.#create(text, { say, refuse });
    if (verb === "watch") {
      this.seen.push({ ...asked, status: 200 });
      return this.#watch(url, response);
    }
    const claim = this.claims.find(name ?? "");
    if (claim === undefined) return missing();
    if (verb === "get") return say(200, claim);
    const { preconditions } = text === "" ? {} : deleteSchema.parse(JSON.parse(text));
    if (preconditions !== undefined && preconditions.uid !== claim.metadata.uid)
      return refuse(409, "Conflict", "Precondition failed: UID in precondition");
    this.#deleteClaim(claim);
    return say(200, statusObject({ code: 200, reason: "", message: "", status: "Success" }));
  }

  #create(
    text: string,
    {
      say,
      refuse,
    }: {
      say: (status: number, body: unknown) => void;
      refuse: (code: number, reason: string, message: string) => void;
    },
  ): unknown {
    const parsed = claimSchema.safeParse(JSON.parse(text));
    if (!parsed.success) return refuse(422, "Invalid", z.prettifyError(parsed.error));
    const { name } = parsed.data.metadata;
    if (this.claims.find(name) !== undefined)
      return refuse(409, "AlreadyExists", `sandboxclaims "${name}" already exists`);
    const used = this.claims.values.length;
    if (used >= this.quota) {
      const counts = `requested: count/sandboxclaims=1, used: count/sandboxclaims=${used}, limited: count/sandboxclaims=${this.quota}`;
      return refuse(
        403,
        "Forbidden",
        `sandboxclaims "${name}" is forbidden: exceeded quota: runs, ${counts}`,
      );
    }
    this.claims.add(parsed.data, name);
    const claim = this.claims.find(name) as ClusterValue;
    say(201, claim);
    return this.#bind(claim);
  }

  #watch(url: URL, response: ServerResponse): void {
    const name = /^metadata\.name=(.*)$/.exec(url.searchParams.get("fieldSelector") ?? "")?.[1];
    let version = Number(url.searchParams.get("resourceVersion"));
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    const read = () => {
      const events = this.claims.since(version);
      version = Math.max(version, this.claims.version);
      if (events === null) {
        const object = statusObject({ code: 410, reason: "Expired", message: "too old resource version" });
        response.end(`${JSON.stringify({ type: "ERROR", object })}\n`);
        return;
      }
      for (const { type, object } of events)
        if (name === undefined || object.metadata.name === name)
          response.write(`${JSON.stringify({ type, object })}\n`);
    };
    const leave = this.claims.follow(read);
    response.once("close", leave);
    read();
  }

  // Exec.

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? "", this.url);
    const place = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/exec$/.exec(url.pathname);
    const pod = place?.[1] === this.namespace ? this.pods.get(place[2] ?? "") : undefined;
    const refusal = this.#refusalOfExec(request, pod);
    const asked = { group: "", resource: "pods/exec", verb: "get" };
    this.seen.push({ ...asked, status: refusal?.code ?? 101 });
    if (refusal !== null || pod === undefined) {
      const body = JSON.stringify(refusal);
      const lines = [
        `HTTP/1.1 ${refusal?.code} Refused`,
        "content-type: application/json",
        "connection: close",
      ];
      socket.end(`${lines.join("\r\n")}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      return;
    }
    const command = url.searchParams.getAll("command");
    this.commands.push(command);
    this.#exec.handleUpgrade(request, socket, head, (client) => {
      this.#execs.add(client);
      client.once("close", () => this.#execs.delete(client));
      carryExec(client, { pod, command, cutAfter: this.#cutAfterBytes });
      this.#cutAfterBytes = null;
    });
  }

  #refusalOfExec(request: IncomingMessage, pod: FakePod | undefined): StatusObject | null {
    const refuse = (code: number, reason: string, message: string) => statusObject({ code, reason, message });
    if (!this.#isKnown(request)) return refuse(401, "Unauthorized", "Unauthorized");
    // Since 1.35 a WebSocket asks for both.
    const asked = { group: "", resource: "pods/exec" };
    const verb = ["get", "create"].find((one) => !this.#may({ ...asked, verb: one }));
    if (verb !== undefined) return refuse(403, "Forbidden", `cannot ${verb} resource "pods/exec"`);
    if (pod === undefined) return refuse(404, "NotFound", "the pod was not found");
    if (pod.phase !== "Running")
      return refuse(400, "BadRequest", "cannot exec into a pod that is not running");
    return `${request.headers["sec-websocket-protocol"]}`.includes(PROTOCOL)
      ? null
      : refuse(400, "BadRequest", "unable to upgrade: no common protocol");
  }

  #endExecs(): void {
    for (const client of this.#execs) client.terminate();
  }
}

type Place = {
  readonly group: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string | undefined;
};

function placeOf(path: string): Place | null {
  const found =
    /^\/(?:api\/v1|apis\/([a-z0-9.-]+)\/v1beta1)\/namespaces\/([^/]+)\/([a-z]+)(?:\/([^/]+))?$/.exec(path);
  if (found === null) return null;
  const [, group = "", namespace = "", resource = "", name] = found;
  return { group, namespace, resource, name };
}

function verbOf(method: string, { isWatch, isNamed }: { isWatch: boolean; isNamed: boolean }): string {
  if (method === "POST") return "create";
  if (method === "DELETE") return "delete";
  return isWatch ? "watch" : isNamed ? "get" : "list";
}
