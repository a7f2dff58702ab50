// Decides by its path whether a file is vendored, generated or a lock file. Pure.

/** No file system has longer names. */
const MAX_NAME_CHARS = 255;
const vendoredFolders =
  /(^|\/)(node_modules|bower_components|vendor|vendored|third[_-]?party|external|extern|Pods|Carthage|\.yarn|dist|build|out|target|__pycache__|\.venv|venv|site-packages|__snapshots__)\//;
const generatedFiles =
  /(\.min\.(js|css)|\.map|\.snap|\.lock|\.pb\.(go|cc|h)|_pb2(_grpc)?\.pyi?|[._]generated\.[^/]+|\.g\.dart|\.designer\.cs|-lock\.(json|yaml))$/i;
const lockFiles = /(^|\/)(npm-shrinkwrap\.json|go\.sum|bun\.lockb|gradle-wrapper\.jar|\.pnp\.c?js)$/;

/** Copied from elsewhere, made by a program, or a lock file. */
export function isForeign(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).slice(-MAX_NAME_CHARS);
  return vendoredFolders.test(path) || generatedFiles.test(name) || lockFiles.test(path);
}

/** Folders and names of such files as patterns of paths, for a search that finds too much: the most usual ones. */
export const foreignPatterns: readonly string[] = [
  "node_modules",
  "bower_components",
  "vendor",
  "third_party",
  "Pods",
  "dist",
  "build",
  "out",
  "target",
  "__pycache__",
  ".venv",
  "venv",
  "site-packages",
  "__snapshots__",
  ".yarn",
]
  .map((folder) => `**/${folder}/**`)
  .concat(["**/*.min.js", "**/*.map", "**/*.lock", "**/*-lock.json", "**/*.snap"]);
