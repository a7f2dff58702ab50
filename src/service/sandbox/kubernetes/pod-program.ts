// The program that the service executes in a pod. It comes with each call, through the standard input, so a command that changed files of the
// pod has not changed it. A call that is repeated does nothing twice: a command is known by its id, a copy of files by its number.

/**
 * CommonJS, for `node -e`: reads the length of a program as a line, the program, and executes it. What follows is the program's. Short,
 * because it is part of a URL.
 */
export const podLoader = [
  "const i=process.stdin;let b=Buffer.alloc(0);",
  'i.on("readable",function f(){for(let c;(c=i.read())!==null;){b=Buffer.concat([b,c]);',
  "const n=b.indexOf(10);if(n<0)continue;const e=n+1+Number(b.subarray(0,n));if(b.length<e)continue;",
  'i.off("readable",f);const p=b.subarray(n+1,e).toString();const r=b.subarray(e);',
  'return new Function("require","loader","program","rest",p)(require,process.execArgv[1],p,r)}});',
].join("");

/** Its folder is the working folder of the container: `tree`, `home` and what the service keeps are in it. */
export const podProgram = String.raw`
"use strict";
const fs = require("node:fs");
const { spawn, execFile } = require("node:child_process");
const base = process.cwd();
const own = base + "/.agent-service";
const tree = base + "/tree";
const at = (path) => Buffer.from(tree + "/" + path, "latin1");
const kinds = { end: 0, file: 1, more: 2, folder: 3, link: 4, removed: 5, output: 6, skipped: 7, started: 8, alive: 9 };
const HEADER = 15, CHUNK = 1048576, LOOK_MS = 50;
const MARK = "AGENT_SERVICE_COMMAND";

// Input: a line of JSON, then bytes or frames.
let have = rest, isOver = false, wake = () => {};
process.stdin.on("data", (chunk) => { have = Buffer.concat([have, chunk]); if (have.length > 8 * CHUNK) process.stdin.pause(); wake(); });
process.stdin.on("end", () => { isOver = true; wake(); });
process.stdin.on("error", () => { isOver = true; wake(); });
const more = () => new Promise((resolve) => { wake = resolve; process.stdin.resume(); });
const take = async (count) => {
  while (have.length < count) { if (isOver) throw new Error("cut"); await more(); }
  const taken = have.subarray(0, count);
  have = have.subarray(count);
  return taken;
};
const line = async () => {
  for (;;) {
    const end = have.indexOf(10);
    if (end >= 0) return (await take(end + 1)).subarray(0, end).toString();
    if (isOver) throw new Error("cut");
    await more();
  }
};
process.stdout.on("error", () => process.exit(0));
const write = (bytes) => new Promise((resolve) => process.stdout.write(bytes, resolve));
const frame = (kind, { mode = 0, path = "", content = Buffer.alloc(0) } = {}) => {
  const name = Buffer.from(path, "latin1");
  const header = Buffer.alloc(HEADER);
  header.writeUInt8(kind, 0);
  header.writeUInt16BE(mode & 0xffff, 1);
  header.writeUInt32BE(name.length, 3);
  header.writeDoubleBE(content.length, 7);
  return write(Buffer.concat([header, name, content]));
};
const answer = (value) => frame(kinds.end, { content: Buffer.from(JSON.stringify(value)) });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const look = (path) => { try { return fs.lstatSync(path); } catch { return null; } };
const readText = (path) => { try { return fs.readFileSync(path, "utf8"); } catch { return null; } };
const writeText = (path, text) => { fs.writeFileSync(path + ".part", text); fs.renameSync(path + ".part", path); };
const remove = (path) => fs.rmSync(path, { recursive: true, force: true });

// Files.
const stampOf = (about) => {
  const kind = about.isDirectory() ? "d" : about.isSymbolicLink() ? "l" : about.isFile() ? "f" : "o";
  const mode = about.mode & 0o777;
  return kind === "d" ? kind + mode : [kind + mode, about.size, about.mtimeMs, about.ctimeMs, about.ino].join(" ");
};
const snapshotPath = (number) => own + "/snapshot-" + number + ".json";
const readSnapshot = (number) => new Map(JSON.parse(fs.readFileSync(snapshotPath(number), "utf8")));
const keepSnapshot = (number, stamps) => {
  writeText(snapshotPath(number), JSON.stringify([...stamps]));
  remove(snapshotPath(number - 2));
};
const isGit = (name) => /^\.git$/i.test(name);
const walk = (folder, isLeftOut, found) => {
  let entries = [];
  try { entries = fs.readdirSync(folder === "" ? Buffer.from(tree) : at(folder), { withFileTypes: true, encoding: "latin1" }); } catch {}
  for (const entry of entries) {
    if (isGit(entry.name)) continue;
    const path = folder === "" ? entry.name : folder + "/" + entry.name;
    if (isLeftOut.has(path)) continue;
    const about = look(at(path));
    if (about === null) continue;
    found.set(path, about);
    if (about.isDirectory()) walk(path, isLeftOut, found);
  }
  return found;
};
// What git ignores stays here.
const ignored = () => new Promise((resolve) => {
  if (look(tree + "/.git") === null) return resolve(new Set());
  const args = ["-C", tree, "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"];
  execFile("git", args, { encoding: "latin1", maxBuffer: 67108864, timeout: 20000, killSignal: "SIGKILL" }, (fault, out) =>
    resolve(new Set(fault ? [] : out.split("\0").filter((path) => path !== "").map((path) => path.replace(/\/$/, "")))));
});
const put = async ({ isWhole, from, to }) => {
  fs.mkdirSync(own, { recursive: true });
  if (isWhole) {
    if (look(tree) !== null) { await run("chmod", ["-R", "u+rwx", tree]); remove(tree); }
    fs.mkdirSync(tree);
  }
  const stamps = isWhole ? new Map() : readSnapshot(from);
  const sound = new Set([""]);
  const ready = (path) => {
    const above = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (sound.has(above)) return;
    ready(above);
    const about = look(at(above));
    if (about !== null && !about.isDirectory()) fs.rmSync(at(above));
    if (about === null || !about.isDirectory()) fs.mkdirSync(at(above));
    sound.add(above);
  };
  const changed = new Set();
  let last = "";
  for (;;) {
    const header = await take(HEADER);
    const kind = header.readUInt8(0), mode = header.readUInt16BE(1);
    const path = (await take(header.readUInt32BE(3))).toString("latin1");
    const content = await take(header.readDoubleBE(7));
    if (kind === kinds.end) break;
    if (kind === kinds.more) { fs.appendFileSync(at(last), content); continue; }
    ready(path);
    const about = look(at(path));
    const isFolder = about !== null && about.isDirectory();
    if (about !== null && (kind !== kinds.folder || !isFolder)) fs.rmSync(at(path), { recursive: true, force: true });
    if (about !== null && kind !== kinds.folder) for (const known of sound) if (known === path || known.startsWith(path + "/")) sound.delete(known);
    if (kind === kinds.file) { fs.writeFileSync(at(path), content, { mode: mode | 0o200 }); fs.chmodSync(at(path), mode | 0o200); last = path; }
    if (kind === kinds.folder) { if (!isFolder) fs.mkdirSync(at(path)); fs.chmodSync(at(path), mode | 0o700); }
    if (kind === kinds.link) fs.symlinkSync(content, at(path));
    changed.add(path);
    if (kind === kinds.removed) for (const known of [...stamps.keys()]) if (known === path || known.startsWith(path + "/")) stamps.delete(known);
  }
  for (const path of changed) {
    const about = look(at(path));
    if (about !== null && !path.split("/").some(isGit)) stamps.set(path, stampOf(about));
  }
  // What the service found as a folder above something it named.
  for (const path of changed) for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const above = path.slice(0, end);
    const about = look(at(above));
    if (about !== null && !stamps.has(above) && !above.split("/").some(isGit)) stamps.set(above, stampOf(about));
  }
  if (isWhole && look(tree + "/.git") !== null) await run("chmod", ["-R", "a-w", tree + "/.git"]);
  keepSnapshot(to, stamps);
  await answer({ ok: true });
};
const run = (program, args) => new Promise((resolve) => execFile(program, args, () => resolve()));
const get = async (copy) => await answer(await changesSince(copy));
const changesSince = async ({ from, to, maxBytes, maxEntries }) => {
  const before = readSnapshot(from);
  const leftOut = await ignored();
  const now = walk("", leftOut, new Map());
  const stamps = new Map();
  let bytes = 0, entries = 0;
  const tooMuch = () => bytes > maxBytes || entries > maxEntries;
  for (const path of before.keys()) if (!now.has(path) && !leftOut.has(path) && ![...ups(path)].some((up) => leftOut.has(up))) {
    if ([...ups(path)].some((up) => before.has(up) && !now.has(up))) continue;
    entries += 1;
    await frame(kinds.removed, { path });
  } else if (!now.has(path)) stamps.set(path, before.get(path));
  for (const [path, about] of now) {
    const stamp = stampOf(about);
    stamps.set(path, stamp);
    if (before.get(path) === stamp) continue;
    entries += 1;
    if (tooMuch()) return { ok: false, why: "disk" };
    const mode = about.mode & 0o777;
    try {
      if (about.isSymbolicLink()) await frame(kinds.link, { path, content: fs.readlinkSync(at(path), "buffer") });
      else if (about.isDirectory()) await frame(kinds.folder, { path, mode });
      else if (about.isFile()) {
        const file = fs.openSync(at(path), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
        try {
          for (let isFirst = true; ; isFirst = false) {
            const part = Buffer.alloc(CHUNK);
            const count = fs.readSync(file, part, 0, CHUNK, null);
            if (count === 0 && !isFirst) break;
            bytes += count;
            if (tooMuch()) return { ok: false, why: "disk" };
            await frame(isFirst ? kinds.file : kinds.more, { path: isFirst ? path : "", mode, content: part.subarray(0, count) });
            if (count < CHUNK) break;
          }
        } finally { fs.closeSync(file); }
      }
    } catch { stamps.delete(path); }
  }
  keepSnapshot(to, stamps);
  return { ok: true };
};
const ups = function* (path) { for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) yield path.slice(0, end); };

// Commands.
const folderOf = (id) => own + "/commands/" + id;
const isAlive = (pid) => { try { process.kill(pid, 0); return true; } catch { return false; } };
const marked = (id) => {
  const found = [];
  for (const name of fs.readdirSync("/proc")) {
    if (!/^[0-9]+$/.test(name) || Number(name) === process.pid) continue;
    if ((readText("/proc/" + name + "/environ") || "").split("\0").includes(MARK + "=" + id)) found.push(Number(name));
  }
  return found;
};
const endAll = (id, group) => {
  if (group !== undefined) try { process.kill(-group, "SIGKILL"); } catch {}
  // As fast as they multiply, they end in one of these rounds.
  for (let round = 0; round < 20; round += 1) {
    const left = marked(id);
    if (left.length === 0) return;
    for (const pid of left) try { process.kill(pid, "SIGKILL"); } catch {}
  }
};
const oomKills = () => Number(/^oom_kill (\d+)$/m.exec(readText("/sys/fs/cgroup/memory.events") || "")?.[1] ?? 0);
const weigh = (folder, enough) => {
  let bytes = 0;
  const folders = [folder];
  while (folders.length > 0 && bytes <= enough) {
    const inside = folders.pop();
    let names = [];
    try { names = fs.readdirSync(inside, { encoding: "latin1" }); } catch {}
    for (const name of names) {
      const path = Buffer.concat([inside, Buffer.from("/" + name, "latin1")]);
      const about = look(path);
      if (about === null) continue;
      bytes += Math.max(4096, about.blocks * 512);
      if (about.isDirectory()) folders.push(path);
    }
  }
  return bytes;
};
const supervise = async (command) => {
  const { id, argv, env, cwd, keepsHome, timeoutMs, maxWrittenBytes, maxDiskBytes, inputBytes } = command;
  const input = await take(inputBytes);
  const folder = folderOf(id);
  const home = keepsHome ? base + "/home" : base + "/homes/" + id;
  fs.mkdirSync(home, { recursive: true });
  const startedMs = performance.now();
  const end = (value) => {
    endAll(id, value.group);
    if (!keepsHome) remove(home);
    writeText(folder + "/end", JSON.stringify({ ...value, group: undefined, durationMs: Math.round(performance.now() - startedMs) }));
    process.exit(0);
  };
  const output = fs.openSync(folder + "/output", "a");
  const place = tree + (cwd === "" ? "" : "/" + cwd);
  if (look(place) === null) { fs.writeSync(output, "The folder is not in the pod.\n"); return end({ exitCode: 126, signal: null }); }
  const before = { weight: Math.max(maxDiskBytes, weigh(Buffer.from(base), Infinity)), killed: oomKills() };
  const variables = { PATH: process.env.PATH || "/usr/local/bin:/usr/bin:/bin", HOME: home, TMPDIR: "/tmp", ...env, [MARK]: id };
  const child = spawn(argv[0], argv.slice(1), { cwd: place, env: variables, detached: true, stdio: [inputBytes > 0 ? "pipe" : "ignore", output, output] });
  let limit;
  const pass = (passed) => { limit ??= passed; endAll(id, child.pid); };
  child.on("error", (cause) => {
    if (child.pid !== undefined) return;
    fs.writeSync(output, argv[0] + ": " + cause.code + "\n");
    end({ exitCode: cause.code === "ENOENT" ? 127 : 126, signal: null });
  });
  if (child.pid === undefined) return;
  writeText(folder + "/pid", String(child.pid));
  child.on("exit", (exitCode, signal) => {
    // Orphan processes end before the output is read for the last time.
    endAll(id, child.pid);
    if (limit === undefined && signal === "SIGKILL" && oomKills() > before.killed) limit = "memory";
    if (fs.fstatSync(output).size > maxWrittenBytes) limit ??= "output";
    end({ exitCode: limit === undefined ? exitCode : null, signal: limit === undefined ? signal : "SIGKILL", limit, group: child.pid });
  });
  if (inputBytes > 0) { child.stdin.on("error", () => {}); child.stdin.end(input); }
  const timeout = setTimeout(() => pass("time"), timeoutMs);
  timeout.unref();
  let weighedMs = performance.now(), tookMs = 0;
  for (;;) {
    await sleep(LOOK_MS);
    if (look(folder + "/stop") !== null) pass("stopped");
    if (fs.fstatSync(output).size > maxWrittenBytes) pass("output");
    // Weighing takes a twentieth of the time at most.
    if (performance.now() - weighedMs < Math.max(500, 20 * tookMs)) continue;
    const from = performance.now();
    if (weigh(Buffer.from(base), before.weight) > before.weight) pass("disk");
    weighedMs = performance.now();
    tookMs = weighedMs - from;
  }
};
const follow = async ({ id, offset, headBytes, tailBytes, isFollowed, copy }) => {
  const folder = folderOf(id);
  let isStarted = false, sent = offset, isLast = false;
  const output = () => look(folder + "/output")?.size ?? 0;
  const send = async (upTo) => {
    if (upTo <= sent) return;
    const file = fs.openSync(folder + "/output", "r");
    try {
      while (sent < upTo) {
        const part = Buffer.alloc(Math.min(65536, upTo - sent));
        const count = fs.readSync(file, part, 0, part.length, sent);
        if (count === 0) return;
        await frame(kinds.output, { content: part.subarray(0, count) });
        sent += count;
      }
    } finally { fs.closeSync(file); }
  };
  const skip = async (to) => {
    if (to <= sent) return;
    await frame(kinds.skipped, { content: Buffer.from(String(to - sent)) });
    sent = to;
  };
  for (;;) {
    const text = readText(folder + "/end");
    isLast = text !== null;
    if (!isStarted && (isLast || look(folder + "/pid") !== null)) { isStarted = true; await frame(kinds.started); }
    const size = output();
    // The beginning, what follows where somebody follows it, and the end: the middle is cut here, and not sent.
    await send(Math.min(size, headBytes));
    if (isFollowed && !isLast) { await skip(size - 16 * 65536); await send(size); }
    if (isLast) {
      await skip(size - tailBytes);
      await send(size);
      const copied = copy === null ? null : await changesSince(copy);
      return await answer({ ok: true, end: JSON.parse(text), copied });
    }
    const supervisor = Number(readText(folder + "/supervisor") ?? 0);
    if (supervisor > 0 && !isAlive(supervisor) && readText(folder + "/end") === null) return await answer({ ok: false, why: "lost" });
    await sleep(LOOK_MS / 2);
  }
};
const execute = async (command) => {
  const folder = folderOf(command.id);
  const input = await take(command.inputBytes);
  for (const id of command.forgets) remove(folderOf(id));
  if (look(folder + "/supervisor") === null) {
    fs.mkdirSync(folder, { recursive: true });
    // Whoever is first starts it.
    let isOurs = true;
    try { fs.mkdirSync(folder + "/begun"); } catch { isOurs = false; }
    if (isOurs) {
      const child = spawn(process.execPath, ["-e", loader], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
      child.stdin.on("error", () => {});
      const text = Buffer.from(program);
      const head = JSON.stringify({ ...command, call: "supervise" });
      child.stdin.end(Buffer.concat([Buffer.from(text.length + "\n"), text, Buffer.from(head + "\n"), input]));
      child.unref();
      writeText(folder + "/supervisor", String(child.pid));
    }
  }
  await follow(command);
};
const stop = async ({ id }) => {
  const folder = folderOf(id);
  if (look(folder + "/supervisor") !== null) fs.writeFileSync(folder + "/stop", "");
  for (let waited = 0; waited < 5000 && look(folder + "/supervisor") !== null && look(folder + "/end") === null; waited += LOOK_MS) await sleep(LOOK_MS);
  endAll(id);
  await answer({ ok: true });
};
(async () => {
  const asked = JSON.parse(await line());
  if (asked.call !== "supervise") setInterval(() => frame(kinds.alive), asked.aliveMs).unref();
  await { put, get, execute, supervise, stop }[asked.call](asked);
  if (asked.call !== "supervise") process.exit(0);
})().catch((cause) => {
  process.stderr.write(String(cause && cause.message) + "\n", () => process.exit(cause && cause.message === "cut" ? 3 : 1));
});
`;
