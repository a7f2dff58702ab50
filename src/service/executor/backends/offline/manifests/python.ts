// pyproject.toml, setup.cfg, setup.py, requirements.txt, and who runs the tests. Pure.

import { readSections, sectionValues } from "../fields.ts";
import type { Command, EntryPoint, ManifestReader, ProjectFiles } from "../manifest.ts";

export const pyprojectToml: ManifestReader = {
  file: /^pyproject\.toml$/,
  needsText: true,
  read(project, text) {
    const sections = readSections(text);
    const has = (name: string) =>
      sections.some((section) => section.name === name || section.name.startsWith(`${name}.`));
    const isPoetry = has("tool.poetry");
    const about = sectionValues(sections, has("project") ? "project" : "tool.poetry");
    const commands: Command[] = [{ purpose: "install", command: installCommand(project, isPoetry) }];
    if (has("build-system"))
      commands.push({ purpose: "build", command: isPoetry ? "poetry build" : "python -m build" });
    if (has("tool.pytest")) commands.push({ purpose: "test", command: "pytest" });
    if (has("tool.ruff")) commands.push({ purpose: "check", command: "ruff check" });
    if (has("tool.mypy")) commands.push({ purpose: "check", command: "mypy ." });
    return {
      name: about.get("name"),
      version: about.get("version"),
      description: about.get("description"),
      licence: licenceText(about.get("license")),
      commands,
      entries: scriptEntries(
        sectionValues(sections, has("project.scripts") ? "project.scripts" : "tool.poetry.scripts"),
      ),
    };
  },
};

export const setupCfg: ManifestReader = {
  file: /^setup\.cfg$/,
  needsText: true,
  read(_project, text) {
    const sections = readSections(text);
    const about = sectionValues(sections, "metadata");
    const console = [...sectionValues(sections, "options.entry_points")].filter(
      ([key]) => key !== "console_scripts",
    );
    return {
      name: about.get("name"),
      version: about.get("version"),
      description: about.get("description"),
      licence: about.get("license"),
      entries: scriptEntries(new Map(console)),
    };
  },
};

export const setupPy: ManifestReader = {
  file: /^setup\.py$/,
  needsText: false,
  read: (project) => {
    return project.has("pyproject.toml")
      ? {}
      : { commands: [{ purpose: "install", command: "pip install -e ." }] };
  },
};

export const requirementsTxt: ManifestReader = {
  file: /^requirements[\w.-]{0,40}\.txt$/,
  needsText: false,
  read: (_project, path) => ({ commands: [{ purpose: "install", command: `pip install -r ${path}` }] }),
};

export const pythonTests: ManifestReader = {
  file: /^(tox\.ini|noxfile\.py|pytest\.ini|conftest\.py)$/,
  needsText: false,
  read: (_project, path) => {
    const runner = path === "tox.ini" ? "tox" : path === "noxfile.py" ? "nox" : "pytest";
    return { commands: [{ purpose: "test", command: runner }] };
  },
};

function installCommand(project: ProjectFiles, isPoetry: boolean): string {
  if (project.has("uv.lock")) return "uv sync";
  if (project.has("pdm.lock")) return "pdm install";
  return isPoetry || project.has("poetry.lock") ? "poetry install" : "pip install -e .";
}

/** Either a name or an inline table such as `{ text = "MIT" }`; a file's name says nothing here. */
function licenceText(value: string | undefined): string | undefined {
  if (value?.startsWith("{") !== true) return value;
  return /text\s{0,5}=\s{0,5}"([^"]{1,80})"/.exec(value)?.[1];
}

function scriptEntries(scripts: ReadonlyMap<string, string>): EntryPoint[] {
  return [...scripts].map(([name, target]) => ({ kind: `console script ${name}`, target }));
}
