// Manifests of Elixir, Ruby and PHP. Pure.

import { parseJsonObject, textEntries, textOf } from "../fields.ts";
import { type Command, isPlainName, type ManifestReader, purposeOf } from "../manifest.ts";

export const mixExs: ManifestReader = {
  file: /^mix\.exs$/,
  needsText: true,
  read: (_project, text) => ({
    name: /\bapp:\s{0,8}:(\w{1,100})/.exec(text)?.[1],
    version: /\bversion:\s{0,8}"([^"]{1,60})"/.exec(text)?.[1],
    commands: [
      { purpose: "install", command: "mix deps.get" },
      { purpose: "build", command: "mix compile" },
      { purpose: "test", command: "mix test" },
    ],
  }),
};

export const gemfile: ManifestReader = {
  file: /^Gemfile$/,
  needsText: false,
  read(project) {
    const commands: Command[] = [{ purpose: "install", command: "bundle install" }];
    const hasSpecs = project.has(".rspec") || project.has("spec/spec_helper.rb");
    if (hasSpecs) commands.push({ purpose: "test", command: "bundle exec rspec" });
    return { commands };
  },
};

export const rakefile: ManifestReader = {
  file: /^(Rakefile|rakefile\.rb)$/,
  needsText: false,
  read: (project) => {
    return {
      commands: [{ purpose: "build", command: project.has("Gemfile") ? "bundle exec rake" : "rake" }],
    };
  },
};

export const composerJson: ManifestReader = {
  file: /^composer\.json$/,
  needsText: true,
  read(project, text) {
    const fields = parseJsonObject(text);
    const scripts = textEntries(fields.scripts).filter(([name]) => isPlainName(name));
    const commands: Command[] = [{ purpose: "install", command: "composer install" }];
    for (const [name, detail] of scripts) {
      commands.push({ purpose: purposeOf(name), command: `composer run ${name}`, detail });
    }
    if (project.firstOf("phpunit.xml", "phpunit.xml.dist") !== undefined) {
      commands.push({ purpose: "test", command: "vendor/bin/phpunit" });
    }
    return {
      name: textOf(fields, "name"),
      description: textOf(fields, "description"),
      licence: textOf(fields, "license"),
      commands,
    };
  },
};
