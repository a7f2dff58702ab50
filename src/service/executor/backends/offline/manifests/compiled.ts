// Manifests of compiled languages: Cargo, Go, Maven, Gradle, CMake, .NET. Pure.

import { readSections, sectionValues } from "../fields.ts";
import type { EntryPoint, ManifestReader } from "../manifest.ts";
import { isPlainName } from "../manifest.ts";

export const cargoToml: ManifestReader = {
  file: /^Cargo\.toml$/,
  needsText: true,
  read(_project, text) {
    const sections = readSections(text);
    const about = sectionValues(sections, "package");
    const binaries = sections.filter((section) => section.name === "bin");
    const entries = binaries.flatMap(({ values }): EntryPoint[] => {
      const name = values.get("name") ?? "";
      return [{ kind: `bin ${name}`, target: values.get("path") ?? `src/bin/${name}.rs` }];
    });
    return {
      name: about.get("name"),
      version: about.get("version"),
      description: about.get("description"),
      licence: about.get("license"),
      commands: [
        { purpose: "build", command: "cargo build" },
        { purpose: "test", command: "cargo test" },
      ],
      entries,
    };
  },
};

export const goMod: ManifestReader = {
  file: /^go\.mod$/,
  needsText: true,
  read: (_project, text) => ({
    name: /^module[ \t]{1,8}(\S{1,300})/m.exec(text)?.[1],
    commands: [
      { purpose: "build", command: "go build ./..." },
      { purpose: "test", command: "go test ./..." },
    ],
  }),
};

export const pomXml: ManifestReader = {
  file: /^pom\.xml$/,
  needsText: true,
  read(project, text) {
    const own = ["parent", "dependencies", "build", "profiles"].reduce(withoutElement, text);
    const element = (name: string) => new RegExp(`<${name}>([^<]{1,300})</${name}>`).exec(own)?.[1]?.trim();
    const maven = project.has("mvnw") ? "./mvnw" : "mvn";
    return {
      name: element("artifactId"),
      version: element("version"),
      description: element("description"),
      commands: [
        { purpose: "build", command: `${maven} package` },
        { purpose: "test", command: `${maven} test` },
      ],
    };
  },
};

export const gradleBuild: ManifestReader = {
  file: /^build\.gradle(\.kts)?$/,
  needsText: false,
  read(project) {
    const gradle = project.has("gradlew") ? "./gradlew" : "gradle";
    return {
      commands: [
        { purpose: "build", command: `${gradle} build` },
        { purpose: "test", command: `${gradle} test` },
      ],
    };
  },
};

export const cmakeLists: ManifestReader = {
  file: /^CMakeLists\.txt$/,
  needsText: true,
  read(_project, text) {
    const hasTests = /^\s{0,40}(enable_testing|include)\s{0,4}\(\s{0,4}(CTest)?\s{0,4}\)/im.test(text);
    return {
      name: /^\s{0,40}project\s{0,4}\(\s{0,40}"?([\w.+-]{1,100})/im.exec(text)?.[1],
      commands: [
        { purpose: "build", command: "cmake -B build && cmake --build build" },
        ...(hasTests ? [{ purpose: "test", command: "ctest --test-dir build" } as const] : []),
      ],
    };
  },
};

export const dotnetProject: ManifestReader = {
  file: /^[^/]+\.(sln|slnx|csproj|fsproj)$/,
  needsText: false,
  read(_project, path) {
    const target = isPlainName(path) ? ` ${path}` : "";
    return {
      commands: [
        { purpose: "build", command: `dotnet build${target}` },
        { purpose: "test", command: `dotnet test${target}` },
      ],
    };
  },
};

/** The XML without every element of that name; one that is never closed takes the rest along. */
function withoutElement(xml: string, name: string): string {
  return xml
    .split(`<${name}>`)
    .map((part, at) => (at === 0 ? part : (part.split(`</${name}>`)[1] ?? "")))
    .join("");
}
