// A registry of npm and of Python packages, with one package of each: what their clients ask for, and nothing else. By TLS
// where it has an identity.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Identity } from "../self-signed.ts";

export const NPM_PACKAGE = "is-one";
export const PYTHON_PACKAGE = "is-two";
const WHEEL = "is_two-1.0.0-py3-none-any.whl";

export type PackageRegistry = {
  readonly url: string;
  /** A lock file of a project that depends on the npm package. */
  readonly npmLock: string;
  /** Paths that were requested. */
  readonly requests: readonly string[];
  close(): Promise<void>;
};

/** With an identity, which is for `localhost`, its address has that name. */
export async function startPackageRegistry(identity: Identity | null = null): Promise<PackageRegistry> {
  const tarball = npmTarball();
  const wheel = pythonWheel();
  const requests: string[] = [];
  const answer: RequestListener = ({ url = "" }, response) => {
    requests.push(url);
    if (url === `/npm/${NPM_PACKAGE}.tgz`) response.end(tarball);
    else if (url === `/simple/${PYTHON_PACKAGE}/`) {
      response.setHeader("content-type", "text/html");
      response.end(`<!DOCTYPE html><a href="/files/${WHEEL}">${WHEEL}</a>`);
    } else if (url === `/files/${WHEEL}`) response.end(wheel);
    else response.writeHead(404).end();
  };
  const server = identity === null ? createServer(answer) : createTlsServer(identity, answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = identity === null ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const dependencies = { [NPM_PACKAGE]: "1.0.0" };
  const npmLock = JSON.stringify({
    name: "project",
    version: "1.0.0",
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { name: "project", version: "1.0.0", dependencies },
      [`node_modules/${NPM_PACKAGE}`]: {
        version: "1.0.0",
        resolved: `${url}/npm/${NPM_PACKAGE}.tgz`,
        integrity,
      },
    },
  });
  return {
    url,
    npmLock,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function npmTarball(): Buffer {
  const manifest = JSON.stringify({ name: NPM_PACKAGE, version: "1.0.0", main: "index.js" });
  const files = { "package/package.json": manifest, "package/index.js": "module.exports = 1;\n" };
  return archive(files, (folder, out) => execFileSync("tar", ["-czf", out, "-C", folder, "package"]));
}

function pythonWheel(): Buffer {
  const info = "is_two-1.0.0.dist-info";
  const files = {
    "is_two.py": "VALUE = 2\n",
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${PYTHON_PACKAGE}\nVersion: 1.0.0\n`,
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/RECORD`]: `is_two.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  };
  return archive(files, (folder, out) =>
    execFileSync("python3", ["-m", "zipfile", "-c", out, "is_two.py", info], { cwd: folder }),
  );
}

function archive(
  files: Readonly<Record<string, string>>,
  pack: (folder: string, out: string) => unknown,
): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "package-registry-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const out = join(folder, "archive");
    pack(folder, out);
    return readFileSync(out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
