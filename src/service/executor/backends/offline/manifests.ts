// Which files of the root folder are read to learn how a project is built, in the order that decides its name.

import { readFile } from "../../tools/read-file.ts";
import { callTool } from "../../tools/tool-call.ts";
import type { FoundManifest, ManifestReader, ProjectFiles } from "./manifest.ts";
import { cargoToml, cmakeLists, dotnetProject, goMod, gradleBuild, pomXml } from "./manifests/compiled.ts";
import { denoJson, packageJson } from "./manifests/node.ts";
import { pyprojectToml, pythonTests, requirementsTxt, setupCfg, setupPy } from "./manifests/python.ts";
import { composerJson, gemfile, mixExs, rakefile } from "./manifests/scripted.ts";
import { actionYml, composeFile, dockerfile, justfile, makefile } from "./manifests/task-runners.ts";
import type { Reading } from "./reading.ts";

/** More than that in one folder is no project, it is a trap. */
const MAX_MANIFESTS = 24;

const readers: readonly ManifestReader[] = [
  packageJson,
  denoJson,
  pyprojectToml,
  setupCfg,
  setupPy,
  requirementsTxt,
  pythonTests,
  cargoToml,
  goMod,
  pomXml,
  gradleBuild,
  dotnetProject,
  cmakeLists,
  mixExs,
  gemfile,
  rakefile,
  composerJson,
  makefile,
  justfile,
  dockerfile,
  composeFile,
  actionYml,
];

const ciFiles =
  /^(\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci\/config\.yml|\.buildkite\/[^/]+\.ya?ml|bitbucket-pipelines\.yml|azure-pipelines\.yml|Jenkinsfile|\.travis\.yml|\.drone\.yml|appveyor\.yml)$/;
const nestedManifests =
  /\/(package\.json|pyproject\.toml|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(\.kts)?|composer\.json)$/;

/** Reads the manifests of the root folder by tool calls, best known first. */
export async function readManifests(
  { task, checkout }: Reading,
  project: ProjectFiles,
): Promise<readonly FoundManifest[]> {
  const found: FoundManifest[] = [];
  for (const reader of readers) {
    for (const path of project.rootPaths.filter((candidate) => reader.file.test(candidate))) {
      if (found.length >= MAX_MANIFESTS) return found;
      if (reader.needsText) {
        const read = await callTool({ task, tool: readFile, input: { path }, checkout });
        found.push({ path, facts: read.ok ? reader.read(project, read.value.text) : {} });
      } else {
        found.push({ path, facts: reader.read(project, path) });
      }
    }
  }
  return found;
}

/** Files that tell a CI provider what to run. */
export function ciFilesOf(project: ProjectFiles): readonly string[] {
  return project.paths.filter((path) => ciFiles.test(path));
}

/** Manifests of the parts of a repository that holds several projects. */
export function nestedManifestsOf(project: ProjectFiles): readonly string[] {
  return project.paths.filter((path) => nestedManifests.test(path));
}
