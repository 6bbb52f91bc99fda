import { describe, expect, it } from 'vitest';
import { listedPackages } from './listed-packages.ts';
import type { WorkspaceFiles } from './workspace-files.ts';
import type { WorkspacePackage } from './workspace-packages.ts';

function packageOf(folder: string, layer: string, description: string): WorkspacePackage {
  const name = `@rxlet/${folder.split('/')[1]!}`;
  return { folder, manifest: { name, version: '1.0.0', description, nx: { tags: [`layer:${layer}`] } } };
}

const PATHS = ['packages', 'packages/pleg/src/modules', 'packages/quota/src/quota-module.ts'];

/** Returns what the documents become for three packages, of which `quota` is new and offers a module. */
function listed(documents: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const files: WorkspaceFiles = {
    exists: (path) => PATHS.includes(path),
    isFile: () => true,
    children: () => [],
    read: (path) => documents[path] ?? null,
  };
  return listedPackages(files, [
    packageOf('apps/agent', 'app', 'The agent'),
    packageOf('packages/pleg', 'subsystem', 'Lifecycle events'),
    packageOf('packages/quota', 'subsystem', 'Limits of namespaces'),
    packageOf('tools/bench', 'tools', 'Measures'),
  ]);
}

describe('listedPackages', () => {
  it('updates, adds and removes rows of the README', () => {
    const readme = `| subsystem | purpose |
| --- | --- |
| [gone](packages/gone) | Gone |
| [pleg](packages/pleg) | Old text |

| test kit and apps | purpose |
| --- | --- |
`;
    expect(listed({ 'README.md': readme }).get('README.md')).toBe(`| subsystem | purpose |
| --- | --- |
| [pleg](packages/pleg) | Lifecycle events |
| [quota](packages/quota) | Limits of namespaces |

| test kit and apps | purpose |
| --- | --- |
| [apps/agent](apps/agent) | The agent |
`);
  });

  it('updates the picture of the layers and the table of modules', () => {
    const architecture = `## Layers

    core        agent        runs modules
      │         imports pleg
    subsystem   gone     part of the node
      │         pleg
    foundation  pod-model

| module | file |
| --- | --- |
| \`gone\` | [gone-module.ts](../packages/gone/src/gone-module.ts) |
| \`pleg\` | [modules/](../packages/pleg/src/modules) |
| \`old\` | [old-module.ts](../packages/pleg/src/old-module.ts) |
`;
    expect(listed({ 'docs/ARCHITECTURE.md': architecture }).get('docs/ARCHITECTURE.md')).toBe(`## Layers

    core        agent        runs modules
      │         imports pleg
    subsystem   pleg  quota     part of the node
    foundation  ${''}

| module | file |
| --- | --- |
| \`pleg\` | [modules/](../packages/pleg/src/modules) |
| \`quota\` | [quota-module.ts](../packages/quota/src/quota-module.ts) |
`);
  });
});
