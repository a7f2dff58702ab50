// The part of the service's program in a pod that takes and gives files of the checkout. Its words are those of pod-program.ts.

export const podFiles = String.raw`
// Files: of the tree, or of another folder. One call is about one of them.
let root = tree, passedOver = new Set();
const beAbout = ({ folder, passedOver: names = [] }) => { root = base + "/" + folder; passedOver = new Set(names); };
const at = (path) => Buffer.from(path === "" ? root : root + "/" + path, "latin1");
const stampOf = (about) => {
  const kind = about.isDirectory() ? "d" : about.isSymbolicLink() ? "l" : about.isFile() ? "f" : "o";
  const mode = about.mode & 0o777;
  return kind === "d" ? kind + mode : [kind + mode, about.size, about.mtimeMs, about.ctimeMs, about.ino].join(" ");
};
const snapshotPath = (number) => own + "/snapshot" + root.slice(base.length).replace("/", "-") + "-" + number + ".json";
const readSnapshot = (number) => new Map(JSON.parse(fs.readFileSync(snapshotPath(number), "utf8")));
const keepSnapshot = (number, stamps) => {
  writeText(snapshotPath(number), JSON.stringify([...stamps]));
  remove(snapshotPath(number - 2));
};
const isGit = (name) => /^\.git$/i.test(name);
const walk = (folder, isLeftOut, found) => {
  let entries = [];
  try { entries = fs.readdirSync(at(folder), { withFileTypes: true, encoding: "latin1" }); } catch {}
  for (const entry of entries) {
    if (isGit(entry.name) || passedOver.has(entry.name)) continue;
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
  if (root !== tree || look(tree + "/.git") === null) return resolve(new Set());
  const args = ["-C", tree, "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"];
  execFile("git", args, { encoding: "latin1", maxBuffer: 67108864, timeout: 20000, killSignal: "SIGKILL" }, (fault, out) =>
    resolve(new Set(fault ? [] : out.split("\0").filter((path) => path !== "").map((path) => path.replace(/\/$/, "")))));
});
const put = async ({ isWhole, from, to, ...about }) => {
  beAbout(about);
  fs.mkdirSync(own, { recursive: true });
  if (isWhole) {
    removeHard(at(""));
    fs.mkdirSync(root);
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
    // What is gone with a folder above it is not looked for behind a link.
    if (kind === kinds.removed && ![...ups(path)].every((up) => look(at(up))?.isDirectory())) continue;
    if (kind !== kinds.removed) ready(path);
    const about = look(at(path));
    const isFolder = about !== null && about.isDirectory();
    if (about !== null && (kind !== kinds.folder || !isFolder)) fs.rmSync(at(path), { recursive: true, force: true });
    if (about !== null && kind !== kinds.folder) for (const known of sound) if (known === path || known.startsWith(path + "/")) sound.delete(known);
    if (kind === kinds.file) { fs.writeFileSync(at(path), content, { mode: mode | 0o200 }); fs.chmodSync(at(path), mode | 0o200); last = path; }
    if (kind === kinds.folder) { if (!isFolder) fs.mkdirSync(at(path)); fs.chmodSync(at(path), mode | 0o700); }
    if (kind === kinds.link) fs.symlinkSync(content, at(path));
    if (kind === kinds.removed) for (const known of [...stamps.keys()]) if (known === path || known.startsWith(path + "/")) stamps.delete(known);
    if (kind !== kinds.removed) changed.add(path);
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
  if (isWhole && root === tree && look(tree + "/.git") !== null) await run("chmod", ["-R", "a-w", tree + "/.git"]);
  keepSnapshot(to, stamps);
  await answer({ ok: true });
};
const run = (program, args) => new Promise((resolve) => execFile(program, args, () => resolve()));
const get = async (copy) => await answer(await changesSince(copy));
const changesSince = async ({ from, to, maxBytes, maxEntries, ...about }) => {
  beAbout(about);
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
// Paths that git ignores, with all that is below them.
const tellIgnored = async () => {
  beAbout({ folder: "tree" });
  for (const path of await ignored()) {
    const found = new Map([[path, look(at(path))]]);
    if (found.get(path)?.isDirectory() === true) walk(path, new Set(), found);
    for (const below of found.keys()) await frame(kinds.file, { path: below });
  }
  await answer({ ok: true });
};
// Behind no link. What stays though it is removed is told.
const removeAll = async ({ paths }) => {
  beAbout({ folder: "tree" });
  for (const path of paths) {
    if (![...ups(path)].every((up) => look(at(up))?.isDirectory() === true)) continue;
    try {
      fs.chmodSync(at(path.slice(0, Math.max(0, path.lastIndexOf("/")))), 0o700);
      removeHard(at(path));
    } catch {}
  }
  await answer({ ok: paths.every((path) => look(at(path)) === null) });
};
// Folders that were made read-only, too.
const removeHard = (path) => {
  const about = look(path);
  if (about === null) return;
  if (!about.isDirectory()) return fs.unlinkSync(path);
  fs.chmodSync(path, 0o700);
  for (const name of fs.readdirSync(path, { encoding: "latin1" })) removeHard(Buffer.concat([path, Buffer.from("/" + name, "latin1")]));
  fs.rmdirSync(path);
};
const ups = function* (path) { for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) yield path.slice(0, end); };
`;
