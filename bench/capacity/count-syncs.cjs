// Loaded into a measured node before all else (NODE_OPTIONS=--require): counts its fsync and fdatasync calls in the file named by
// COUNTED_SYNCS. Those of SQLite's own checkpoints and of git's processes are not among them.

const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const path = process.env.COUNTED_SYNCS;
if (path !== undefined) {
  const file = fs.openSync(path, "w");
  let count = 0;
  const counted = (call) =>
    function (...args) {
      count += 1;
      fs.writeSync(file, String(count), 0);
      return call.apply(this, args);
    };
  for (const name of ["fsync", "fdatasync", "fsyncSync", "fdatasyncSync"]) fs[name] = counted(fs[name]);
  syncBuiltinESMExports();
}
