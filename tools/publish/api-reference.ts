import { join, relative } from 'node:path';
import { Application, type ProjectReflection } from 'typedoc';
import { workspaceRoot } from '../workspace/workspace-files.ts';
import { isBundled, readWorkspacePackages } from '../workspace/workspace-packages.ts';

/** Writes the API reference of all published packages to `docs/api`, from the docstrings of their sources: one page for each entry point and exported name. */
const out = join(workspaceRoot, 'docs/api');

/** Names of the entry points by their source files: `@rxlet/agent/core` by `packages/agent/src/core.ts`. */
function entryPoints(): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const { folder, manifest } of readWorkspacePackages()) {
    if (isBundled(manifest) || manifest.private === true) continue;
    for (const [subpath, target] of Object.entries(manifest.exports ?? {})) {
      const source = typeof target === 'string' ? undefined : target['@rxlet/source'];
      if (source !== undefined) entries.set(join(workspaceRoot, folder, source), join(manifest.name, subpath));
    }
  }
  return entries;
}

/** Gives the modules the names by which they are imported instead of those of their files. */
function renameModules(project: ProjectReflection, entries: ReadonlyMap<string, string>): void {
  for (const module of project.children ?? []) {
    const file = module.sources?.[0]?.fullFileName ?? '';
    module.name = entries.get(file) ?? module.name;
  }
}

const entries = entryPoints();
const application = await Application.bootstrap({
  name: 'rxlet',
  entryPoints: [...entries.keys()],
  tsconfig: join(workspaceRoot, 'tsconfig.json'),
  out,
  readme: 'none',
  excludeInternal: true,
  disableGit: true,
  sourceLinkTemplate: '../../../{path}',
  skipErrorChecking: true,
  // Parameters of a port are often types that its package keeps to itself.
  validation: { notExported: false, invalidLink: true, notDocumented: false },
});
const project = await application.convert();
if (project === undefined) throw new Error('cannot convert the packages: see the messages above');
renameModules(project, entries);
application.validate(project);
await application.generateOutputs(project);
if (application.logger.hasErrors() || application.logger.hasWarnings()) process.exitCode = 1;
process.stdout.write(`${relative(workspaceRoot, out)}/index.html\n`);
