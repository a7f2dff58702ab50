// The part of the service's program in a pod that executes commands: each under a supervisor that outlives the connection it was asked for by.
// Its words are those of pod-program.ts and pod-files.ts.

export const podCommands = String.raw`
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
  // As fast as they multiply, they end in one of these rounds. One look may come between a process and the one that replaces it.
  for (let round = 0, empty = 0; round < 20 && empty < 2; round += 1) {
    const left = marked(id);
    empty = left.length === 0 ? empty + 1 : 0;
    for (const pid of left) try { process.kill(pid, "SIGKILL"); } catch {}
  }
};
const oomKills = () => Number(/^oom_kill (\d+)$/m.exec(readText("/sys/fs/cgroup/memory.events") || "")?.[1] ?? 0);
const freeBytes = () => { const { bavail, bsize } = fs.statfsSync(base); return bavail * bsize; };
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
  const weight = weigh(Buffer.from(base), Infinity), allowed = Math.max(maxDiskBytes, weight);
  const before = { killed: oomKills(), free: freeBytes() };
  const variables = { PATH: inherited.PATH || "/usr/local/bin:/usr/bin:/bin", HOME: home, TMPDIR: "/tmp", ...env, [MARK]: id };
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
    // It can have been faster than the next look. The disk is others', too: what it lost is no more than a reason to weigh.
    if (weight + before.free - freeBytes() > allowed && weigh(Buffer.from(base), allowed) > allowed) limit ??= "disk";
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
    if (weigh(Buffer.from(base), allowed) > allowed) pass("disk");
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
`;
