// Exports of TypeScript modules that have no TSDoc, as the compiler reads them.

import { join } from "node:path";
import { API, SymbolFlags } from "typescript/unstable/sync";

/** `file: name` of each declaration that a module below the folder exports without a docstring. Throws where there is no project. */
export function undocumentedExports(project: string, folder: string): readonly string[] {
  const configuration = join(project, "tsconfig.json");
  const api = new API({ cwd: project });
  try {
    const found = api.updateSnapshot({ openProject: configuration }).getProject(configuration);
    if (found === undefined) throw new Error(`${configuration} is no project.`);
    const { program, checker } = found;
    const below = join(project, folder, "/");
    return program
      .getSourceFileNames()
      .filter((file) => file.startsWith(below))
      .flatMap((file) => {
        const source = program.getSourceFile(file);
        const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
        const exported = module === undefined ? [] : checker.getExportsOfModule(module);
        return exported
          .map((one) => (one.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one))
          .filter(({ declarations }) => declarations.some(({ path }) => path === file))
          .filter((one) => checker.getDocumentationCommentOfSymbol(one) === "")
          .map(({ name }) => `${file.slice(below.length)}: ${name}`);
      });
  } finally {
    api.close();
  }
}
