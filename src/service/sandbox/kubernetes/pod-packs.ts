// The part of the service's program in a pod that packs what setup has left, and brings a pack back. Its words are those of pod-program.ts and
// pod-files.ts. A pack is compressed: lines of JSON, each with the bytes of its file behind it.

export const podPacks = String.raw`
// Packs.
const zlib = require("node:zlib");
const MAX_TOPS = 20000;
const aboutPlace = () => answer({ ok: true, facts: [process.platform, process.arch] });
const pack = async ({ maxBytes, maxRawBytes, maxEntries }) => {
  beAbout({ folder: "tree" });
  // Of a folder that git ignores it may list files, too.
  const hidden = await ignored();
  const tops = [...hidden].filter((path) => !path.split("/").some(isGit) && ![...ups(path)].some((up) => hidden.has(up)));
  if (tops.length > MAX_TOPS) return await answer({ ok: false });
  const gzip = zlib.createGzip({ level: 1 });
  let raw = 0, entries = 0, sent = 0, isOverfull = false;
  const sending = (async () => {
    for await (const chunk of gzip) {
      sent += chunk.length;
      if (sent > maxBytes) isOverfull = true;
      if (!isOverfull) await frame(kinds.data, { content: chunk });
    }
  })();
  const write = (bytes) => gzip.write(bytes) ? undefined : new Promise((resolve) => gzip.once("drain", resolve));
  const record = (about) => write(Buffer.from(JSON.stringify(about) + "\n"));
  const add = async (from, path) => {
    const about = look(from);
    if (about === null || isOverfull) return;
    entries += 1;
    const common = { path, mode: about.mode & 0o777, time: about.mtimeMs };
    if (about.isSymbolicLink()) return await record({ ...common, kind: "link", to: fs.readlinkSync(from, "latin1") });
    if (about.isDirectory()) {
      await record({ ...common, kind: "folder" });
      for (const name of fs.readdirSync(from, { encoding: "latin1" })) await add(Buffer.concat([from, Buffer.from("/" + name, "latin1")]), path + "/" + name);
      return;
    }
    if (!about.isFile()) return;
    raw += about.size;
    if (raw > maxRawBytes || entries > maxEntries) { isOverfull = true; return; }
    await record({ ...common, kind: "file", bytes: about.size });
    const file = fs.openSync(from, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    try {
      for (let left = about.size; left > 0; ) {
        const part = Buffer.alloc(Math.min(CHUNK, left));
        const count = fs.readSync(file, part, 0, part.length, null);
        if (count === 0) throw new Error("A file has become smaller while it was packed.");
        await write(part.subarray(0, count));
        left -= count;
      }
    } finally { fs.closeSync(file); }
  };
  await record({ kind: "tops", tops });
  if (look(base + "/home") !== null) await add(Buffer.from(base + "/home"), "home");
  for (const path of tops) await add(at(path), "tree/" + path);
  await record({ kind: "end" });
  gzip.end();
  await sending;
  await answer({ ok: !isOverfull });
};
const unpack = async ({ packBytes, maxRawBytes, maxEntries }) => {
  const done = own + "/unpacked", staged = own + "/staged";
  beAbout({ folder: "tree" });
  if (look(done) !== null) return await answer({ ok: true });
  removeHard(Buffer.from(staged));
  fs.mkdirSync(staged);
  const gunzip = zlib.createGunzip();
  gunzip.on("error", () => {});
  (async () => {
    for (let left = packBytes; left > 0; ) {
      const part = await take(Math.min(left, CHUNK));
      left -= part.length;
      if (!gunzip.write(part)) await new Promise((resolve) => { gunzip.once("drain", resolve); gunzip.once("close", resolve); });
    }
    gunzip.end();
  })().catch((cause) => gunzip.destroy(cause));
  const chunks = gunzip[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  const more = async () => {
    const next = await chunks.next();
    if (next.done) throw new Error("The pack has no end.");
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
  };
  const record = async () => {
    for (;;) {
      const end = rest.indexOf(10);
      if (end >= 0) { const line = rest.subarray(0, end).toString(); rest = rest.subarray(end + 1); return JSON.parse(line); }
      await more();
    }
  };
  const folders = [];
  let raw = 0, entries = 0, tops = [];
  const placeOf = (path) => {
    const parts = path.split("/");
    if (parts.some((part) => part === "" || part === "." || part === "..")) throw new Error("The pack has a path that leads out.");
    let place = Buffer.from(staged);
    for (const [index, part] of parts.entries()) {
      place = Buffer.concat([place, Buffer.from("/" + part, "latin1")]);
      if (index + 1 === parts.length) break;
      const about = look(place);
      if (about === null) fs.mkdirSync(place);
      else if (!about.isDirectory()) throw new Error("The pack has a path behind a link.");
    }
    return place;
  };
  try {
    for (let about = await record(); about.kind !== "end"; about = await record()) {
      if (about.kind === "tops") { tops = about.tops; continue; }
      const { kind, path, mode, time, bytes = 0 } = about;
      raw += bytes;
      entries += 1;
      if (raw > maxRawBytes || entries > maxEntries) throw new Error("The pack is too large.");
      const place = placeOf(path);
      if (kind === "link") fs.symlinkSync(Buffer.from(about.to, "latin1"), place);
      else if (kind === "folder") { if (look(place) === null) fs.mkdirSync(place); folders.push({ place, mode, time }); }
      else {
        const file = fs.openSync(place, "wx", 0o600);
        try {
          for (let left = bytes; left > 0; ) {
            if (rest.length === 0) await more();
            const part = rest.subarray(0, Math.min(rest.length, left));
            fs.writeSync(file, part);
            rest = rest.subarray(part.length);
            left -= part.length;
          }
          fs.fchmodSync(file, (mode & 0o777) | 0o400);
          fs.futimesSync(file, time / 1000, time / 1000);
        } finally { fs.closeSync(file); }
      }
    }
    for (const { place, mode, time } of folders.reverse()) { fs.chmodSync(place, (mode & 0o777) | 0o700); fs.utimesSync(place, time / 1000, time / 1000); }
  } catch (cause) {
    if (isOver && cause && cause.message === "cut") throw cause;
    removeHard(Buffer.from(staged));
    return await answer({ ok: false, why: String(cause && cause.message) });
  }
  // From here on nothing waits. What was placed by a call that was cut is there.
  if (look(staged + "/home") !== null) { removeHard(Buffer.from(base + "/home")); fs.renameSync(staged + "/home", base + "/home"); }
  const placed = [];
  for (const path of tops) {
    const from = Buffer.from(staged + "/tree/" + path, "latin1");
    if (look(from) === null || path.split("/").some(isGit)) continue;
    const above = [...ups(path)].reverse();
    for (const up of above) if (look(at(up)) === null) fs.mkdirSync(at(up)); else if (!look(at(up)).isDirectory()) break;
    if (!above.every((up) => look(at(up))?.isDirectory() === true) || look(at(path)) !== null) continue;
    fs.renameSync(from, at(path));
    placed.push(path);
  }
  const hidden = await ignored();
  for (const path of placed) if (![path, ...ups(path)].some((one) => hidden.has(one))) removeHard(at(path));
  removeHard(Buffer.from(staged));
  writeText(done, "");
  await answer({ ok: true });
};
`;
